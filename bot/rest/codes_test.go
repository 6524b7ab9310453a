package rest

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"
)

// Scrub keeps only codes and field names of Discord's answers. It removes the values that Discord quotes, and the URL
// of a failed request.
func TestScrubLeavesCodesAndPlaces(t *testing.T) {
	answer := func(body string) error {
		return &discordgo.RESTError{Response: &http.Response{StatusCode: 400}, ResponseBody: []byte(body),
			Message: &discordgo.APIErrorMessage{Code: 50035, Message: "Anne"}}
	}
	for _, tc := range []struct {
		name, want string
		err        error
	}{
		{"objections",
			"discord answered 400 (code 50035): components.0.label BASE_TYPE_MAX_LENGTH, content BASE_TYPE_REQUIRED",
			answer(
				`{"message": "Anne", "code": 50035, "errors": {"content": {"_errors": [{"code": "BASE_TYPE_REQUIRED", "message": "Anne is nobody"}]},
			  "components": {"0": {"label": {"_errors": [{"code": "BASE_TYPE_MAX_LENGTH", "message": "Anne is too long"}]}}}}}`)},
		{"names as fields and codes", "discord answered 400 (code 50035)", answer(`{"errors": {"Anne Bonny": {"_errors": [{"code": "X"}]}, "a": {"_errors": [{"code": "Anne Bonny"}]}}}`)},
		{"no JSON", "discord answered 400 (code 50035)", answer("<html>Anne")},
		{"unexpected JSON", "discord answered 400 (code 50035)", answer(`{"errors": ["Anne", {"_errors": "Anne"}]}`)},
		{"no answer", "Post: EOF", &url.Error{Op: "Post", URL: "https://discord.com/api/webhooks/1/Anne", Err: errEOF{}}},
	} {
		got := Scrub(tc.err).Error()
		if got != tc.want || strings.Contains(got, "Anne") {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

type errEOF struct{}

func (errEOF) Error() string { return "EOF" }
