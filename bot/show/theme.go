package show

import (
	"context"

	"marque/render"
)

type themeKey struct{}

// WithTheme returns a context whose pictures have a theme. The theme is the first of the keys that names one.
func WithTheme(ctx context.Context, keys ...string) context.Context {
	for _, k := range keys {
		if t, ok := render.ParseTheme(k); ok && k != "" {
			return context.WithValue(ctx, themeKey{}, t)
		}
	}
	return ctx
}

// ThemeOf returns the theme of ctx, or render.Dark if it has none.
func ThemeOf(ctx context.Context) render.Theme {
	t, _ := ctx.Value(themeKey{}).(render.Theme)
	return t
}
