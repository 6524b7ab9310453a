package kv

import (
	"errors"
	"fmt"
)

var (
	// ErrClosed says that the store is closed, or closing.
	ErrClosed = errors.New("the store is closed")
	// ErrLocked says that another process has the file open.
	ErrLocked = errors.New("the file is in use by another process")
	// ErrNewer says that the file was written by a newer version of the program.
	ErrNewer = errors.New("the file was written by a newer version")
	// ErrOlder says that the file was written by a version before the first release.
	ErrOlder = errors.New("the file was written before the first release")
	// ErrDamaged says that the file, or something in it, cannot be read.
	ErrDamaged = errors.New("the file is damaged")
	// ErrNotOwner says that the caller does not own the lease, or, of a work, that its fence is over.
	ErrNotOwner = errors.New("the lease is another process's")
	// ErrLimits refuses a key or a value that is longer than MaxKey or MaxValue, and an empty key.
	ErrLimits = errors.New("a key or a value is too long, or a key is empty")
	// ErrCrowded says that a transaction asks for more locks than there is room for; with fewer locks it may succeed.
	ErrCrowded = errors.New("there is no room for so many locks")
)

// AgainError says that a transaction changed nothing, and that running it again at once may help:
// others were in its way, or its connection broke.
type AgainError struct{ Err error }

func (e *AgainError) Error() string { return e.Err.Error() }

func (e *AgainError) Unwrap() error { return e.Err }

// DiskProblem is why a disk did not take a change.
type DiskProblem string

// What can be wrong with a disk.
const (
	DiskFull     DiskProblem = "full"      // or the user's share of it is used up; nothing was changed
	DiskReadOnly DiskProblem = "read-only" // nothing was changed
	DiskFailed   DiskProblem = "failed"    // whether the change is there is not known
)

// DiskError says that the disk did not take a change. Trying again does not help before the operator has followed the
// advice.
type DiskError struct {
	Problem DiskProblem
	Err     error // the system's
}

func (e *DiskError) Error() string { return e.Err.Error() + ": " + e.advice() }

func (e *DiskError) Unwrap() error { return e.Err }

// advice tells the operator what to do.
func (e *DiskError) advice() string {
	switch e.Problem {
	case DiskFull:
		return "make room on the disk of the database; until then nobody can play"
	case DiskReadOnly:
		return "make the disk of the database writable again; until then nobody can play"
	}
	return "look after the disk of the database, and have a backup at hand; until then nobody can play"
}

// UnreachableError says that the server which keeps the store could not be reached. Trying again
// helps once it is there; the store finds it by itself.
type UnreachableError struct {
	Unsure bool  // whether the change is there is not known; otherwise nothing was changed
	Err    error // why
}

func (e *UnreachableError) Error() string {
	if e.Unsure {
		return fmt.Sprintf("the connection to the database was lost, and whether a change was kept is not known: %v",
			e.Err)
	}
	return fmt.Sprintf("the database cannot be reached: %v: start its server; until then nobody can play", e.Err)
}

func (e *UnreachableError) Unwrap() error { return e.Err }
