package shardstest

import (
	"testing"

	"marque/bot/timesource"
	"marque/storage/storagetest"
)

// Leases in memory keep the contract of package storage.
func TestLeases(t *testing.T) { storagetest.Leases(t, New(timesource.System{})) }
