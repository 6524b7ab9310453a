package render

import (
	"image/color"
	"math"
	"testing"

	"marque/games/scene"
)

// visions are matrices on linear RGB for people who lack one type of cone. Protanopia and deuteranopia follow Viénot,
// Brettel and Mollon (1999), tritanopia follows Machado, Oliveira and Fernandes (2009).
var visions = []struct {
	name string
	m    [3][3]float64
}{
	{"trichromacy", [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
	{"protanopia", [3][3]float64{{0.11238, 0.88762, 0}, {0.11238, 0.88762, 0}, {0.00401, -0.00401, 1}}},
	{"deuteranopia", [3][3]float64{{0.29275, 0.70725, 0}, {0.29275, 0.70725, 0}, {-0.02234, 0.02234, 1}}},
	{"tritanopia", [3][3]float64{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}},
}

// lab converts a colour, seen through m, to CIELAB (D65).
func lab(c color.RGBA, m [3][3]float64) [3]float64 {
	linear := func(v uint8) float64 {
		f := float64(v) / 255
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	in := [3]float64{linear(c.R), linear(c.G), linear(c.B)}
	var rgb [3]float64
	for i := range 3 {
		for j := range 3 {
			rgb[i] += m[i][j] * in[j]
		}
		rgb[i] = min(max(rgb[i], 0), 1)
	}
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	x := f((0.4124564*rgb[0] + 0.3575761*rgb[1] + 0.1804375*rgb[2]) / 0.95047)
	y := f(0.2126729*rgb[0] + 0.7151522*rgb[1] + 0.0721750*rgb[2])
	z := f((0.0193339*rgb[0] + 0.1191920*rgb[1] + 0.9503041*rgb[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// ciede2000 returns the colour difference of ISO/CIE 11664-6.
func ciede2000(p, q [3]float64) float64 {
	c1, c2 := math.Hypot(p[1], p[2]), math.Hypot(q[1], q[2])
	c7 := math.Pow((c1+c2)/2, 7)
	g := 0.5 * (1 - math.Sqrt(c7/(c7+math.Pow(25, 7))))
	a1, a2 := (1+g)*p[1], (1+g)*q[1]
	c1, c2 = math.Hypot(a1, p[2]), math.Hypot(a2, q[2])
	hue := func(b, a float64) float64 {
		if a == 0 && b == 0 {
			return 0
		}
		return math.Mod(math.Atan2(b, a)*180/math.Pi+360, 360)
	}
	h1, h2 := hue(p[2], a1), hue(q[2], a2)
	dh, hm := h2-h1, (h1+h2)/2
	switch {
	case c1*c2 == 0:
		dh, hm = 0, h1+h2
	case math.Abs(h1-h2) > 180:
		if h2 <= h1 {
			dh += 360
		} else {
			dh -= 360
		}
		if h1+h2 < 360 {
			hm += 180
		} else {
			hm -= 180
		}
	}
	rad := math.Pi / 180
	dL, dC, dH := q[0]-p[0], c2-c1, 2*math.Sqrt(c1*c2)*math.Sin(dh/2*rad)
	lm, cm := (p[0]+q[0])/2, (c1+c2)/2
	t := 1 - 0.17*math.Cos((hm-30)*rad) + 0.24*math.Cos(2*hm*rad) + 0.32*math.Cos((3*hm+6)*rad) - 0.20*math.Cos(
		(4*hm-63)*rad)
	sl := 1 + 0.015*(lm-50)*(lm-50)/math.Sqrt(20+(lm-50)*(lm-50))
	sc, sh := 1+0.045*cm, 1+0.015*cm*t
	cm7 := math.Pow(cm, 7)
	rt := -math.Sin(60*math.Exp(-(hm-275)*(hm-275)/625)*rad) * 2 * math.Sqrt(cm7/(cm7+math.Pow(25, 7)))
	return math.Sqrt(dL/sl*dL/sl + dC/sc*dC/sc + dH/sh*dH/sh + rt*dC/sc*dH/sh)
}

// closest returns the minimum difference between two of the colours for any vision.
func closest(c [players]color.RGBA) (least float64, vision string, a, b scene.Color) {
	least = math.Inf(1)
	for _, v := range visions {
		for i := range c {
			for j := range i {
				if d := ciede2000(lab(c[i], v.m), lab(c[j], v.m)); d < least {
					least, vision, a, b = d, v.name, scene.ColorOf(j), scene.ColorOf(i)
				}
			}
		}
	}
	return least, vision, a, b
}

// TestCIEDE2000 checks the formula against pairs of Sharma, Wu and Dalal (2005), table 1.
func TestCIEDE2000(t *testing.T) {
	for _, c := range []struct {
		p, q [3]float64
		want float64
	}{
		{[3]float64{50, 2.6772, -79.7751}, [3]float64{50, 0, -82.7485}, 2.0425},
		{[3]float64{50, 2.5, 0}, [3]float64{73, 25, -18}, 27.1492},
		{[3]float64{60.2574, -34.0099, 36.2677}, [3]float64{60.4626, -34.1751, 39.4387}, 1.2644},
		{[3]float64{2.0776, 0.0795, -1.1350}, [3]float64{0.9033, -0.0636, -0.5514}, 0.9082},
	} {
		if got := ciede2000(c.p, c.q); math.Abs(got-c.want) > 1e-4 {
			t.Errorf("ciede2000(%v, %v) = %.4f, want %.4f", c.p, c.q, got, c.want)
		}
	}
}

// TestPlayersAreToldApartByEveryEye checks the player colours for people with all cones and for those who lack one
// type. A difference of 10 is visible at a glance, side by side. All themes clearly exceed this limit, and Safe doubles
// it. (Shapes also distinguish players.)
func TestPlayersAreToldApartByEveryEye(t *testing.T) {
	for theme, p := range palettes() {
		want := 15.0
		if theme == Safe {
			want = 24
		}
		d, vision, a, b := closest(p.player)
		t.Logf("%v: least difference %.1f, %v and %v with %s", theme, d, a.Letter(), b.Letter(), vision)
		if d < want {
			t.Errorf("%v: %v and %v differ by %.1f with %s, want at least %.0f", theme, a.Letter(), b.Letter(), d,
				vision, want)
		}
	}
}
