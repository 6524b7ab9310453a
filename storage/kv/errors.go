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
	// ErrNewer says that the store was written by a newer version of the program.
	ErrNewer = errors.New("the file was written by a newer version")
	// ErrOlder says that the store was written by a version before the first release.
	ErrOlder = errors.New("the file was written before the first release")
	// ErrDamaged says that the store, or a part of it, cannot be read or was altered.
	ErrDamaged = errors.New("the file is damaged")
	// ErrNotOwner says that the caller does not own a lease, or that the term of a Work's fence is over.
	ErrNotOwner = errors.New("the lease is another process's")
	// ErrLimits says that a key, a value, the name of a space or another argument is too long, empty or not valid.
	ErrLimits = errors.New("a key or a value is too long, or a key is empty")
	// ErrCrowded says that the engine has no room for all the locks of a transaction. A transaction with fewer locks
	// may succeed.
	ErrCrowded = errors.New("there is no room for so many locks")
)

// AgainError says that a transaction changed nothing, because other transactions interfered or its connection broke.
// Running it again immediately may help.
type AgainError struct{ Err error }

func (e *AgainError) Error() string { return e.Err.Error() }

func (e *AgainError) Unwrap() error { return e.Err }

// DiskProblem is a reason why a disk refused a commit.
type DiskProblem string

// The reasons why a disk refuses a commit.
const (
	DiskFull     DiskProblem = "full"      // the disk, or the user's quota, is full; nothing was changed
	DiskReadOnly DiskProblem = "read-only" // the file system cannot be written; nothing was changed
	DiskFailed   DiskProblem = "failed"    // another failure; the commit may have been made or not
)

// DiskError says that the disk refused a commit. Its text advises the operator; trying again helps only after the
// problem is fixed.
type DiskError struct {
	Problem DiskProblem
	Err     error // error of the operating system or the database server
}

func (e *DiskError) Error() string { return e.Err.Error() + ": " + e.advice() }

func (e *DiskError) Unwrap() error { return e.Err }

// advice returns advice for the operator on fixing the problem.
func (e *DiskError) advice() string {
	switch e.Problem {
	case DiskFull:
		return "make room on the disk of the database; until then nobody can play"
	case DiskReadOnly:
		return "make the disk of the database writable again; until then nobody can play"
	}
	return "look after the disk of the database, and have a backup at hand; until then nobody can play"
}

// UnreachableError says that the database server could not be reached, or took too long. The store reconnects
// automatically.
type UnreachableError struct {
	Unsure bool  // whether the change may have been made; if false, nothing was changed
	Err    error // error of the network or the server
}

func (e *UnreachableError) Error() string {
	if e.Unsure {
		return fmt.Sprintf("the connection to the database was lost, and whether a change was kept is not known: %v",
			e.Err)
	}
	return fmt.Sprintf("the database cannot be reached: %v: start its server; until then nobody can play", e.Err)
}

func (e *UnreachableError) Unwrap() error { return e.Err }
