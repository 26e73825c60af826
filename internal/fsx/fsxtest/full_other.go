//go:build !unix

package fsxtest

// RoomVariable is for Unix alone, as the tests of full disks are.
const RoomVariable = "ROLLBOOK_TEST_FSIZE"

// LimitRoom does nothing.
func LimitRoom(string) error { return nil }
