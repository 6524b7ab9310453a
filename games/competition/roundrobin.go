package competition

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"strconv"

	"marque/games"
)

// pairAll adds all rounds of a round robin (CO-20), in an order drawn by lot.
func (c *Competition) pairAll() {
	list := c.in()
	c.lots(0).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	rounds := everybodyMeets(list)
	c.Rounds = len(rounds)
	for r, pairs := range rounds {
		for _, p := range pairs {
			c.add(Pairing{Round: r + 1, Seats: []int{p[0], p[1]}})
		}
	}
}

// Commitment returns the SHA-256, in hex, of the lot's decimal digits. It can be published before the lot (CO-18).
func (s Setup) Commitment() string {
	sum := sha256.Sum256([]byte(strconv.FormatUint(s.Lot, 10)))
	return hex.EncodeToString(sum[:])
}

// Sealed reports whether the lot must stay secret because later draws follow from the lot alone. A ladder's draws also
// depend on the ids of challenges.
func (c Competition) Sealed() bool { return c.Phase != Ended && c.Setup.Kind != Ladder }

// lots returns a random generator for the purpose n, seeded from Setup.Lot and n (CO-18).
func (c *Competition) lots(n int) *rand.Rand {
	return rand.New(games.NewRand(games.Mix(c.Setup.Lot) + uint64(n)))
}

// everybodyMeets returns the rounds in which everybody meets everybody once (CO-20), by Berger's table. For each
// entrant the numbers of games in the first and the second seat differ by at most one. If the number of entrants is
// odd, one of them sits out in each round.
func everybodyMeets(list []int) [][][2]int {
	n := len(list)
	even := n + n%2
	rounds := make([][][2]int, even-1)
	for r := range rounds {
		for i := range even {
			j := (r - i + even - 1) % (even - 1)
			if i == even-1 { // the last entrant meets the entrant with i == j
				continue
			}
			if j < 0 {
				j += even - 1
			}
			switch {
			case i == j && even == n:
				if i < even/2 {
					rounds[r] = append(rounds[r], [2]int{list[i], list[even-1]})
				} else {
					rounds[r] = append(rounds[r], [2]int{list[even-1], list[i]})
				}
			case i < j && (i+j)%2 == 1:
				rounds[r] = append(rounds[r], [2]int{list[i], list[j]})
			case i < j:
				rounds[r] = append(rounds[r], [2]int{list[j], list[i]})
			}
		}
	}
	return rounds
}
