//go:build !unix

package main

import "time"

// processorTime and residentMemory return false on this system.
func processorTime() (time.Duration, bool) { return 0, false }

func residentMemory() (int64, bool) { return 0, false }
