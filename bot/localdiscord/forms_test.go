package localdiscord

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"marque/bot/localdiscord/openapi"
)

// labelled returns a form with one component in a label.
func labelled(component string) string {
	return `{"custom_id":"form","title":"T","components":[{"type":18,"label":"L","component":` + component + `}]}`
}

// groupOf returns a group of radio buttons or check boxes with n options.
func groupOf(kind, n int, rest string) string {
	return fmt.Sprintf(`{"type":%d,"custom_id":"g"%s,"options":[%s]}`, kind, rest, repeat(n, func(i int) string {
		return fmt.Sprintf(`{"label":"l%d","value":"v%d"}`, i, i)
	}))
}

// Invalid fields of a form are refused as on Discord. Files, groups of radio buttons or check boxes, and single check
// boxes each have their own limits. Discord's description, if available, refuses the same forms, except for rules that
// involve several fields.
func TestFormsRefused(t *testing.T) {
	t.Parallel()
	description := must[*openapi.Description](t)(openapi.Load())
	srv, bot := start(t, Options{}, play)
	ctx := background(t)
	type answer struct {
		status int
		body   map[string]any
	}
	answers, form := make(chan answer, 1), ""
	bot.on(func(i *discordgo.InteractionCreate) {
		path := "/interactions/" + i.ID + "/" + i.Token + "/callback"
		status, body, err := request(srv, http.MethodPost, path, `{"type":9,"data":`+form+`}`)
		if err != nil {
			t.Error(err)
		}
		answers <- answer{status, body}
		if status >= 300 { // so that the user does not wait
			request(srv, http.MethodPost, path, `{"type":4,"data":{"content":"x"}}`)
		}
	})
	many := strings.Repeat
	const part = "components.0.component."
	for _, tc := range []struct {
		name, form string
		field      string // path of the refusal; "" if the form is fine
		code       string
		between    bool // the violated rule involves several fields, so the description lacks it
	}{
		{"a file", labelled(`{"type":19,"custom_id":"f"}`), "", "", false},
		{"ten files", labelled(`{"type":19,"custom_id":"f","min_values":10,"max_values":10}`), "", "", false},
		{"eleven files", labelled(`{"type":19,"custom_id":"f","max_values":11}`), part + "max_values",
			"NUMBER_TYPE_MAX", false},
		{"at most no file", labelled(`{"type":19,"custom_id":"f","max_values":0}`), part + "max_values",
			"NUMBER_TYPE_MIN", false},
		{"fewer than no files", labelled(`{"type":19,"custom_id":"f","min_values":-1}`), part + "min_values",
			"NUMBER_TYPE_MIN", false},
		{"more files at least than at most", labelled(`{"type":19,"custom_id":"f","min_values":2}`),
			part + "min_values", "SELECT_COMPONENT_MIN_VALUES_EXCEEDS_MAX", true},
		{"nothing to choose needed, and something is required",
			labelled(`{"type":5,"custom_id":"s","min_values":0}`), part + "min_values",
			"SELECT_COMPONENT_REQUIRED_ZERO_MIN_VALUES", true},
		{"no file needed, and one is required", labelled(`{"type":19,"custom_id":"f","min_values":0}`),
			part + "required", "COMPONENT_REQUIRED_WITHOUT_VALUES", true},
		{"a file, or none", labelled(`{"type":19,"custom_id":"f","min_values":0,"required":false}`), "", "", false},
		{"a file without custom_id", labelled(`{"type":19}`), part + "custom_id", "BASE_TYPE_REQUIRED", false},
		{"required is text", labelled(`{"type":19,"custom_id":"f","required":"yes"}`), part + "required",
			"BOOLEAN_TYPE_CONVERT", false},

		{"two radio buttons", labelled(groupOf(21, 2, "")), "", "", false},
		{"ten radio buttons", labelled(groupOf(21, 10, `,"required":false`)), "", "", false},
		{"one radio button", labelled(groupOf(21, 1, "")), part + "options", "BASE_TYPE_BAD_LENGTH", false},
		{"eleven radio buttons", labelled(groupOf(21, 11, "")), part + "options", "BASE_TYPE_BAD_LENGTH", false},
		{"radio buttons without options", labelled(`{"type":21,"custom_id":"g"}`), part + "options",
			"BASE_TYPE_REQUIRED", false},
		{"radio buttons without custom_id", labelled(strings.Replace(groupOf(21, 2, ""), `"custom_id":"g",`, "", 1)),
			part + "custom_id", "BASE_TYPE_REQUIRED", false},
		{"two radio buttons chosen before", labelled(`{"type":21,"custom_id":"g","options":[
			{"label":"a","value":"a","default":true},{"label":"b","value":"b","default":true}]}`), part + "options",
			"SELECT_COMPONENT_TOO_MANY_DEFAULTS", true},
		{"a value twice", labelled(`{"type":21,"custom_id":"g","options":[
			{"label":"a","value":"a"},{"label":"b","value":"a"}]}`), part + "options.1.value",
			"SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", true},
		{"a label of 101", labelled(`{"type":21,"custom_id":"g","options":[
			{"label":"a","value":"a"},{"label":"` + many("b", 101) + `","value":"b"}]}`), part + "options.1.label",
			"BASE_TYPE_BAD_LENGTH", false},
		{"a description of 101", labelled(`{"type":21,"custom_id":"g","options":[
			{"label":"a","value":"a"},{"label":"b","value":"b","description":"` + many("b", 101) + `"}]}`),
			part + "options.1.description", "BASE_TYPE_MAX_LENGTH", false},
		{"an option without a value", labelled(`{"type":21,"custom_id":"g","options":[
			{"label":"a","value":"a"},{"label":"b"}]}`), part + "options.1.value", "BASE_TYPE_REQUIRED", false},

		{"a box", labelled(groupOf(22, 1, "")), "", "", false},
		{"ten boxes", labelled(groupOf(22, 10, `,"min_values":3,"max_values":4`)), "", "", false},
		{"no box", labelled(groupOf(22, 0, "")), part + "options", "BASE_TYPE_BAD_LENGTH", false},
		{"eleven boxes", labelled(groupOf(22, 11, "")), part + "options", "BASE_TYPE_BAD_LENGTH", false},
		{"more boxes to tick than there are", labelled(groupOf(22, 2, `,"max_values":3`)), part + "max_values",
			"SELECT_COMPONENT_MAX_VALUES_EXCEEDS_OPTIONS", true},
		{"more boxes at least than there are", labelled(groupOf(22, 2, `,"min_values":3`)), part + "min_values",
			"SELECT_COMPONENT_MIN_VALUES_EXCEEDS_MAX", true},
		{"no box needed, and one is required", labelled(groupOf(22, 2, `,"min_values":0`)), part + "required",
			"COMPONENT_REQUIRED_WITHOUT_VALUES", true},

		{"one check box", labelled(`{"type":23,"custom_id":"b","default":true}`), "", "", false},
		{"one check box without custom_id", labelled(`{"type":23}`), part + "custom_id", "BASE_TYPE_REQUIRED", false},
		{"default is text", labelled(`{"type":23,"custom_id":"b","default":"on"}`), part + "default",
			"BOOLEAN_TYPE_CONVERT", false},

		{"no component in the label", `{"custom_id":"form","title":"T","components":[{"type":18,"label":"L"}]}`,
			"components.0.component", "BASE_TYPE_REQUIRED", false},
		{"a button in the label", labelled(button("b")), part + "type", "BASE_TYPE_CHOICES", false},
		{"a type that is not known", labelled(`{"type":99,"custom_id":"b"}`), part + "type", "BASE_TYPE_CHOICES",
			false},
		{"radio buttons without a label", `{"custom_id":"form","title":"T","components":[` + groupOf(21, 2, "") + `]}`,
			"components.0.type", "BASE_TYPE_CHOICES", false},
		{"a label of 46", strings.Replace(labelled(groupOf(21, 2, "")), `"label":"L"`,
			`"label":"`+many("L", 46)+`"`, 1), "components.0.label", "BASE_TYPE_BAD_LENGTH", false},
		{"an empty description", strings.Replace(labelled(groupOf(21, 2, "")), `"label":"L"`,
			`"label":"L","description":""`, 1), "components.0.description", "BASE_TYPE_BAD_LENGTH", false},
		{"a custom_id twice", `{"custom_id":"form","title":"T","components":[` + repeat(2, func(int) string {
			return `{"type":18,"label":"L","component":{"type":23,"custom_id":"b"}}`
		}) + `]}`, "components.1.component.custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED", true},
		{"a title of 46", strings.Replace(labelled(groupOf(21, 2, "")), `"T"`, `"`+many("T", 46)+`"`, 1), "title",
			"BASE_TYPE_BAD_LENGTH", false},
		{"nothing in it", `{"custom_id":"form","title":"T","components":[]}`, "components", "BASE_TYPE_BAD_LENGTH",
			false},
	} {
		form = tc.form
		if _, err := srv.Command(ctx, Anne, TortugaTables, "play", Opt("game", "pirat")); err != nil {
			t.Fatal(err)
		}
		got := <-answers
		switch {
		case tc.code == "" && got.status >= 300:
			t.Errorf("%s: refused with %d %v", tc.name, got.status, got.body)
		case tc.code != "" && (got.status != http.StatusBadRequest || got.body["code"] != float64(codeInvalidForm) ||
			field(got.body, "data."+tc.field) != tc.code):
			t.Errorf("%s: %d %v, want %s at %s", tc.name, got.status, got.body, tc.code, tc.field)
		}
		var body any
		if err := json.Unmarshal([]byte(tc.form), &body); err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		if description == nil {
			continue
		}
		err := description.Value("ModalInteractionCallbackRequestData", body)
		if fits := tc.code == "" || tc.between; (err == nil) != fits {
			t.Errorf("%s: Discord's description says %v", tc.name, err)
		}
	}
}

// Values entered into a form reach the bot in Discord's format. Invalid values are not sent.
func TestFormsFilledIn(t *testing.T) {
	t.Parallel()
	const form = `{"custom_id":"form","title":"T","components":[
		{"type":18,"label":"Radio","component":{"type":21,"custom_id":"radio","options":[
			{"label":"A","value":"a"},{"label":"B","value":"b"}]}},
		{"type":18,"label":"Boxes","component":{"type":22,"custom_id":"boxes","min_values":1,"max_values":2,"options":[
			{"label":"X","value":"x","default":true},{"label":"Y","value":"y"},{"label":"Z","value":"z"}]}},
		{"type":18,"label":"Box","component":{"type":23,"custom_id":"box","default":true}},
		{"type":18,"label":"File","component":{"type":19,"custom_id":"file","min_values":0,"required":false}}]}`
	srv, bot := start(t, Options{}, play)
	ctx := background(t)
	var forms []map[string]any
	bot.AddHandler(func(_ *discordgo.Session, e *discordgo.Event) { // the library does not decode these values
		var i struct {
			ID, Token string
			Type      int
			Data      map[string]any
		}
		if e.Type != "INTERACTION_CREATE" {
			return
		}
		if err := json.Unmarshal(e.RawData, &i); err != nil {
			t.Error(err)
		}
		body := `{"type":9,"data":` + form + `}`
		if i.Type == interactionModal {
			forms = append(forms, i.Data)
			body = `{"type":4,"data":{"content":"thanks"}}`
		}
		path := "/interactions/" + i.ID + "/" + i.Token + "/callback"
		if status, said, err := request(srv, http.MethodPost, path, body); err != nil || status >= 300 {
			t.Errorf("%d %v, %v", status, said, err)
		}
	})
	open := must[*Reply](t)(srv.Command(ctx, Anne, TortugaTables, "play", Opt("game", "pirat"))).Modal
	note := File{Name: "game.txt", Data: []byte("Dear diary")}
	large := File{Name: "game.txt", Data: make([]byte, maxFileBytes+1)}
	radio := Opt("radio", "b")
	for name, inputs := range map[string][]Option{
		"no radio button":                  nil,
		"a radio button that is not there": {Opt("radio", "c")},
		"two radio buttons":                {Opt("radio", []string{"a", "b"})},
		"no box of one at least":           {radio, Opt("boxes", []string{})},
		"three boxes of two at most":       {radio, Opt("boxes", []string{"x", "y", "z"})},
		"a box twice":                      {radio, Opt("boxes", []string{"x", "x"})},
		"a box that is not there":          {radio, Opt("boxes", []string{"w"})},
		"two files of one at most":         {radio, Opt("file", []File{note, note})},
		"a file that is too large":         {radio, Opt("file", large)},
		"a part that is not there":         {radio, Opt("hat", "red")},
	} {
		if _, err := srv.SubmitModal(ctx, Anne, open, inputs...); !errors.Is(err, ErrBadModal) {
			t.Errorf("%s: %v, want that the form refuses it", name, err)
		}
	}
	if _, err := srv.SubmitModal(ctx, Jack, open, radio); !errors.Is(err, ErrBadModal) {
		t.Errorf("somebody else sends the form: %v", err)
	}
	must[*Reply](t)(srv.SubmitModal(ctx, Anne, open, radio))
	must[*Reply](t)(srv.SubmitModal(ctx, Anne, open, radio, Opt("boxes", []string{"y", "z"}),
		Opt("box", false), Opt("file", note)))
	if len(forms) != 2 {
		t.Fatalf("%d forms came, want two", len(forms))
	}
	files := []any{}
	attached, _ := forms[1]["resolved"].(map[string]any)["attachments"].(map[string]any)
	for id := range attached {
		files = append(files, id)
	}
	if len(files) != 1 {
		t.Errorf("the files of the form are %v", attached)
	}
	for i, want := range []map[string]any{
		{"radio": "b", "boxes": []any{"x"}, "box": true, "file": []any{}},
		{"radio": "b", "boxes": []any{"y", "z"}, "box": false, "file": files},
	} {
		got := map[string]any{}
		for _, c := range forms[i]["components"].([]any) {
			part := c.(map[string]any)["component"].(map[string]any)
			value, ok := part["value"]
			if !ok {
				value = part["values"]
			}
			got[part["custom_id"].(string)] = value
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("form %d holds %v, want %v", i+1, got, want)
		}
	}
}
