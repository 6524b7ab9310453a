package shardstest

import (
	"testing"

	"marque/bot/timesource"
	"marque/storage/storagetest"
)

// The leases in memory pass the tests that every implementation of storage.Leases must pass.
func TestLeases(t *testing.T) { storagetest.Leases(t, New(timesource.System{})) }
