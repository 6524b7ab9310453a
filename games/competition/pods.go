package competition

import "slices"

// podSizes returns the table sizes for n entrants, with at most seats each (CO-50). There are as few tables as
// possible, and their sizes differ by at most one.
func podSizes(n, seats int) []int {
	tables := (n + seats - 1) / seats
	sizes := make([]int, tables)
	for i := range sizes {
		sizes[i] = n / tables
		if i < n%tables {
			sizes[i]++
		}
	}
	return sizes
}

// podTries is the number of searches for the pairing of a round.
const podTries = 8

// pairPods pairs the new round so that entrants meet the opponents whom they have met least often (CO-51). Each of
// podTries searches begins with random tables, and swaps two people as long as this improves the pairing. pairPods uses
// the best result.
func (c *Competition) pairPods(at Stamp) {
	list := c.in()
	met := c.metMatrix()
	var best [][]int
	least := -1
	for try := range podTries {
		lots := c.lots(c.Round*100 + try)
		lots.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		var tables [][]int
		rest := list
		for _, size := range podSizes(len(list), c.Setup.Seats) {
			tables = append(tables, slices.Clone(rest[:size]))
			rest = rest[size:]
		}
		for exchange(tables, met) {
		}
		sum := 0
		for _, table := range tables {
			for _, e := range table {
				sum += acquainted(met, table, e, e)
			}
		}
		if least < 0 || sum < least {
			best, least = tables, sum
		}
	}
	for _, table := range best {
		c.add(Pairing{Round: c.Round, Seats: c.podSeats(table), Ready: at, Deadline: at + c.Setup.Time})
	}
}

// exchange swaps two people at different tables whenever the swap reduces acquaintance. It reports whether it swapped
// any.
func exchange(tables [][]int, met [][]int) (better bool) {
	for x, a := range tables {
		for _, b := range tables[x+1:] {
			for i := range a {
				for j := range b {
					now := acquainted(met, a, a[i], a[i]) + acquainted(met, b, b[j], b[j])
					then := acquainted(met, a, a[i], b[j]) + acquainted(met, b, b[j], a[i])
					if then < now {
						a[i], b[j] = b[j], a[i]
						better = true
					}
				}
			}
		}
	}
	return better
}

// acquainted adds up the squares of the numbers of times that the entrant someone has met each player of a table. It
// leaves out the entrant place: someone itself, or the player whom someone would replace.
func acquainted(met [][]int, table []int, place, someone int) int {
	sum := 0
	for _, e := range table {
		if e != place {
			sum += met[someone][e] * met[someone][e]
		}
	}
	return sum
}

// metMatrix returns how often each two entrants have met. Walkovers do not count.
func (c Competition) metMatrix() [][]int {
	met := make([][]int, len(c.Entrants))
	for i := range met {
		met[i] = make([]int, len(c.Entrants))
	}
	for _, p := range c.Pairings {
		for _, a := range p.Seats {
			for _, b := range p.Seats {
				if a != b && p.End != Walkover {
					met[a][b]++
				}
			}
		}
	}
	return met
}

// podSeats seats a table so that everybody has each seat about equally often (CO-52).
func (c Competition) podSeats(table []int) []int {
	had := map[[2]int]int{} // number of games, by entrant and seat
	for _, p := range c.Pairings {
		for seat, e := range p.Seats {
			had[[2]int{e, seat}]++
		}
	}
	best, least := slices.Clone(table), -1
	var place func(k, sum int)
	place = func(k, sum int) {
		if k == len(table) {
			if least < 0 || sum < least {
				best, least = slices.Clone(table), sum
			}
			return
		}
		for i := k; i < len(table); i++ {
			table[k], table[i] = table[i], table[k]
			n := had[[2]int{table[k], k}]
			place(k+1, sum+(n+1)*(n+1))
			table[k], table[i] = table[i], table[k]
		}
	}
	place(0, 0)
	return best
}

// podRounds returns the number of rounds after which everybody has met everybody about once, at most seven (CO-53).
func podRounds(n, seats int) int { return min(7, (n-1+seats-2)/(seats-1)) }
