package piratevspirate

import (
	"cmp"
	"slices"
	"sync"
)

// routeTable holds every path of at most longest steps from every triangle, without visiting a triangle twice (PP-5,
// PP-6), so that moves are found by scanning bit sets. Paths with the same inside, end and last step share one entry.
type routeTable struct {
	// inside has the triangles between start and end of each path.
	inside []set
	// entered has the side through which each path enters its last triangle.
	entered []edge
	// ends lists, for each start and length, the triangles that can be reached on an empty board, in ascending order.
	ends []end
	// of has the range of indexes into ends for each start and length.
	of [triangles][longest + 1]span
	// passed has the triangles inside any path of a start and a length.
	passed [triangles][longest + 1]set
}

// end is a triangle with the paths that lead to it.
type end struct {
	to    triangle
	paths span
	// some is the union of the insides of all paths, and every is their intersection. Most questions are answered by
	// these two.
	some, every set
}

// span is a half-open range of indexes.
type span struct{ first, end uint32 }

// routes builds the table, which takes about a megabyte, on the first call.
var routes = sync.OnceValue(func() *routeTable {
	table := &routeTable{}
	for from := range nowhere {
		var found [longest + 1][]route
		collect(&found, from, set{}.with(from), set{}, 1)
		for length := 1; length <= longest; length++ {
			table.add(from, length, found[length])
		}
	}
	return table
})

// route is a path while the table is being built.
type route struct {
	to      triangle
	inside  set
	entered edge
}

// collect finds all paths that continue from t. The next step has number length.
func collect(found *[longest + 1][]route, t triangle, visited, inside set, length int) {
	for e, to := range neighbours[t] {
		if to == nowhere || visited.has(to) {
			continue
		}
		found[length] = append(found[length], route{to, inside, edge(e).facing()})
		if length < longest {
			collect(found, to, visited.with(to), inside.with(to), length+1)
		}
	}
}

// add puts the paths of one start and length into the table.
func (table *routeTable) add(from triangle, length int, list []route) {
	slices.SortFunc(list, func(a, b route) int {
		return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.inside.lo, b.inside.lo),
			cmp.Compare(a.inside.hi, b.inside.hi), cmp.Compare(a.entered, b.entered))
	})
	list = slices.Compact(list)
	ends := span{first: uint32(len(table.ends))}
	for i, r := range list {
		if i == 0 || r.to != list[i-1].to {
			table.ends = append(table.ends, end{to: r.to, paths: span{first: uint32(len(table.inside))},
				every: r.inside})
		}
		table.inside = append(table.inside, r.inside)
		table.entered = append(table.entered, r.entered)
		e := &table.ends[len(table.ends)-1]
		e.paths.end = uint32(len(table.inside))
		e.some, e.every = e.some.or(r.inside), e.every.and(r.inside)
		table.passed[from][length] = table.passed[from][length].or(r.inside)
	}
	ends.end = uint32(len(table.ends))
	table.of[from][length] = ends
}

// open reports whether a path to e has no blocked triangle between its start and its end.
func (table *routeTable) open(e *end, blocked set) bool {
	if !e.some.meets(blocked) {
		return true
	}
	if e.every.meets(blocked) {
		return false
	}
	for _, in := range table.inside[e.paths.first:e.paths.end] {
		if !in.meets(blocked) {
			return true
		}
	}
	return false
}

// past reports whether a path to e passes this coin, no other coin and no pirate. The path's end does not count.
func (table *routeTable) past(e *end, pirates, coins, coin set) bool {
	if !e.some.meets(coin) {
		return false
	}
	for _, in := range table.inside[e.paths.first:e.paths.end] {
		if in.and(coins) == coin && !in.meets(pirates) {
			return true
		}
	}
	return false
}

// openPast reports whether a path to e has no blocked triangle between its start and its end, and does not cross the
// side back with its last step (PP-12).
func (table *routeTable) openPast(e *end, blocked set, back edge) bool {
	for i := e.paths.first; i < e.paths.end; i++ {
		if table.entered[i] != back && !table.inside[i].meets(blocked) {
			return true
		}
	}
	return false
}
