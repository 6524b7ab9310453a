package verify_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// stranger checks a record by the description in docs/fairness.md alone. It uses no code of this project.
func stranger(text string) error {
	if regexp.MustCompile(`[ \t\r]\n`).MatchString(text) {
		return fmt.Errorf("something stands before a line feed")
	}
	top, log, _ := strings.Cut(text, "\n\n")
	values := map[string][]string{}
	for _, l := range strings.Split(top, "\n")[1:] {
		k, v, _ := strings.Cut(l, ": ")
		values[k] = append(values[k], v)
	}
	only := func(key string) string { return strings.Join(values[key], "|") }
	seed, err := hex.DecodeString(only("seed"))
	if sum := sha256.Sum256(seed); err != nil || hex.EncodeToString(sum[:]) != only("commitment") ||
		only("fairness") != "4" {
		return fmt.Errorf("the seed is not the one that was committed to, or this is not version 4")
	}
	draw := func(texts []string, place, total int) int {
		var m []byte
		m = binary.BigEndian.AppendUint64(m, uint64(len(texts)))
		for _, t := range texts {
			m = append(binary.BigEndian.AppendUint64(m, uint64(len(t))), t...)
		}
		m = binary.BigEndian.AppendUint64(m, uint64(place))
		for try := uint64(0); ; try++ {
			h := hmac.New(sha256.New, seed)
			h.Write(binary.BigEndian.AppendUint64(slices.Clip(m), try))
			if x := binary.BigEndian.Uint64(h.Sum(nil)); x < 1<<64-1-(1<<64-1)%uint64(total) {
				return int(x % uint64(total))
			}
		}
	}

	// The inputs contain the players at the start and their seats.
	inputLine := regexp.MustCompile(
		`^(open|join|computer|leave|remove|pairing|start) ([1-9][0-9]*|[0-9a-f]{32}|-)(?: (.*))?$`)
	inputs := values["input"]
	var there []int
	seating := ""
	for i, in := range inputs {
		m := inputLine.FindStringSubmatch(in)
		if m == nil || (m[1] == "open") != (i == 0) || (m[1] == "start") != (i == len(inputs)-1) {
			return fmt.Errorf("input %q is none, or out of order", in)
		}
		switch m[1] {
		case "leave", "remove":
			n, _ := strconv.Atoi(m[3])
			at := slices.Index(there, n)
			if at < 0 {
				return fmt.Errorf("%q: nobody is there", in)
			}
			there = slices.Delete(there, at, at+1)
			continue
		case "pairing":
			if i != len(inputs)-2 {
				return fmt.Errorf("%q does not stand before the start", in)
			}
		case "start":
			seating = m[3]
		default:
			there = append(there, i+1)
		}
		if m[2] == "-" {
			return fmt.Errorf("%q has no id", in)
		}
	}
	if strconv.Itoa(len(there)) != only("seats") {
		return fmt.Errorf("%d were there at the start", len(there))
	}
	if seating == "lot" {
		order := make([]string, len(there))
		for i := range order {
			order[i] = strconv.Itoa(i)
		}
		for i := len(order) - 1; i > 0; i-- {
			j := draw(inputs, -1-(len(order)-1-i), i+1)
			order[i], order[j] = order[j], order[i]
		}
		seating = strings.Join(order, " ")
	}
	if only("seating") != seating {
		return fmt.Errorf("the players sit as %s, not as %s", only("seating"), seating)
	}

	// Piles of dice, cards and counters are lists.
	times := func(n int, what ...string) (list []string) {
		for _, w := range what {
			list = append(list, slices.Repeat([]string{w}, n)...)
		}
		return list
	}
	var roll1, roll2, cards, counters, sea, dutchman []string
	for a := 1; a <= 4; a++ {
		if a < 4 {
			roll1 = append(roll1, fmt.Sprint("roll ", a))
		}
		for b := 1; b <= 4; b++ {
			roll2 = append(roll2, fmt.Sprintf("roll %d %d", a, b))
		}
	}
	for _, c := range []string{"red", "green", "blue", "yellow"} {
		for n, many := range []int{2, 3, 3, 2} {
			cards = append(cards, times(many, fmt.Sprintf("deal %s%d", c, n+1))...)
		}
	}
	cards = slices.Concat(cards, times(5, "deal 2", "deal 3", "deal 4", "deal 5"),
		times(1, "deal 6", "deal red", "deal green", "deal blue", "deal yellow", "deal admiral"))
	counters = slices.Concat(times(7, "lay 5", "lay 10", "lay 15", "lay 20"), times(4, "lay warehouse"),
		times(1, "lay double5", "lay double10", "lay double15", "lay double20"))
	for row := 1; row <= 7; row++ {
		for _, column := range "ABCDEFG" {
			many := 2
			if row == 1 || row == 7 || column == 'A' || column == 'G' {
				many = 1
			}
			sea = append(sea, times(many, fmt.Sprintf("deal %c%d", column, row))...)
		}
	}
	dutchman = times(1, "deal columnA", "deal columnB", "deal columnC", "deal columnD", "deal columnE", "deal columnF",
		"deal columnG",
		"deal row1", "deal row2", "deal row3", "deal row4", "deal row5", "deal row6", "deal row7")
	piles := map[string][][]string{"quedah-merchant": {roll1}, "pirate-versus-pirate": {roll2}, "pirat": {cards},
		"freebooter": {counters, sea, dutchman}}[only("game")]

	texts := inputs
	for place, l := range strings.Split(strings.TrimSuffix(log, "\n"), "\n") {
		words := strings.SplitN(l, " ", 3)
		if len(words) == 3 && words[1] == "chance" {
			p := slices.IndexFunc(piles, func(pile []string) bool { return slices.Contains(pile, words[2]) })
			if p < 0 {
				return fmt.Errorf("there is no %q", words[2])
			}
			at := draw(texts, place, len(piles[p]))
			if piles[p][at] != words[2] {
				return fmt.Errorf("%q should be %q", l, piles[p][at])
			}
			if !strings.HasPrefix(words[2], "roll") {
				piles[p] = slices.Delete(piles[p], at, at+1)
			}
		}
		for _, v := range values["played"] {
			if strings.HasPrefix(v, fmt.Sprint(place+1, " ")) {
				texts = append(slices.Clip(inputs), v)
			}
		}
	}
	return nil
}
