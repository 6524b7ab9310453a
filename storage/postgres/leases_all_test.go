//go:build unix

package postgres

import (
	"testing"

	"marque/storage/storagetest"
)

// Leases in a database do the exercise of all leases.
func TestLeasesDoTheirExercise(t *testing.T) {
	s, err := Open(t.Context(), newDatabase(t))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	storagetest.Leases(t, s)
}
