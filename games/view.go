package games

// View is a position as one viewer may see it. Presenters and computer players only get Views.
type View struct {
	State  State // masked for Viewer
	Viewer Seat  // a seat, or Spectator
}

// Look returns the view of a full state for a viewer.
func Look(s State, viewer Seat) View { return View{State: Mask(s, viewer), Viewer: viewer} }

// Mine reports whether the viewer is to move.
func (v View) Mine() bool { return v.Viewer >= 0 && v.State.ToMove() == v.Viewer }
