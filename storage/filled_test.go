package storage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"

	"marque/storage/kv"
)

// Filled returns a value of every declared kind. No field of a value and no part of its key is empty. The values do not
// fit together.
func Filled() (list []kv.Change, err error) {
	for _, x := range kinds {
		c, err := x.(interface{ filled() (kv.Change, error) }).filled()
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// Mentioning returns the kinds whose values still mention a forgotten user in a text written by somebody else.
func Mentioning() (list []string, err error) {
	for _, x := range kinds {
		stays, err := x.(interface {
			mentions(user string) (bool, error)
		}).mentions("0815")
		if err != nil {
			return nil, err
		}
		if stays {
			list = append(list, x.name(key{}))
		}
	}
	return list, nil
}

func (x *kind[V]) mentions(user string) (bool, error) {
	var v V
	if err := (filling{user, "see " + user}).fill(reflect.ValueOf(&v).Elem()); err != nil {
		return false, err
	}
	after, _ := x.forget(&forgotten{user: user, as: Departed + "1"}, key{}, v)
	b, err := x.encode(after)
	return bytes.Contains(b, []byte("see "+user)), err
}

func (x *kind[V]) filled() (kv.Change, error) {
	k := key{
		server: "filled", user: "filled", channel: "filled", game: "filled", month: "2026-11", name: "filled",
		of:     "filled",
		player: "filled", table: 1 << 20, other: 7, moment: 7, slot: 7, number: 7, season: 7, gameNumber: 7, place: 7,
		less:   7,
		games:  7,
		solved: 7, first: 7, plays: 7, half: 1, persons: 'p',
	}
	var v V
	if err := (filling{"filled", "filled"}).fill(reflect.ValueOf(&v).Elem()); err != nil {
		return kv.Change{}, fmt.Errorf("%s: %w", x.name(k), err)
	}
	at, raw, err := x.seal(k, v)
	return kv.Change{Key: at, Value: raw}, err
}

// filling holds the texts that values are filled with: word for most strings, and written for texts that people write.
type filling struct{ word, written string }

// fill fills a value, and every value in it, recursively.
func (f filling) fill(v reflect.Value) error {
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		v.SetBytes([]byte(`{"a":1}`))
		return nil
	}
	if read, ok := v.Addr().Interface().(json.Unmarshaler); ok {
		return read.UnmarshalJSON([]byte(`"filled"`))
	}
	if read, ok := v.Addr().Interface().(interface{ UnmarshalText([]byte) error }); ok {
		return read.UnmarshalText([]byte(f.written))
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString(f.word)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(1)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(math.Pi)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return f.fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		return f.fill(v.Index(0))
	case reflect.Array:
		for i := range v.Len() {
			if err := f.fill(v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		if err := f.fill(k); err != nil {
			return err
		}
		if err := f.fill(e); err != nil {
			return err
		}
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(k, e)
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Field(i); field.CanSet() {
				if err := f.fill(field); err != nil {
					return fmt.Errorf("%s: %w", v.Type().Field(i).Name, err)
				}
			}
		}
	default:
		return fmt.Errorf("nothing fills a %s", v.Type())
	}
	return nil
}
