package loyalcaptain

import (
	"regexp"

	"marque/games"
	"marque/games/deck"
	"marque/games/text"
)

var _ games.Refuser = state{}

// offerForm matches the notation of an offer (LC-9), also with numbers of other spaces or without the second plus sign.
var offerForm = regexp.MustCompile(`^\+\d{1,3}/\+?\d{1,3}$`)

func (s state) Refuse(typed string) (why games.Reason, ok bool) {
	p := &s.p
	offer := offerForm.MatchString(typed)
	t, turn := deck.ReadTyped(typed)
	turn = turn && t.By == 0 && t.Freed == "" && (t.Place == 0 || t.From == 0)
	switch typed {
	case "propose", "accept", "refuse", "red", "blue", "pass":
	default:
		if !offer && !turn {
			return games.Reason{}, false
		}
	}
	switch {
	case p.phase == phaseOffer && offer:
		return games.Because("LC-9", "loyal-captain.refuse.offer"), true
	case p.phase == phaseOffer:
		return games.Because("LC-9", "loyal-captain.refuse.offer-first"), true
	case p.phase == phaseChoose:
		return games.Because("LC-9", "loyal-captain.refuse.choose-first"), true
	case p.phase == phaseAnswer:
		return games.Because("LC-8", "loyal-captain.refuse.answer-first", "Who", text.Player(p.seat(p.mover))), true
	case typed == "propose" && p.left > 0:
		return games.Because("LC-8", "loyal-captain.refuse.counting", "Color", text.ColorOf(p.refuser), "Count",
			int(p.left)), true
	case typed == "propose":
		return games.Because("LC-8", "loyal-captain.refuse.early", "Turns", quietTurns, "Count", int(p.quiet)), true
	case typed == "accept" || typed == "refuse":
		return games.Because("LC-8", "loyal-captain.refuse.nothing-proposed"), true
	case typed == "red" || typed == "blue" || offer:
		return games.Because("LC-9", "loyal-captain.refuse.settled"), true
	case typed == "pass":
		return games.Because("LC-2", "loyal-captain.refuse.pass"), true
	case t.From == 0:
		return p.refusePlacing(t.Place), true
	default:
		return p.refuseStep(t), true
	}
}

func (p *position) refusePlacing(number int) games.Reason {
	if why, ok := deck.Placing("LC-2", number, p.empty()); ok {
		return why
	}
	return games.Because("LC-2", "loyal-captain.refuse.no-reserve", "Color", text.ColorOf(p.mover))
}

func (p *position) refuseStep(t deck.Typed) games.Reason {
	for _, n := range [2]int{t.From, max(t.To, 1)} {
		if why, ok := deck.NoSpace(n); ok {
			return why
		}
	}
	from, to := deck.Space(t.From-1), deck.Space(t.To-1)
	switch {
	case p.on[p.mover.other()].Has(from):
		return games.Because("LC-2", "loyal-captain.refuse.theirs", "Space", from.String(), "Color",
			text.ColorOf(p.mover.other()), "Own", text.ColorOf(p.mover))
	case !p.on[p.mover].Has(from):
		return games.Because("LC-2", "loyal-captain.refuse.nobody", "Space", from.String())
	case t.To == 0:
		return games.Because("LC-2", "loyal-captain.refuse.hemmed", "Space", from.String())
	}
	if why, ok := deck.NoStep(from, p.backOf(p.mover, from), to); ok {
		return why
	}
	if t.Takes {
		return games.Because("LC-4", "loyal-captain.refuse.surround")
	}
	return games.Because("LC-2", "loyal-captain.refuse.taken", "Space", to.String())
}
