//go:build !unix

package main

import "time"

// processorTime and residentMemory are not known on this system.
func processorTime() (time.Duration, bool) { return 0, false }

func residentMemory() (int64, bool) { return 0, false }
