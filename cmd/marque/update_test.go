//go:build unix

package main

import (
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// An update loses no acknowledged move, plays and shows no move twice, and leaves no command unanswered. Three
// processes share a database and are replaced one after another by a later release, while people play. One of them
// is downgraded again. TestPackages updates a bot with a file.
func TestAnUpdateLosesNoMove(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program twice")
	}
	t.Parallel()
	c := newCampaign(t, 3, 3, false)
	c.build("1.0.0")
	fleet := make([]*vessel, fleetSize)
	for i := range fleet {
		fleet[i] = c.launch()
	}
	defer c.store.Close()
	var playing sync.WaitGroup
	c.people(&playing)
	defer playing.Wait()
	defer c.stop()
	c.served("the start", time.Now())
	update := func(release string, processes int) {
		c.build(release)
		said, err := exec.CommandContext(c.ctx, c.program, "version").CombinedOutput()
		if first, _, _ := strings.Cut(string(said), "\n"); err != nil || first != "marque "+release {
			t.Fatalf("the program says %q (%v), want release %s", first, err, release)
		}
		c.served("another program in its place", time.Now())
		for i := range processes {
			fleet[i] = c.replace(fleet[i])
		}
	}
	update("1.0.1", fleetSize)
	update("1.0.0", 1)
	c.stop()
	playing.Wait()
	for _, v := range fleet {
		v.end()
	}
	c.check(c.store)
}
