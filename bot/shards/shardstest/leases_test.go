package shardstest

import (
	"testing"

	"marque/bot/timesource"
	"marque/storage/storagetest"
)

// In-memory leases fulfil the contract of package storage.
func TestLeases(t *testing.T) { storagetest.Leases(t, New(timesource.System{})) }
