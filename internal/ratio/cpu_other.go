//go:build !unix

package ratio

import "time"

var begun = time.Now()

// cpuTime is the time that has gone by, where no other is to be had.
func cpuTime() time.Duration { return time.Since(begun) }
