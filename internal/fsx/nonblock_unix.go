//go:build unix

package fsx

import "syscall"

const nonblock = syscall.O_NONBLOCK
