package pirat

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"marque/games"
	"marque/games/gametest"
	"marque/games/scene"
	"marque/games/text"
	"marque/games/text/locale"
)

// random returns the position after this number of random plays, or the final position of a game that ends earlier.
func random(seats int, seed uint64, plies int) games.State {
	rng := rand.New(rand.NewPCG(seed, 99))
	s := Game.New(games.Setup{Seats: seats})
	for i := 0; i < plies && s.ToMove() != games.Nobody; i++ {
		_, s = gametest.Random(s, rng)
	}
	return s
}

// A viewer who starts with a masked position and applies masked plays reaches exactly the masked position of the game,
// after each play except the last.
func TestMaskedPlaysLeadToTheMask(t *testing.T) {
	for seats := leastSeats; seats <= mostSeats; seats++ {
		for v := games.Spectator; int(v) < seats; v++ {
			if v == games.Chance || v == games.Nobody {
				continue
			}
			rng := rand.New(rand.NewPCG(uint64(seats), 7))
			s := Game.New(games.Setup{Seats: seats})
			known := games.Mask(s, v)
			for {
				m, next := gametest.Random(s, rng)
				known = known.Apply(games.MaskMove(s, m, v))
				if next.ToMove() == games.Nobody { // hands are public after the end
					break
				}
				s = next
				if got, want := gametest.JSON(t, known), gametest.JSON(t, games.Mask(s, v)); got != want {
					t.Fatalf("%d followed the plays to\n%s\nwant\n%s", v, got, want)
				}
			}
		}
	}
}

// In samples, a hidden hand contains each kind of card in proportion to its share of the unseen cards (chi-square over
// the kinds).
func TestSampleIsUniform(t *testing.T) {
	s := random(3, 5, 70)
	p := s.(state).pos
	viewer := games.Seat(1)
	mask := games.Mask(s, viewer).(state)
	unseen := mask.pos.unseen()
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 20000
	var first [kinds]int // counts of each kind in the hand of seat 0
	for range n {
		h := games.Sample(mask, viewer, rng).(state).pos.hands[0]
		for _, k := range h.list() {
			first[k]++
		}
	}
	chi, cells := 0.0, 0
	for k := card(0); int(k) < kinds; k++ {
		want := n * float64(p.sizes[0]) * float64(unseen.count(k)) / float64(unseen.size())
		if want == 0 {
			if first[k] != 0 {
				t.Errorf("%v is dealt, though it was seen", k)
			}
			continue
		}
		chi += (float64(first[k]) - want) * (float64(first[k]) - want) / want
		cells++
	}
	// Drawing without replacement only reduces the statistic. The limit is about 4 standard deviations above the mean.
	if limit := float64(cells) + 4*math.Sqrt(2*float64(cells)); chi > limit {
		t.Errorf("chi-square %.1f over %d kinds, want at most %.1f: %v", chi, cells, limit, first)
	}
}

// With an empty stack, two players know each other's hands, so a sample equals the true position.
func TestSampleKnowsWhatIsCertain(t *testing.T) {
	s := table(t, "", "5 red3", "green4 4 admiral")
	got := games.Sample(games.Mask(s, 0), 0, rand.New(rand.NewPCG(1, 1)))
	if gametest.JSON(t, got) != gametest.JSON(t, s) {
		t.Errorf("sampled %s, want %s", gametest.JSON(t, got), gametest.JSON(t, s))
	}
}

func TestMasksHideHands(t *testing.T) {
	s := table(t, someStack, "5 red3", "green4 admiral", "blue")
	for v, known := range map[games.Seat]string{games.Spectator: "", 0: "red3 5", 1: "green4 admiral", 2: "blue"} {
		m := games.Mask(s, v).(state)
		for seat := range 3 {
			want := ""
			if games.Seat(seat) == v {
				want = known
			}
			if got := strings.Join(notations(m.pos.hands[seat]), " "); got != want ||
				m.pos.sizes[seat] != s.(state).pos.sizes[seat] {
				t.Errorf("%d sees %q, %d cards, in the hand of %d, want %q", v, got, m.pos.sizes[seat], seat, want)
			}
		}
	}
	d := plays(t, s, "draw")
	for v := games.Seat(0); v < 3; v++ {
		want := "deal card"
		if v == 0 {
			want = "deal blue4"
		}
		m, err := games.FindOutcome(d, "deal blue4")
		if err != nil {
			t.Fatal(err)
		}
		if got := games.Spell(games.Mask(d, v), games.MaskMove(d, m, v)); got != want {
			t.Errorf("%d is told %q of seat 0's draw, want %q", v, got, want)
		}
	}
}

func speaker(t *testing.T) *locale.Speaker {
	t.Helper()
	c, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c.Speaker(func(n int) text.Message { return text.Raw([]string{"Ann", "Bo", "Cy", "Di", "Ed"}[n]) })
}

func TestDescribe(t *testing.T) {
	say := speaker(t).Say
	s := table(t, someStack, "5 2 admiral red1", "green2 green1 green red4", "blue2 blue")
	for _, step := range []struct{ move, want string }{
		{"launch 5", "Ann launches S1, worth 5 gold."},
		{"attack S1 green2", "Bo attacks S1 in green with 2 skulls."},
		{"attack S1 blue2", "Cy attacks S1 in blue with 2 skulls. Nobody is ahead there: the strongest attacks are equal."},
		{"launch 2", "Ann launches S2, worth 2 gold."},
		{"attack S1 green1", "Bo adds 1 to the green attack on S1: 3 skulls in all. Bo is strongest there."},
		{"draw", "Cy draws from the stack."},
		{"deal blue4", "Cy draws a card and now holds 2 cards. Ann brings S2 (2 gold) safely into harbour."},
		{"draw", "Ann draws from the stack."},
		{"deal blue4", "Ann draws a card and now holds 3 cards. Bo captures S1 (5 gold)."},
	} {
		find := games.FindMove
		if s.ToMove() == games.Chance {
			find = games.FindOutcome
		}
		m, err := find(s, step.move)
		if err != nil {
			t.Fatal(err)
		}
		got := say(games.Mask(s, games.Spectator).Describe(games.MaskMove(s, m, games.Spectator)))
		if got != step.want {
			t.Errorf("%s: told %q, want %q", step.move, got, step.want)
		}
		s = s.Apply(m)
	}
	for _, tc := range []struct {
		s          games.State
		move, want string
	}{
		{plays(t, table(t, someStack, "5 admiral", "green2 green", "blue2"), "launch 5", "attack S1 green2",
			"attack S1 blue2"),
			"admiral S1", "Ann plays the admiral: S1 comes home safely with 5 gold."},
		{plays(t, table(t, someStack, "5 red1", "green2 green", "blue2"), "launch 5", "attack S1 green2",
			"attack S1 blue2", "attack S1 red1"),
			"pirate S1 green", "Bo sends the green pirate to S1 and is strongest there."},
		{plays(t, table(t, someStack, "5 red3", "green2 green1", "blue1 blue2"), "launch 5", "attack S1 green2",
			"attack S1 blue1"),
			"attack S1 red3", "Ann defends S1 in red with 3 skulls. Ann is strongest there."},
		{plays(t, table(t, someStack, "5 red3", "green2 green1 3", "2 4"), "launch 5", "attack S1 green2", "launch 2",
			"attack S1 red3", "launch 3"),
			"launch 4", "Cy launches S4, worth 4 gold. Ann keeps S1 (5 gold) and scores the gold."},
		{table(t, "", "red1 red2", "2"), "discard red1", "Ann discards a red pirate ship with 1 skull."},
		{table(t, "", "5", "2 3"), "launch 5", "Ann launches S1, worth 5 gold. The game ends. Ann brings S1 (5 gold) safely into harbour."},
	} {
		m, err := games.FindMove(tc.s, tc.move)
		if err != nil {
			t.Fatal(err)
		}
		if got := say(tc.s.Describe(m)); got != tc.want {
			t.Errorf("%s: told %q, want %q", tc.move, got, tc.want)
		}
	}
	last := plays(t, table(t, "blue4", "red1", "red2"), "draw")
	if got, want := say(games.Mask(last, 0).Describe(last.Outcomes()[0].Move)),
		"Ann draws a blue pirate ship with 4 skulls. The stack is empty now."; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
}

// Every message id of the rules, and of the pictures, sentences and words of random games, has a text. Choices fit
// Discord's labels, and a text board with its legend fits into a message.
func TestEverySentenceIsWritten(t *testing.T) {
	say := speaker(t).Say
	check := func(m text.Message) string {
		s := say(m)
		if s == "" || strings.Contains(s, "[pirat.") || strings.Contains(s, "<no value>") {
			t.Errorf("%v is said as %q", m, s)
		}
		return s
	}
	info := Game.Info()
	for _, m := range append([]text.Message{info.Name, info.Tagline, info.Credits}, info.Quick...) {
		check(m)
	}
	for _, r := range info.Rules {
		check(r.Title)
		if n := len([]rune(check(r.Body))); n > 1500 {
			t.Errorf("rules section %s has %d characters", r.Key, n)
		}
	}
	for seats := leastSeats; seats <= mostSeats; seats++ {
		for seed := range uint64(8) {
			rng := rand.New(rand.NewPCG(seed, 3))
			s := Game.New(games.Setup{Seats: seats})
			var trail []games.Step
			for {
				sc := games.Mask(s, 0).Scene(0, trail)
				length := 0
				for _, m := range slices.Concat(sc.Alt, sc.Legend) {
					check(m)
				}
				for _, m := range sc.Legend {
					length += len([]rune(say(m))) + 1
				}
				for _, l := range sc.Text {
					length += len([]rune(l)) + 1
				}
				if length > 2000 {
					t.Errorf("text board and legend have %d characters", length)
				}
				for _, p := range sc.Panels {
					for _, st := range p.Stats {
						check(st.Label)
					}
				}
				for _, st := range sc.Status {
					check(st.Label)
				}
				if s.ToMove() == games.Nobody {
					check(s.Result().Why)
					break
				}
				for _, m := range s.Moves() {
					for _, w := range s.Spell(m) {
						if n := len([]rune(check(w.Label))); n > 80 {
							t.Errorf("label of %d characters: %q", n, say(w.Label))
						}
						check(w.Ask)
					}
				}
				m, next := gametest.Random(s, rng)
				check(s.Describe(m))
				trail = append(trail, games.Step{Before: s, Seat: s.ToMove(), Move: m})
				trail = trail[max(0, len(trail)-5):]
				s = next
			}
		}
	}
}

// Ships are on the sea, are large enough and do not overlap, whatever their number. The last ship is in the bottom row.
func TestShipsLieOnTheSea(t *testing.T) {
	for n := 0; n <= maxShips; n++ {
		numbers := make([]int, n)
		for i := range numbers {
			numbers[i] = i
		}
		on, places := berths(numbers)
		size := on.cell() * shipPart
		if len(places) != n || size < 170 || n <= 6 && size < 300 || n <= 12 && size < 225 {
			t.Errorf("%d ships: %d places of %.0f units", n, len(places), size)
		}
		if room := on.cell() * shipAspect; n > 0 && places[n-1].Y+room < on.bottom {
			t.Errorf("%d ships: the last lies at %v, the sea ends at %.0f", n, places[n-1], on.bottom)
		}
		for i, a := range places {
			if a.X-size/2 < margin || a.X+size/2 > width-margin || a.Y-size*shipAspect/2 < margin ||
				a.Y+size*shipAspect/2 > on.bottom {
				t.Errorf("%d ships: ship %d at %v, %.0f wide, is not on the sea", n, i, a, size)
			}
			for _, b := range places[:i] {
				if math.Abs(a.X-b.X) < size && math.Abs(a.Y-b.Y) < size*shipAspect {
					t.Errorf("%d ships: %v and %v overlap", n, a, b)
				}
			}
		}
	}
}

// Ships keep their places when others come and go: at most one in fifteen moves while the board stays the same. If
// there are at most three ships, a ship moves only to its own place, unless another ship lies there.
func TestShipsKeepTheirPlaces(t *testing.T) {
	rng := games.NewRand(5)
	stayed, moved, resized := 0, 0, 0
	for range 200 {
		var numbers []int
		for next := 0; next < 30; {
			before := slices.Clone(numbers)
			if leave := rng.IntN(len(numbers) + 2); leave < len(numbers) {
				numbers = slices.Delete(numbers, leave, leave+1)
			} else {
				numbers = append(numbers, next)
				next++
			}
			was, from := berths(before)
			is, to := berths(numbers)
			if len(to) != len(numbers) {
				t.Fatalf("%d places for the ships %v", len(to), numbers)
			}
			for i, a := range to {
				if slices.Contains(to[:i], a) {
					t.Fatalf("two of the ships %v lie at %v", numbers, a)
				}
				k := slices.Index(before, numbers[i])
				switch {
				case k < 0:
				case was != is:
					resized++
				case a == from[k]:
					stayed++
				default:
					moved++
					own := is.place(numbers[i] % (is.columns * is.rows))
					if len(numbers) <= 3 && a != own && !slices.Contains(to[:i], own) {
						t.Errorf("ship %d went to %v as %v became %v; its own place is %v", numbers[i], a, before,
							numbers, own)
					}
				}
			}
		}
	}
	t.Logf("ships stayed %d times, moved %d times, and had another board %d times", stayed, moved, resized)
	if moved*15 > stayed {
		t.Errorf("ships stayed %d times and moved %d times, want at most one move in fifteen", stayed, moved)
	}
}

func TestScene(t *testing.T) {
	s := table(t, someStack, "5 2 admiral", "green2 green1 green red4", "blue2 blue")
	var trail []games.Step
	for _, n := range []string{"launch 5", "attack S1 green2", "attack S1 blue2", "launch 2", "pirate S1 green", "draw",
		"deal blue4", "draw", "deal blue4"} {
		next := plays(t, s, n)
		m := slices.Concat(s.Moves(), func() (ms []games.Move) {
			for _, o := range s.Outcomes() {
				ms = append(ms, o.Move)
			}
			return ms
		}())
		i := slices.IndexFunc(m, func(m games.Move) bool { return games.Spell(s, m) == n })
		trail = append(trail, games.Step{Before: games.Mask(s, 1), Seat: s.ToMove(), Move: games.MaskMove(s, m[i], 1)})
		s = next
	}
	sc := games.Mask(s, 1).Scene(1, trail)
	var ships []scene.Piece
	for _, p := range sc.Pieces {
		if p.Kind == scene.TradingShip {
			p.At, p.Size = scene.Point{}, 0
			ships = append(ships, p)
		}
	}
	// Both ships were scored within the trail: S2 reached harbour, and S1 went to Bo.
	want := []scene.Piece{
		{Kind: scene.TradingShip, Value: 5, Seat: 0, Text: "S1", Ghost: true,
			Attacks: []scene.Attack{
				{Seat: 1, Color: scene.Green, Skulls: 2, Pirate: 1, Stronger: true},
				{Seat: 2, Color: scene.Blue, Skulls: 2}}},
		{Kind: scene.TradingShip, Value: 2, Seat: 0, Text: "S2", Ghost: true},
	}
	if !reflect.DeepEqual(ships, want) {
		t.Errorf("ships %+v\nwant %+v", ships, want)
	}
	var hand []string
	for _, c := range sc.Hand {
		hand = append(hand, []string{"", "", "trading", "ship", "pirate", "admiral"}[c.Suit]+c.Color.Letter())
	}
	if want := []string{"shipR", "shipG"}; !slices.Equal(hand, want) {
		t.Errorf("hand %v, want %v", hand, want)
	}
	wantText := []string{
		"           A     B     C",
		"S1  $5 +B",
		"S2  $2 +A",
		" A  $2  #2",
		">B  $5  #2",
		" C  $0  #2",
		" #  5",
		"red4 green1",
	}
	if !slices.Equal(sc.Text, wantText) {
		t.Errorf("text board\n%s\nwant\n%s", strings.Join(sc.Text, "\n"), strings.Join(wantText, "\n"))
	}
}

// PI-2: a ship that its own crew brings home has no cross, unlike captured ships.
func TestHarbouredShipsHaveNoCross(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	home, taken := 0, 0
	for range 20 {
		var s games.State = Game.New(games.Setup{Seats: 3})
		for s.ToMove() != games.Nobody {
			m, next := gametest.Random(s, rng)
			trail := []games.Step{{Before: games.Mask(s, games.Spectator), Seat: s.ToMove(),
				Move: games.MaskMove(s, m, games.Spectator)}}
			crosses, captured := 0, 0
			for _, mark := range games.Mask(next, games.Spectator).Scene(games.Spectator, trail).Marks {
				if mark.Kind == scene.Captured {
					crosses++
				}
			}
			for _, pr := range follow(trail).prizes {
				if pr.seat == pr.ship.owner {
					home++
				} else {
					captured++
				}
			}
			if taken += captured; crosses != captured {
				t.Fatalf("PI-2 %d crosses for %d captured ships: %v", crosses, captured, follow(trail).prizes)
			}
			s = next
		}
	}
	if home == 0 || taken == 0 {
		t.Errorf("%d ships came home and %d were taken: nothing was tested", home, taken)
	}
}

// Only the newest play in a picture is highlighted: the ship that it attacks or raids, or after a draw the stack, by a
// ring. The test does not check which ship a launch highlights.
func TestTheNewestPlayAloneShines(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	ships, draws := 0, 0
	for range 10 {
		var s games.State = Game.New(games.Setup{Seats: 4})
		var trail []games.Step
		for s.ToMove() != games.Nobody {
			m, next := gametest.Random(s, rng)
			if s.(state).pos.phase == dealing {
				s = next
				continue
			}
			trail = append(trail, games.Step{Before: games.Mask(s, games.Spectator), Seat: s.ToMove(),
				Move: games.MaskMove(s, m, games.Spectator)})
			trail = trail[max(0, len(trail)-6):]
			i := len(trail) - 1
			for i > 0 && trail[i].Seat == games.Chance {
				i--
			}
			o, on, _ := parts(trail[i].Move)
			sc := games.Mask(next, games.Spectator).Scene(games.Spectator, trail)
			var shining []string
			for _, p := range sc.Pieces {
				if p.Kind == scene.TradingShip && p.Marked {
					shining = append(shining, p.Text)
				}
			}
			ring := slices.ContainsFunc(sc.Marks, func(m scene.Mark) bool { return m.Kind == scene.Ring })
			if ring != (o == draw) {
				t.Fatalf("a ring round the stack: %v, after %s", ring, games.Spell(trail[i].Before, trail[i].Move))
			}
			var want []string
			if pos := next.(state).pos; (o == attack || o == raid) && slices.Contains(pos.inPlay(), on) {
				want = []string{shipName(on)}
				ships++
			}
			if o == draw {
				draws++
			}
			if o != launch && !slices.Equal(shining, want) {
				t.Fatalf("%v shine, want %v after %s", shining, want, games.Spell(trail[i].Before, trail[i].Move))
			}
			s = next
		}
	}
	if ships == 0 || draws == 0 {
		t.Errorf("%d ships shone and %d cards were drawn: nothing was tested", ships, draws)
	}
}

// The effect of an attack compares it with the strongest attacks of the others, even if those are level.
func TestAnAttackSaysHowStrongItIs(t *testing.T) {
	s := table(t, someStack, "5 4", "red3 2", "green3 2", "blue1 blue3 yellow4 2")
	s = plays(t, s, "launch 5", "attack S1 red3", "attack S1 green3")
	for play, want := range map[string]string{"attack S1 blue1": "weaker", "attack S1 blue3": "level",
		"attack S1 yellow4": "strongest"} {
		m, err := games.FindMove(s, play)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.(games.EffectDescriber).DescribeEffect(m).ID; got != "pirat.effect."+want {
			t.Errorf("%s says %s, want %s", play, got, want)
		}
	}
}
