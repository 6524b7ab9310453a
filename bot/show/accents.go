package show

import (
	"marque/bot/table"
	"marque/games"
	"marque/games/scene"
)

// playerAccents are the colours of messages' edges for the colours of players, in the order of scene.Color, which
// begins with 1. They are similar to the players' colours in the themes.
var playerAccents = [...]int{0xC8383B, 0x2F6DB5, 0x3E9B56, 0xD9A520, 0x7D4FA8}

// AccentOf returns the colour of a seat on a table's board. It returns Accent before the game has started, and if there
// is no such seat or the seat has no colour.
func AccentOf(snap *table.Snapshot, seat games.Seat) int {
	if seat < 0 || !snap.HasStarted() {
		return Accent
	}
	return AccentIn(SceneAt(snap, games.Spectator, snap.Plays, snap.Plays), seat)
}

// AccentIn returns the colour of a seat in a scene, or Accent if the seat has none.
func AccentIn(sc scene.Scene, seat games.Seat) int {
	if seat >= 0 && int(seat) < len(sc.Panels) {
		if c := sc.Panels[seat].Color; c > scene.NoColor && int(c) <= len(playerAccents) {
			return playerAccents[c-1]
		}
	}
	return Accent
}
