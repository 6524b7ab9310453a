package render

import (
	"image/color"
	"math"

	"marque/games/scene"
)

// Theme is a set of colours. The zero Theme is Dark, Discord's default.
type Theme int

// The themes.
const (
	Dark     Theme = iota // lamplight, for Discord's dark background
	Light                 // noon, for Discord's light background
	Safe                  // player colours with strong contrast, even for people who lack a type of cone
	Contrast              // black, white and strong colours
)

// Themes returns all themes, in the order in which menus show them.
func Themes() []Theme { return []Theme{Dark, Light, Safe, Contrast} }

// String returns the theme's key in options and file names.
func (t Theme) String() string {
	switch t {
	case Light:
		return "light"
	case Safe:
		return "safe"
	case Contrast:
		return "contrast"
	default:
		return "dark"
	}
}

// ParseTheme returns the theme with this key, and whether there is one.
func ParseTheme(key string) (Theme, bool) {
	for _, t := range Themes() {
		if t.String() == key {
			return t, true
		}
	}
	return Dark, false
}

// players is the number of player colours.
const players = 5

// paints are the colours of a theme.
type paints struct {
	canvas     color.RGBA // background of the picture
	plaque     color.RGBA // panels
	plaqueEdge color.RGBA
	text       color.RGBA // on plaques
	quiet      color.RGBA // less prominent text on plaques
	ink        color.RGBA // lines and letters on light backgrounds
	chalk      color.RGBA // lines and letters on dark backgrounds
	wood       color.RGBA
	hull       color.RGBA
	sea        color.RGBA
	seaAlt     color.RGBA
	parchment  color.RGBA
	parchAlt   color.RGBA
	sand       color.RGBA
	sandAlt    color.RGBA
	brass      color.RGBA
	rope       color.RGBA
	felt       color.RGBA
	gold       color.RGBA
	silver     color.RGBA
	danger     color.RGBA // crosses and threats
	skin       color.RGBA
	oak        color.RGBA
	teak       color.RGBA
	driftwood  color.RGBA
	strait     color.RGBA
	lagoon     color.RGBA
	player     [players]color.RGBA
	outline    float64 // factor for the widths of outlines
	faint      float64 // opacity of quiet labels and lines
}

// designed returns the colours that every palette contains exactly. The first one is the canvas.
func (p *paints) designed() []color.RGBA {
	return append([]color.RGBA{p.canvas, p.plaque, p.plaqueEdge, p.text, p.quiet, p.ink, p.chalk, p.wood, p.hull, p.sea,
		p.seaAlt, p.parchment, p.parchAlt,
		p.sand, p.sandAlt, p.brass, p.rope, p.felt, p.gold, p.silver, p.danger, p.skin}, p.player[:]...)
}

// of returns the paint of a player colour. The paint of NoColor is a mixture of parchment and ink.
func (p *paints) of(c scene.Color) color.RGBA {
	if c <= scene.NoColor || c > players {
		return mix(p.parchAlt, p.ink, 0.35)
	}
	return p.player[c-1]
}

// edge returns the colour of the outline of a thing of colour c on a plaque: ink, or the text colour if c is about as
// bright as the plaque.
func (p *paints) edge(c color.RGBA) color.RGBA {
	if math.Abs(luminance(c)-luminance(p.plaque)) < 0.15 {
		return p.text
	}
	return p.ink
}

// palettes returns the paints of every theme.
func palettes() map[Theme]*paints {
	dark := &paints{
		canvas: hex(0x313338), plaque: hex(0x3d322a), plaqueEdge: hex(0x8a6a3c), text: hex(0xf4e8cf),
		quiet: hex(0xc9b793),
		ink:   hex(0x2a1d14), chalk: hex(0xefe0bf),
		wood: hex(0x7d5636), hull: hex(0x4a2f1e), sea: hex(0x1f4557), seaAlt: hex(0x285164), parchment: hex(0xdfcba0),
		parchAlt: hex(0xc9b182),
		sand:     hex(0xc8ab74), sandAlt: hex(0xb4955f), brass: hex(0xc39a4a), rope: hex(0xc2a878), felt: hex(0x24473c),
		gold: hex(0xf2c53d), silver: hex(0xd5dbe0), danger: hex(0xd8342c), skin: hex(0xe8b98c),
		oak: hex(0x7d5b3a), teak: hex(0x6f3723), driftwood: hex(0x625e55), strait: hex(0x1d4f41), lagoon: hex(0x1d6a72),
		player:  [players]color.RGBA{hex(0xd62f20), hex(0x2a6de2), hex(0x55bb80), hex(0xfbdf3a), hex(0x51227c)},
		outline: 1, faint: 0.6,
	}
	light := *dark
	light.canvas, light.plaque, light.plaqueEdge, light.text, light.quiet = hex(0xffffff), hex(0xf5e9cc), hex(0xa5793a),
		hex(0x33241a), hex(0x6d573f)
	light.wood, light.hull, light.sea, light.seaAlt = hex(0xc99a62), hex(0x85552f), hex(0x86c3c9), hex(0x77b6bf)
	light.parchment, light.parchAlt, light.sand, light.sandAlt = hex(0xf6e8c6), hex(0xe6d0a0), hex(0xf0d9a4),
		hex(0xdfc185)
	light.oak, light.teak, light.driftwood, light.strait, light.lagoon = hex(0xdcb77f), hex(0xc27a4c), hex(0xb9b3a2),
		hex(0x8cc7a0), hex(0x7fd3d6)
	light.brass, light.rope, light.felt = hex(0xc8993f), hex(0xf4e6c4), hex(0x4f8a74)

	safe := light
	safe.sea, safe.seaAlt = hex(0xc6d3df), hex(0xb5c6d5) // different from the players' blue and green
	safe.strait, safe.lagoon = hex(0xd8d9bd), hex(0xc2e3e4)
	safe.player = [players]color.RGBA{hex(0x9e2612), hex(0x3f66da), hex(0x7ad3b4), hex(0xfff32e), hex(0x2c104d)}

	contrast := light
	contrast.canvas, contrast.plaque, contrast.plaqueEdge, contrast.text, contrast.quiet = hex(0x000000), hex(0x000000),
		hex(0xffffff), hex(0xffffff), hex(0xffffff)
	contrast.ink, contrast.chalk = hex(0x000000), hex(0xffffff)
	contrast.wood, contrast.hull, contrast.sea, contrast.seaAlt = hex(0xf0dfc4), hex(0x2b1a0e), hex(0xd5ecf5),
		hex(0xbfe0ee)
	contrast.parchment, contrast.parchAlt, contrast.sand, contrast.sandAlt = hex(0xffffff), hex(0xeee8d8),
		hex(0xfff3cf), hex(0xf0dca0)
	contrast.oak, contrast.teak, contrast.driftwood, contrast.strait, contrast.lagoon = hex(0xf3e2c0), hex(0xf0c6a2),
		hex(0xdcdedb), hex(0xcdeccf), hex(0xc4f0ee)
	contrast.brass, contrast.rope, contrast.felt = hex(0x8a5a00), hex(0x6b4a1e), hex(0x0f3d2e)
	contrast.gold, contrast.silver, contrast.danger = hex(0xffc800), hex(0xe8eef2), hex(0xd00000)
	contrast.player = [players]color.RGBA{hex(0xd11507), hex(0x1f60dd), hex(0x52c48c), hex(0xffe62e), hex(0x43116b)}
	contrast.outline, contrast.faint = 1.5, 0.9
	return map[Theme]*paints{Dark: dark, Light: &light, Safe: &safe, Contrast: &contrast}
}

func hex(v uint32) color.RGBA {
	return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 255}
}

// mix returns a mixture of a and b. t is the fraction of b.
func mix(a, b color.RGBA, t float64) color.RGBA {
	m := func(x, y uint8) uint8 { return uint8(float64(x) + (float64(y)-float64(x))*t + 0.5) }
	return color.RGBA{R: m(a.R, b.R), G: m(a.G, b.G), B: m(a.B, b.B), A: 255}
}

func darker(c color.RGBA, t float64) color.RGBA  { return mix(c, hex(0x100804), t) }
func lighter(c color.RGBA, t float64) color.RGBA { return mix(c, hex(0xfffaf0), t) }

// luminance returns the brightness of c, from 0 to 1 (Rec. 709 weights on the encoded values).
func luminance(c color.RGBA) float64 {
	return (0.2126*float64(c.R) + 0.7152*float64(c.G) + 0.0722*float64(c.B)) / 255
}
