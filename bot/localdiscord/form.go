package localdiscord

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// form reads the fields of a request's JSON object, and collects the errors that Discord would report. A value of the
// wrong type is refused even in an optional field. Unknown fields are ignored.
type form struct {
	at   string // dotted path of this object, "" at the root
	m    map[string]any
	errs formErrors
}

func (f form) path(key string) string {
	if f.at == "" || key == "" {
		return f.at + key
	}
	return f.at + "." + key
}

func (f form) fail(key, code, format string, args ...any) {
	f.errs.add(f.path(key), code, format, args...)
}

// has reports whether the field is present, even as null.
func (f form) has(key string) bool { _, ok := f.m[key]; return ok }

func (f form) required(key string) bool {
	if v, ok := f.m[key]; !ok || v == nil {
		f.fail(key, "BASE_TYPE_REQUIRED", "This field is required")
		return false
	}
	return true
}

// str reads a string of min to max characters. An absent or null field is "" and not an error.
func (f form) str(key string, min, max int) string {
	v, ok := f.m[key]
	if !ok || v == nil {
		return ""
	}
	s, ok := v.(string)
	if !ok {
		f.fail(key, "STRING_TYPE_CONVERT", "Could not interpret \"%v\" as string.", v)
		return ""
	}
	f.length(key, units(s), min, max)
	return s
}

func (f form) length(key string, n, min, max int) {
	switch {
	case n >= min && n <= max:
	case min == 0:
		f.fail(key, "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", max)
	default:
		f.fail(key, "BASE_TYPE_BAD_LENGTH", "Must be between %d and %d in length.", min, max)
	}
}

// number reads a number from min to max. Like Discord, it accepts a string that contains a number.
func (f form) number(key string, min, max float64) (float64, bool) {
	v, ok := f.m[key]
	if !ok || v == nil {
		return 0, false
	}
	n, ok := v.(float64)
	if s, isString := v.(string); isString {
		parsed, err := strconv.ParseFloat(s, 64)
		n, ok = parsed, err == nil
	}
	if !ok {
		f.fail(key, "NUMBER_TYPE_COERCE", "Value \"%v\" is not int.", v)
		return 0, false
	}
	if n < min {
		f.fail(key, "NUMBER_TYPE_MIN", "Value should be greater than or equal to %v.", min)
	}
	if n > max {
		f.fail(key, "NUMBER_TYPE_MAX", "Value should be less than or equal to %v.", max)
	}
	return n, true
}

func (f form) integer(key string, min, max int) (int, bool) {
	n, ok := f.number(key, float64(min), float64(max))
	if ok && n != math.Trunc(n) {
		f.fail(key, "NUMBER_TYPE_COERCE", "Value \"%v\" is not int.", n)
		return 0, false
	}
	return int(n), ok
}

func (f form) boolean(key string) (value, ok bool) {
	v, there := f.m[key]
	if !there || v == nil {
		return false, false
	}
	b, ok := v.(bool)
	if !ok {
		f.fail(key, "BOOLEAN_TYPE_CONVERT", "Must be either true or false.")
	}
	return b, ok
}

// object reads a nested object. It returns false if the field is absent, null or of another type.
func (f form) object(key string) (form, bool) {
	v, there := f.m[key]
	if !there || v == nil {
		return form{}, false
	}
	return f.asObject(f.path(key), v)
}

func (f form) asObject(path string, v any) (form, bool) {
	m, ok := v.(map[string]any)
	if !ok {
		f.errs.add(path, "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType")
		return form{}, false
	}
	return form{at: path, m: m, errs: f.errs}, true
}

// list reads an array with min to max elements. An absent or null field is nil and not an error.
func (f form) list(key string, min, max int) []any {
	v, there := f.m[key]
	if !there || v == nil {
		return nil
	}
	l, ok := v.([]any)
	if !ok {
		f.fail(key, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
		return nil
	}
	f.length(key, len(l), min, max)
	return l
}

// objects reads an array of objects.
func (f form) objects(key string, min, max int) []form {
	list := f.list(key, min, max)
	out := make([]form, 0, len(list))
	for i, v := range list {
		if o, ok := f.asObject(f.path(key)+"."+strconv.Itoa(i), v); ok {
			out = append(out, o)
		}
	}
	return out
}

var snowflakePattern = regexp.MustCompile(`^[0-9]{1,20}$`)

// snowflakes reads an array of ids.
func (f form) snowflakes(key string, max int) []string {
	list := f.list(key, 0, max)
	out := make([]string, 0, len(list))
	for i, v := range list {
		id, ok := v.(string)
		if !ok || !snowflakePattern.MatchString(id) {
			f.errs.add(f.path(key)+"."+strconv.Itoa(i), "NUMBER_TYPE_COERCE", "Value \"%v\" is not snowflake.", v)
			continue
		}
		out = append(out, id)
	}
	return out
}

func (f form) oneOf(key string, value int, allowed ...int) bool {
	for _, a := range allowed {
		if a == value {
			return true
		}
	}
	names := make([]string, len(allowed))
	for i, a := range allowed {
		names[i] = strconv.Itoa(a)
	}
	f.fail(key, "BASE_TYPE_CHOICES", "Value must be one of {%s}.", strings.Join(names, ", "))
	return false
}
