package madagascar

import (
	"marque/games"
	"marque/games/text"
	"marque/render/scene"
)

func (s state) Tell(m games.Move) text.Message                          { return text.M("madagascar.tell.pass") }
func (s state) Scene(viewer games.Seat, trail []games.Step) scene.Scene { return scene.Scene{} }
