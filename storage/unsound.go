package storage

import "fmt"

// MostFaults bounds the list of what is wrong with a store.
const MostFaults = 100

// UnsoundError says what is wrong with a store that was checked. It wraps ErrDamaged and what it lists.
type UnsoundError struct {
	Faults []error // values (*DamagedError), and what contradicts the rest; at most MostFaults
	More   int     // how many more there are
}

func (e *UnsoundError) Error() string {
	s := fmt.Sprintf("%v (%v", ErrDamaged, e.Faults[0])
	if n := len(e.Faults) + e.More - 1; n > 0 {
		s += fmt.Sprintf("; and %d more", n)
	}
	return s + ")"
}

// Unwrap is ErrDamaged and the faults.
func (e *UnsoundError) Unwrap() []error { return append([]error{ErrDamaged}, e.Faults...) }

// Add adds a fault.
func (e *UnsoundError) Add(err error) {
	if len(e.Faults) < MostFaults {
		e.Faults = append(e.Faults, err)
	} else {
		e.More++
	}
}
