package storage

import "marque/storage/kv"

// Kinds are the names of the kinds of things that are kept.
func Kinds() []string {
	var list []string
	for _, x := range kept {
		list = append(list, x.name(key{}))
	}
	return list
}

// KindOf is the name of the kind of a key; "" for none, or an entry of an index.
func KindOf(space kv.Space, b []byte) string {
	x, _ := find(space, b)
	if x == nil {
		return ""
	}
	return x.name(key{})
}
