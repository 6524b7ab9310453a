//go:build !linux

package bolt

import "errors"

func limitMemory(int) error { return errors.New("there is no such limit on this system") }
