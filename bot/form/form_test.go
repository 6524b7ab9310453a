package form

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"marque/bot/localdiscord/openapi"
)

// Discord's description of its API accepts encoded radio groups and check box groups, except those with a wrong number
// of options or without a custom_id.
func TestComponentsAreAsDiscordDescribesThem(t *testing.T) {
	d, err := openapi.Load()
	if err != nil {
		t.Fatal(err)
	}
	if d == nil {
		t.Skipf("%s is not set: the JSON of forms is not compared with Discord's description", openapi.Variable)
	}
	two := []Option{{Label: "One", Value: "1"}, {Label: "Two", Value: "2", Description: "More", Default: true}}
	for _, part := range []struct {
		component discordgo.MessageComponent
		fits      bool
	}{
		{RadioGroup{"r", two}, true},
		{RadioGroup{"r", two[:1]}, false},
		{RadioGroup{"r", slices.Repeat(two, 6)}, false},
		{CheckboxGroup{"c", two[:1]}, true},
		{CheckboxGroup{"c", nil}, false},
		{CheckboxGroup{"", two}, false},
	} {
		raw, err := json.Marshal(discordgo.Label{Label: "Which?", Component: part.component})
		if err != nil {
			t.Fatal(err)
		}
		var body any
		if err := json.Unmarshal(raw, &body); err != nil {
			t.Fatal(err)
		}
		if err := d.Value("LabelComponentForModalRequest", body); (err == nil) != part.fits {
			t.Errorf("Discord's description of %s says %v, want that it fits: %v", raw, err, part.fits)
		}
	}
}

// Unchecked options are sent as false, because some clients otherwise keep an earlier tick.
func TestUntickedBoxesAreSaid(t *testing.T) {
	for _, group := range []discordgo.MessageComponent{
		CheckboxGroup{"c", []Option{{Label: "One", Value: "1"}}},
		RadioGroup{"r", []Option{{Label: "One", Value: "1"}, {Label: "Two", Value: "2", Default: true}}},
	} {
		raw, err := json.Marshal(group)
		if err != nil || !strings.Contains(string(raw), `"value":"1","default":false`) {
			t.Errorf("%s, %v: it is not said that One is not chosen", raw, err)
		}
	}
}

// submitted is a form as Discord sends it. Both the form and its message have components of unknown types.
const submitted = `{
	"id": "1", "application_id": "2", "type": 5, "token": "t", "version": 1, "channel_id": "3",
	"user": {"id": "4", "username": "mary"},
	"message": {"id": "5", "channel_id": "3", "components": [{"type": 99, "id": 1}]},
	"data": {"custom_id": "form", "components": [
		{"type": 18, "id": 1, "component": {"type": 21, "id": 2, "custom_id": "radio", "value": "b"}},
		{"type": 18, "id": 3, "component": {"type": 21, "id": 4, "custom_id": "unset", "value": null}},
		{"type": 18, "id": 5, "component": {"type": 22, "id": 6, "custom_id": "boxes", "values": ["x", "y"]}},
		{"type": 18, "id": 7, "component": {"type": 23, "id": 8, "custom_id": "box", "value": true}},
		{"type": 18, "id": 9, "component": {"type": 19, "id": 10, "custom_id": "file", "values": ["77"]}},
		{"type": 18, "id": 11, "component": {"type": 3, "id": 12, "custom_id": "menu", "values": []}},
		{"type": 1, "id": 13, "components": [{"type": 4, "id": 14, "custom_id": "text", "value": "ahoy"}]},
		{"type": 10, "id": 15},
		{"type": 18, "id": 16, "component": {"type": 98, "id": 17, "custom_id": "new", "value": {"a": [1]}}},
		{"type": 97, "id": 18, "components": "none"}
	], "resolved": {"attachments":
		{"77": {"id": "77", "filename": "game.txt", "size": 9, "url": "https://cdn.discordapp.com/x"}}}}
}`

// A submitted form is decoded even if it and its message have components of unknown types.
func TestSubmission(t *testing.T) {
	var i discordgo.Interaction
	if err := Unmarshal([]byte(submitted), &i); err != nil {
		t.Fatal(err)
	}
	s, ok := i.Data.(Submission)
	if !ok || i.ID != "1" || i.User == nil || i.User.ID != "4" || i.Message == nil || i.Message.ID != "5" {
		t.Fatalf("the interaction is %+v", i)
	}
	for id, want := range map[string]string{
		"radio": "b", "unset": "", "boxes": "x y", "box": "true", "file": "77", "menu": "", "text": "ahoy", "new": "",
		"nothing": "",
	} {
		if got := strings.Join(s.Values(id), " "); got != want || s.Has(id) != (id != "nothing") {
			t.Errorf("%s holds %q and is there: %v; want %q", id, got, s.Has(id), want)
		}
	}
	if f := s.File("file"); f == nil || f.Filename != "game.txt" {
		t.Errorf("the file is %+v", f)
	}
	if s.File("text") != nil || s.Value("boxes") != "x" || !s.Chosen("boxes", "y") || s.Chosen("boxes", "z") ||
		s.CustomID != "form" {
		t.Errorf("the form is %+v", s)
	}
	if err := Unmarshal([]byte(`{"type":5,"data":{"components":7}}`), &i); err == nil {
		t.Error("a form whose components are a number is read")
	}
}

// A click on a message with unknown components is decoded. A context menu command for such a message is decoded as
// well.
func TestUnknownComponentsAreNoError(t *testing.T) {
	const odd = `"components": [{"type": 1, "components": [{"type": 99}]}, {"type": 98, "accessory": {"type": 97}}]`
	for what, raw := range map[string]string{
		"a click": `{"id": "1", "type": 3, "message": {"id": "9007199254740993", "flags": 64, ` + odd +
			`}, "data": {"custom_id": "c", "component_type": 2}}`,
		"a command": `{"id": "1", "type": 2, "data": {"id": "2", "name": "Show", "type": 3, "target_id": "5", "resolved": {"messages": {"5": {"id": "5", ` + odd + `}}}}}`,
	} {
		var i discordgo.Interaction
		if err := json.Unmarshal([]byte(raw), &i); err == nil {
			t.Errorf("%s: the library reads it by itself now: nothing is to be done for it", what)
		}
		if err := Unmarshal([]byte(raw), &i); err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		switch d := i.Data.(type) {
		case discordgo.MessageComponentInteractionData:
			if d.CustomID != "c" || i.Message.ID != "9007199254740993" ||
				i.Message.Flags != discordgo.MessageFlagsEphemeral {
				t.Errorf("%s is read as %+v of %+v", what, d, i.Message)
			}
		case discordgo.ApplicationCommandInteractionData:
			if d.Name != "Show" || d.Resolved.Messages["5"].ID != "5" {
				t.Errorf("%s is read as %+v", what, d)
			}
		default:
			t.Errorf("%s is read as %T", what, d)
		}
	}
	if err := Unmarshal([]byte(`{"type": 3, "message": 7}`), new(discordgo.Interaction)); err == nil {
		t.Error("a click on a message that is a number is read")
	}
}
