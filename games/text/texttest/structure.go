// Package texttest finds Discord's markup in a text, for tests, and provides hostile names that try to become markup.
package texttest

import (
	"regexp"
	"strings"
)

// Hostile holds names that could act as markup in Discord, on a terminal or in a template, or deceive a reader, if
// they were used as typed.
var Hostile = []string{
	"[Free Nitro](https://evil.example)", "```", "`x`", "``x``", "@everyone", "@here", "<@1>", "<@!1>", "<@&1>",
	"<#1>", "</play:1>", "<:x:1>", "<t:1:R>", "<id:browse>", "https://evil.example", "<https://evil.example>",
	"discord.gg/evil", "DISCORD.GG/evil", "discord.com/invite/evil", "steam://run/1", "# x", "-# x", "> x", ">>> x",
	"- x", "* x", "+ x", "-", "1.", "1. x", "1) x", "**x**", "__x__", "_x_", "~~x~~", "||x||", "\\", "x\\", "x\n# y",
	"x\r\n> y", "\u202ex", "\x1b]8;;https://evil.example\x07x", "{{.Who}}", "](https://evil.example)", "[",
}

// blocks holds the markup that Discord recognizes only at the beginning of a line.
var blocks = []struct {
	kind string
	at   *regexp.Regexp
}{
	{"heading", regexp.MustCompile(`^#{1,3}\s+\S`)},
	{"subtext", regexp.MustCompile(`^-#\s+\S`)},
	{"quote", regexp.MustCompile(`^>(>>)?\s`)},
	{"list", regexp.MustCompile(`^\s*([-*+]|\d+[.)])\s+\S`)},
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// inline holds the markup that Discord recognizes anywhere in a line, each with its beginning. The first match counts.
var inline = []struct {
	kind, begins string
	at           *regexp.Regexp
}{
	{"escape", `\`, regexp.MustCompile(`^\\[^0-9A-Za-z\s]`)},
	{"fence", "`", regexp.MustCompile("^```")},
	{"code", "`", regexp.MustCompile("^(``.+?``|`[^`]+`)")},
	{"masked link", "[", regexp.MustCompile(`^\[[^\n]*?\]\([^\s)]+\)`)},
	{"user", "<", regexp.MustCompile(`^<@!?\d+>`)},
	{"role", "<", regexp.MustCompile(`^<@&\d+>`)},
	{"channel", "<", regexp.MustCompile(`^<#\d+>`)},
	{"command", "<", regexp.MustCompile(`^</[^>]+:\d+>`)},
	{"emoji", "<", regexp.MustCompile(`^<a?:\w+:\d+>`)},
	{"moment", "<", regexp.MustCompile(`^<t:-?\d+(:\w)?>`)},
	{"guide", "<", regexp.MustCompile(`^<id:\w+>`)},
	{"everybody", "@", regexp.MustCompile(`^@(everyone|here)`)},
	{"link", letters, regexp.MustCompile(`^[A-Za-z]+://[^\s<]+`)},
	{"invitation", "dD", regexp.MustCompile(`^(?i)discord(app)?\.(gg|com/invite)/\w`)},
	{"spoiler", "|", regexp.MustCompile(`^\|\|`)},
	{"strong", "*", regexp.MustCompile(`^\*\*`)},
	{"underlined", "_", regexp.MustCompile(`^__`)},
	{"struck", "~", regexp.MustCompile(`^~~`)},
	{"stressed", "*_", regexp.MustCompile(`^[*_]`)},
}

// Structure returns the kinds of markup in a text, in order. Texts that differ only in words have equal structures.
func Structure(s string) []string {
	var out []string
	fenced, begins := false, true
	for s != "" {
		if begins && !fenced {
			for _, b := range blocks {
				if b.at.MatchString(s) {
					out = append(out, b.kind)
				}
			}
		}
		begins = s[0] == '\n'
		n := 1
		for _, k := range inline {
			if strings.IndexByte(k.begins, s[0]) < 0 {
				continue
			}
			if m := k.at.FindString(s); m != "" && (!fenced || k.kind == "fence") {
				n = len(m)
				if k.kind == "fence" {
					fenced = !fenced
				}
				if k.kind != "escape" {
					out = append(out, k.kind)
				}
				break
			}
		}
		s = s[n:]
	}
	return out
}
