//go:build unix

package postgres

import (
	"testing"

	"marque/storage/storagetest"
)

// Leases in a database do the exercise of all leases.
func TestLeasesDoTheirExercise(t *testing.T) {
	s := opened(t)
	storagetest.Leases(t, s)
}
