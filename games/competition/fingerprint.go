package competition

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Fingerprints returns the fingerprints of the competition so far (CO-19), in hex: one for the start of each round and,
// if the competition has ended, one for the end. Each is the SHA-256 of the previous fingerprint and of a line for each
// pairing up to that moment, with the results that counted then. The first has the commitment to the lot in place of a
// previous fingerprint. Later events do not change a fingerprint, so anybody can recompute it at any time. A ladder has
// no rounds and so no fingerprints.
func (c Competition) Fingerprints(commitment string) (list []string) {
	if c.Setup.Kind == Ladder || c.Round == 0 {
		return nil
	}
	last := c.Round
	if c.Phase == Ended {
		last++
	}
	before := commitment
	for r := 1; r <= last; r++ {
		h := sha256.New()
		fmt.Fprintf(h, "%s\n", before)
		for _, p := range c.Pairings {
			switch {
			case p.Round > c.Round: // the round never began
			case p.Round < r:
				p = p.before(r)
				fmt.Fprintf(h, "%d %v %v %v %s\n", p.No, p.drawn(), p.Seats, p.Points, p.End)
			case p.Round == r && p.Leg < 3: // deciders are paired later
				fmt.Fprintf(h, "%d %v\n", p.No, p.drawn())
			}
		}
		before = hex.EncodeToString(h.Sum(nil))
		list = append(list, before)
	}
	return list
}
