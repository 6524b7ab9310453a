//go:build unix

package postgres

import (
	"context"
	"testing"

	"marque/storage/storagetest"
)

// The leases in a database pass the tests that every implementation of storage.Leases must pass.
func TestLeasesDoTheirExercise(t *testing.T) { storagetest.Leases(t, opened(t)) }

// A listener gets an error when the server ends the connection, because later messages would be lost.
func TestListeningEndsWithTheConnection(t *testing.T) {
	e := opened(t)
	listens, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- e.Listen(context.Background(), func(text string) { listens <- text }) }()
	<-listens
	if _, err := e.pool.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "+
		"WHERE datname = current_database() AND query = 'LISTEN marque'"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("listening ended without an error")
	} else {
		t.Log(err)
	}
}
