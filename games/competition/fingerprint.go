package competition

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Fingerprints are those of the competition so far (CO-19), in hex: one as each round began, from the first, and one at
// the end where it is over. They form a chain: each is the SHA-256 of the one before, at first of the commitment to the
// lot, and of a line for each pairing so far, with what had counted by then. What happens later changes none of them,
// so that each can be computed again at any time. A ladder has no rounds and none.
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
			case p.Round > c.Round: // a round that never began
			case p.Round < r:
				p = p.before(r)
				fmt.Fprintf(h, "%d %v %v %v %s\n", p.No, p.drawn(), p.Seats, p.Points, p.End)
			case p.Round == r && p.Leg < 3: // the deciders follow later
				fmt.Fprintf(h, "%d %v\n", p.No, p.drawn())
			}
		}
		before = hex.EncodeToString(h.Sum(nil))
		list = append(list, before)
	}
	return list
}
