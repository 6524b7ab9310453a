package freebooter

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"marque/games"
	"marque/games/gametest"
	"marque/games/scene"
)

// The columns that are chosen for a crossing keep their names at both ends while the rows are chosen.
func TestChosenColumnsKeepTheirNames(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var s games.State = Game.New(games.Setup{Seats: 2})
	for s.Outcomes() != nil {
		_, s = gametest.Random(s, rng)
	}
	menu := games.NewMenu(s)
	first, _ := menu.At("board")
	sc := s.Scene(s.ToMove(), nil)
	menu.Mark(&sc, first[0].Path)
	ends := 0
	for _, m := range sc.Marks {
		if m.Kind == scene.Choice && m.Text == first[0].Word.Written() {
			ends++
		}
	}
	if ends != 2 {
		t.Errorf("after %s, %d ends of the columns say %s: %v", first[0].Path, ends, first[0].Word.Written(), sc.Marks)
	}
}

// If a choice of a sea card says how many squares around a counter are then taken, some counter next to the card's
// square has that many.
func TestASeaCardSaysWhichRingItContinues(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	said := map[string]int{}
	for range 4 {
		var s games.State = Game.New(games.Setup{Seats: 2})
		for s.ToMove() != games.Nobody {
			p := s.(state).p
			for _, m := range s.Moves() {
				effect := s.(games.EffectDescriber).DescribeEffect(m)
				count, ok := effect.Args["Count"].(int)
				if op(m) != opSail || !ok || effect.ID == "freebooter.effect.several" {
					continue
				}
				said[effect.ID]++
				found := false
				for rest := p.lying; rest != 0; {
					around := rest.take().around()
					found = found || around.has(where(m)) && (around&(p.taken|where(m).bit())).count() == count
				}
				if !found {
					t.Fatalf("%s says %v, and no counter there has %d squares taken", games.Spell(s, m), effect, count)
				}
			}
			_, s = gametest.Random(s, rng)
		}
	}
	if said["freebooter.effect.nearer"] == 0 || said["freebooter.effect.nearer-warehouse"] == 0 {
		t.Errorf("choices said %v, want rings around ships and around warehouses", said)
	}
}

// Only the boat of the newest turn is highlighted. Two boats in a square do not hide each other's signs.
func TestTheNewestBoatStandsOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	shone, others := 0, 0
	for range 4 {
		var s games.State = Game.New(games.Setup{Seats: 4})
		var trail []games.Step
		newest := nowhere
		for s.ToMove() != games.Nobody {
			m, next := gametest.Random(s, rng)
			trail = append(trail, games.Step{Before: games.Mask(s, games.Spectator), Seat: s.ToMove(),
				Move: games.MaskMove(s, m, games.Spectator)})
			trail = trail[max(0, len(trail)-5):]
			switch op(m) {
			case opSail:
				newest = where(m)
			case opLay, opBoard, opSailMoney, opDutchman:
				newest = nowhere
			}
			begun := false // whether the trail includes the first move of the turn
			for _, step := range trail {
				switch op(step.Move) {
				case opSail, opLay, opBoard, opSailMoney, opDutchman:
					begun = true
				}
			}
			var marked, boats []scene.Piece
			for _, p := range games.Mask(next, games.Spectator).Scene(games.Spectator, trail).Pieces {
				if p.Kind == scene.Boat {
					boats = append(boats, p)
					if p.Marked {
						marked = append(marked, p)
					}
				}
			}
			switch {
			case newest == nowhere || !begun:
				others++
				if len(marked) > 0 {
					t.Fatalf("boats stand out after %s: %v", games.Spell(s, m), marked)
				}
			case len(marked) != 1 || hypot(marked[0].At, middle(newest)) > cell/2:
				t.Fatalf("a boat was put on %v, and %v stand out", newest, marked)
			default:
				shone++
			}
			for i, a := range boats {
				for _, b := range boats[:i] {
					if hypot(a.At, b.At) < 0.5*a.Size+0.22*a.Size { // half a sail and a sign
						t.Fatalf("boats at %v and %v hide each other's signs", a.At, b.At)
					}
				}
			}
			s = next
		}
	}
	if shone == 0 || others == 0 {
		t.Errorf("%d boats stood out and %d turns had none: nothing was tested", shone, others)
	}
}

// The spot for choosing a stack lies on the stack's cards. The key explains the discs beside the sea.
func TestPlacesBesideTheSeaAreWhatTheyStandFor(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var s games.State = Game.New(games.Setup{Seats: 2})
	for s.ToMove() == games.Chance {
		_, s = gametest.Random(s, rng)
	}
	sc := s.Scene(0, nil)
	for k := range stack(len(stackKeys)) {
		on := func(spot scene.Spot) bool {
			return spot.Name == stackSpot(k) && slices.ContainsFunc(sc.Pieces, func(p scene.Piece) bool {
				return p.Kind == scene.CardBack && p.At == spot.At && spot.R > p.Size/2
			})
		}
		if !slices.ContainsFunc(sc.Spots, on) {
			t.Errorf("the place of a choice is not on the %s stack: %v", stackKeys[k], sc.Spots)
		}
	}
	explained := map[scene.Point]string{}
	for _, sign := range sc.Signs() {
		for _, at := range sign.At {
			explained[at] = sign.Name
		}
	}
	discs := 0
	for _, shape := range sc.Ground {
		if shape.Kind == scene.Disc {
			discs++
			if explained[shape.Points[0]] != "double-place" {
				t.Errorf("the key explains the disc at %v as %q", shape.Points[0], explained[shape.Points[0]])
			}
		}
	}
	if discs != values {
		t.Errorf("there are %d discs beside the sea, want %d", discs, values)
	}
}

func hypot(a, b scene.Point) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }

// When a game was ended by agreement, no card in hand is highlighted, because none can be played any more.
func TestEndedGameHighlightsNoCard(t *testing.T) {
	for _, l := range games.Lessons(Game) {
		if l.Key != "dutchman" {
			continue
		}
		m, err := l.Start(Game)
		if err != nil {
			t.Fatal(err)
		}
		playable := func(p scene.Piece) bool { return p.Marked }
		seat := m.ToMove()
		if !slices.ContainsFunc(m.Scene(seat, 0, m.Len()).Hand, playable) {
			t.Fatal("no card is highlighted before the end")
		}
		if err := m.End(games.Agreed); err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(m.Scene(seat, 0, m.Len()).Hand, playable) {
			t.Error("a card is highlighted after the end")
		}
	}
}

// The picture of a game that was stopped marks no counter that waits for a choice.
func TestStoppedGameMarksNoCounter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var s games.State = Game.New(games.Setup{Seats: 4})
		for s.ToMove() != games.Nobody && s.(state).p.phase != resolving {
			_, s = gametest.Random(s, rng)
		}
		if s.ToMove() == games.Nobody {
			continue
		}
		marks := func(s games.State) int { return len(s.Scene(games.Spectator, nil).Marks) }
		if n, m := marks(s), marks(s.(state).Stopped()); n < 2 || m != 0 {
			t.Errorf("%d counters are marked, and %d when stopped", n, m)
		}
		return
	}
	t.Fatal("no counters waited in 20 games")
}
