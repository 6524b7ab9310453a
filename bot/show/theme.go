package show

import (
	"context"

	"marque/render"
)

type themeKey struct{}

// WithTheme returns a context with a theme for pictures. The first key that names a theme decides.
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
