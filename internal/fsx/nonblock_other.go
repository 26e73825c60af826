//go:build !unix

package fsx

const nonblock = 0
