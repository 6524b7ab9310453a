package show

import (
	"context"

	"marque/render"
)

type themeKey struct{}

// WithTheme chooses the theme of the pictures painted for ctx: that of the first key that is a theme's.
func WithTheme(ctx context.Context, keys ...string) context.Context {
	for _, k := range keys {
		if t, ok := render.ParseTheme(k); ok && k != "" {
			return context.WithValue(ctx, themeKey{}, t)
		}
	}
	return ctx
}

// ThemeOf is the theme that was chosen for ctx; render.Dark when none was.
func ThemeOf(ctx context.Context) render.Theme {
	t, _ := ctx.Value(themeKey{}).(render.Theme)
	return t
}
