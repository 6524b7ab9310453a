package shardstest

import (
	"testing"

	"marque/bot/timesource"
	"marque/storage/storagetest"
)

// Leases in memory pass the tests of all leases.
func TestLeases(t *testing.T) { storagetest.Leases(t, New(timesource.System{})) }
