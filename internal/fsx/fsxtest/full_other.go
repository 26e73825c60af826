//go:build !unix

package fsxtest

// LimitRoom does nothing: the tests of full disks are of Unix alone.
func LimitRoom() error { return nil }
