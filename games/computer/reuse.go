package computer

import (
	"bytes"
	"reflect"
	"slices"

	"marque/games"
)

// The search results below a position are reused if the game reaches that position, except by beginners. After dice
// they are not reused, because each position has too few visits. With hidden hands they are not reused, because they
// assume cards that can have been ruled out since.

const (
	// reach is the maximum number of moves between two decisions of a player whose tree is reused.
	reach = 8
	// comparisons is the maximum number of positions that are compared with the new position.
	comparisons = 512
)

// locate returns the moves that lead from before, the position at the roots of the trees, to the position of v.
func locate(trees []*tree, before games.State, v games.View) ([]games.Move, bool) {
	if before == nil || len(trees) == 0 || len(trees[0].nodes) == 0 || trees[0].redealer != nil ||
		reflect.TypeOf(before) != reflect.TypeOf(v.State) {
		return nil, false
	}
	return trees[0].find(before, v.State)
}

// advance makes the position after the given moves the root of every tree that contains search results for it. It
// clears all other trees.
func advance(trees []*tree, moves []games.Move) {
	for _, t := range trees {
		if at, ok := t.follow(moves); ok {
			// Keep half of the space for new nodes.
			t.replant(at, maxNodes/2)
		} else {
			t.clear()
		}
	}
}

// line is a path from the root that can lead to the wanted position.
type line struct {
	node  int32
	state games.State
	moves []games.Move
}

// find searches the tree for the position wanted, nearest nodes first. The root has the position from. find returns the
// moves from the root to the position wanted.
func (t *tree) find(from, wanted games.State) ([]games.Move, bool) {
	want, err := wanted.MarshalJSON()
	if err != nil {
		return nil, false
	}
	lines := []line{{node: root, state: from}}
	for looked := 0; len(lines) > 0 && looked < comparisons; looked++ {
		l := lines[0]
		lines = lines[1:]
		if l.state.ToMove() == wanted.ToMove() {
			if is, err := l.state.MarshalJSON(); err == nil && bytes.Equal(is, want) {
				return l.moves, true
			}
		}
		if l.state.ToMove() == games.Chance || len(l.moves) == reach {
			continue
		}
		for i := t.nodes[l.node].first; i != none; i = t.nodes[i].next {
			if t.nodes[i].first != none {
				lines = append(lines, line{i, l.state.Apply(t.nodes[i].move),
					append(l.moves[:len(l.moves):len(l.moves)], t.nodes[i].move)})
			}
		}
	}
	return nil, false
}

// follow returns the node after the given moves from the root, if the tree contains search results below that node.
func (t *tree) follow(moves []games.Move) (int32, bool) {
	if len(t.nodes) == 0 {
		return none, false
	}
	at := int32(root)
	for _, m := range moves {
		i := t.nodes[at].first
		for i != none && t.nodes[i].move != m {
			i = t.nodes[i].next
		}
		if i == none {
			return none, false
		}
		at = i
	}
	return at, t.nodes[at].first != none
}

// replant makes the node with the index at the root, and removes all nodes that are not below this node. While more
// nodes than most remain, it removes the children of seldom visited nodes.
func (t *tree) replant(at int32, most int) {
	kept := t.mark(at, 0)
	for least := int32(1); kept > most; least *= 2 {
		kept = t.mark(at, least)
	}
	for i := int(at); i < len(t.nodes); i++ {
		if t.places[i] == none && i != int(at) {
			continue
		}
		n := t.nodes[i]
		n.first, n.next = t.places[n.first], t.places[n.next]
		if n.first == none {
			n.width = 0 // makes the search expand it again
		}
		t.nodes[t.places[i]] = n
	}
	t.nodes[root].next = none
	t.nodes = t.nodes[:kept]
}

// mark sets places to the new index of every kept node below at, and to none for all other nodes. It returns the number
// of kept nodes. Nodes with fewer than least visits lose their children. A child comes after its parent, so a single
// pass suffices.
func (t *tree) mark(at int32, least int32) int {
	if cap(t.places) < len(t.nodes) {
		t.places = make([]int32, len(t.nodes))
	}
	t.places = t.places[:len(t.nodes)]
	clear(t.places)
	const stays = -1
	t.places[at] = stays
	kept := int32(0)
	for i := at; int(i) < len(t.nodes); i++ {
		if t.places[i] != stays {
			continue
		}
		t.places[i] = kept
		kept++
		if n := &t.nodes[i]; n.visits >= least {
			for j := n.first; j != none; j = t.nodes[j].next {
				t.places[j] = stays
			}
		}
	}
	return int(kept)
}

// shrink releases the tree's unused capacity.
func (t *tree) shrink() {
	t.nodes = slices.Clip(slices.Clone(t.nodes))
	t.places = nil
}
