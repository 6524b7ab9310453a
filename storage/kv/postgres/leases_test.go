//go:build unix

package postgres

import (
	"testing"

	"marque/storage/storagetest"
)

// Leases in a database do the exercise of all leases.
func TestLeasesDoTheirExercise(t *testing.T) { storagetest.Leases(t, opened(t)) }
