package localdiscord

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"testing"
)

// raw sends a request as the bot, without discordgo, and returns status and body.
func raw(t *testing.T, srv *Server, method, path, body string, files ...upload) (int, map[string]any) {
	t.Helper()
	status, out, err := request(srv, method, path, body, files...)
	if err != nil {
		t.Fatal(err)
	}
	return status, out
}

func request(srv *Server, method, path, body string, files ...upload) (int, map[string]any, error) {
	var reader io.Reader = strings.NewReader(body)
	contentType := "application/json"
	if files != nil {
		buf := &bytes.Buffer{}
		w := multipart.NewWriter(buf)
		part := func(disposition, kind string, data []byte) {
			p, _ := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {disposition}, "Content-Type": {kind}})
			p.Write(data) // writes to memory, which does not fail
		}
		part(`form-data; name="payload_json"`, "application/json", []byte(body))
		for _, f := range files {
			part(fmt.Sprintf(`form-data; name="files[%s]"; filename="%s"`, f.index, f.name), f.contentType, f.data)
		}
		w.Close()
		reader, contentType = buf, w.FormDataContentType()
	}
	req, err := http.NewRequest(method, "https://discord.com/api/v10"+path, reader)
	if err != nil {
		return 0, nil, err
	}
	if body != "" || files != nil {
		req.Header.Set("Content-Type", contentType)
	}
	req.Header.Set("Authorization", "Bot "+srv.Token())
	client := srv.HTTPClient()
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	out := map[string]any{}
	if data, _ := io.ReadAll(resp.Body); len(data) > 0 && data[0] == '{' {
		if err := json.Unmarshal(data, &out); err != nil {
			return 0, nil, err
		}
	}
	return resp.StatusCode, out, nil
}

// field returns the code of the first error at a dotted path of the errors tree; "" if there is none.
func field(body map[string]any, path string) string {
	node, _ := body["errors"].(map[string]any)
	if path != "" {
		for key := range strings.SplitSeq(path, ".") {
			node, _ = node[key].(map[string]any)
		}
	}
	list, _ := node["_errors"].([]any)
	if len(list) == 0 {
		return ""
	}
	return list[0].(map[string]any)["code"].(string)
}

func lone(t *testing.T) *Server {
	t.Helper()
	opts := Options{Requests: Unlimited}
	asDescribed(t, &opts)
	srv := New(opts)
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	return srv
}

func repeat(n int, f func(int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = f(i)
	}
	return strings.Join(parts, ",")
}

func button(id string) string {
	return `{"type":2,"style":1,"label":"L","custom_id":"` + id + `"}`
}

func buttons(n int, prefix string) string {
	return `{"type":1,"components":[` + repeat(n, func(i int) string { return button(prefix + itoa(i)) }) + `]}`
}

func classic(components string) string { return `{"content":"x","components":[` + components + `]}` }
func v2(components string) string      { return `{"flags":32768,"components":[` + components + `]}` }
func display(text string) string       { return `{"type":10,"content":"` + text + `"}` }
func menuOf(options string) string {
	return `{"type":1,"components":[{"type":3,"custom_id":"m","options":[` + options + `]}]}`
}

// Invalid fields of a message are refused as on Discord.
func TestMessagesRefused(t *testing.T) {
	t.Parallel()
	srv := lone(t)
	option := func(i int) string { return fmt.Sprintf(`{"label":"l%d","value":"v%d"}`, i, i) }
	many := strings.Repeat
	for _, tc := range []struct {
		name, body string
		field      string // path of the refusal; "" if the message is fine
		code       string
	}{
		{"2000 characters", `{"content":"` + many("ä", 2000) + `"}`, "", ""},
		{"2001 characters", `{"content":"` + many("ä", 2001) + `"}`, "content", "BASE_TYPE_MAX_LENGTH"},
		{"content is a number", `{"content":5}`, "content", "STRING_TYPE_CONVERT"},
		{"embeds is an object", `{"content":"x","embeds":{}}`, "embeds", "LIST_TYPE_CONVERT"},
		{"flags is text", `{"content":"x","flags":"many"}`, "flags", "NUMBER_TYPE_COERCE"},
		{"10 embeds", `{"embeds":[` + repeat(10, func(int) string { return `{"title":"t"}` }) + `]}`, "", ""},
		{"11 embeds", `{"embeds":[` + repeat(11, func(int) string { return `{"title":"t"}` }) + `]}`, "embeds", "BASE_TYPE_MAX_LENGTH"},
		{"embed title of 257", `{"embeds":[{"title":"` + many("x", 257) + `"}]}`, "embeds.0.title", "BASE_TYPE_MAX_LENGTH"},
		{"26 embed fields", `{"embeds":[{"fields":[` + repeat(26, func(int) string { return `{"name":"n","value":"v"}` }) + `]}]}`, "embeds.0.fields", "BASE_TYPE_MAX_LENGTH"},
		{"embed field without value", `{"embeds":[{"fields":[{"name":"n"}]}]}`, "embeds.0.fields.0.value", "BASE_TYPE_REQUIRED"},
		{"6001 characters in embeds", `{"embeds":[{"description":"` + many("x", 4000) + `"},{"description":"` + many("x", 2001) + `"}]}`, "embeds", "MAX_EMBED_SIZE_EXCEEDED"},

		{"5 rows of 5 buttons", classic(repeat(5, func(i int) string { return buttons(5, itoa(i)+"-") })), "", ""},
		{"6 rows", classic(repeat(6, func(i int) string { return buttons(1, itoa(i)) })), "components", "BASE_TYPE_MAX_LENGTH"},
		{"6 buttons in a row", classic(buttons(6, "b")), "components.0.components", "BASE_TYPE_BAD_LENGTH"},
		{"empty row", classic(`{"type":1,"components":[]}`), "components.0.components", "BASE_TYPE_BAD_LENGTH"},
		{"button and menu in a row", classic(`{"type":1,"components":[` + button("a") + `,{"type":5,"custom_id":"u"}]}`), "components.0.components", "COMPONENT_LAYOUT_WIDTH_EXCEEDED"},
		{"a button without a row", classic(button("a")), "components.0.type", "BASE_TYPE_CHOICES"},
		{"an unknown type", classic(`{"type":99}`), "components.0.type", "BASE_TYPE_CHOICES"},
		{"a V2 component in a classic message", classic(display("x")), "components.0.type", "BASE_TYPE_CHOICES"},
		{"custom_id of 100", classic(`{"type":1,"components":[` + button(many("c", 100)) + `]}`), "", ""},
		{"custom_id of 101", classic(`{"type":1,"components":[` + button(many("c", 101)) + `]}`), "components.0.components.0.custom_id", "BASE_TYPE_BAD_LENGTH"},
		{"no custom_id", classic(`{"type":1,"components":[{"type":2,"style":1,"label":"L"}]}`), "components.0.components.0.custom_id", "BASE_TYPE_REQUIRED"},
		{"custom_id twice", classic(buttons(1, "a") + `,` + buttons(1, "a")), "components.1.components.0.custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED"},
		{"label of 80", classic(`{"type":1,"components":[{"type":2,"style":1,"custom_id":"a","label":"` + many("l", 80) + `"}]}`), "", ""},
		{"label of 81", classic(`{"type":1,"components":[{"type":2,"style":1,"custom_id":"a","label":"` + many("l", 81) + `"}]}`), "components.0.components.0.label", "BASE_TYPE_MAX_LENGTH"},
		{"neither label nor emoji", classic(`{"type":1,"components":[{"type":2,"style":1,"custom_id":"a"}]}`), "components.0.components.0.label", "BUTTON_COMPONENT_MISSING_LABEL_OR_EMOJI"},
		{"emoji by name", classic(`{"type":1,"components":[{"type":2,"style":1,"custom_id":"a","emoji":{"name":"anchor"}}]}`), "components.0.components.0.emoji.name", "COMPONENT_INVALID_EMOJI"},
		{"emoji", classic(`{"type":1,"components":[{"type":2,"style":1,"custom_id":"a","emoji":{"name":"⚓"}}]}`), "", ""},
		{"link without url", classic(`{"type":1,"components":[{"type":2,"style":5,"label":"a"}]}`), "components.0.components.0.url", "BASE_TYPE_REQUIRED"},
		{"link with a script", classic(`{"type":1,"components":[{"type":2,"style":5,"label":"a","url":"javascript://x"}]}`), "components.0.components.0.url", "URL_TYPE_INVALID_SCHEME"},
		{"style 7", classic(`{"type":1,"components":[{"type":2,"style":7,"label":"a","custom_id":"a"}]}`), "components.0.components.0.style", "NUMBER_TYPE_MAX"},
		{"25 options", classic(menuOf(repeat(25, option))), "", ""},
		{"26 options", classic(menuOf(repeat(26, option))), "components.0.components.0.options", "BASE_TYPE_BAD_LENGTH"},
		{"no options", classic(menuOf("")), "components.0.components.0.options", "BASE_TYPE_BAD_LENGTH"},
		{"the same value twice", classic(menuOf(option(1) + `,` + option(1))), "components.0.components.0.options.1.value", "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED"},
		{"option value of 101", classic(menuOf(`{"label":"l","value":"` + many("v", 101) + `"}`)), "components.0.components.0.options.0.value", "BASE_TYPE_BAD_LENGTH"},
		{"max_values beyond the options", classic(`{"type":1,"components":[{"type":3,"custom_id":"m","max_values":2,"options":[` + option(1) + `]}]}`), "components.0.components.0.max_values", "SELECT_COMPONENT_MAX_VALUES_EXCEEDS_OPTIONS"},
		{"text input in a message", classic(`{"type":1,"components":[{"type":4,"custom_id":"t","style":1,"label":"l"}]}`), "components.0.components.0.type", "BASE_TYPE_CHOICES"},

		{"40 components nested", v2(`{"type":17,"components":[` + repeat(39, func(int) string { return display("x") }) + `]}`), "", ""},
		{"41 components nested", v2(`{"type":17,"components":[` + repeat(20, func(int) string {
			return display("x")
		}) + `]},{"type":17,"components":[` + repeat(19, func(int) string {
			return display("x")
		}) + `]}`), "components", "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED"},
		{"4000 characters of text", v2(display(many("x", 2000)) + `,` + display(many("x", 2000))), "", ""},
		{"4001 characters of text", v2(display(many("x", 2000)) + `,` + display(many("x", 2001))), "components", "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED"},
		{"empty text display", v2(display("")), "components.0.content", "BASE_TYPE_BAD_LENGTH"},
		{"content beside V2", `{"flags":32768,"content":"x","components":[` + display("x") + `]}`, "content", "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"},
		{"embeds beside V2", `{"flags":32768,"embeds":[{"title":"x"}],"components":[` + display("x") + `]}`, "embeds", "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"},
		{"11 pictures", v2(`{"type":12,"items":[` + repeat(11, func(int) string { return `{"media":{"url":"https://example.com/a.png"}}` }) + `]}`), "components.0.items", "BASE_TYPE_BAD_LENGTH"},
		{"a picture that was not uploaded", v2(`{"type":12,"items":[{"media":{"url":"attachment://board.png"}}]}`), "components.0.items.0.media.url", "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND"},
		{"alt text of 1025", v2(`{"type":12,"items":[{"description":"` + many("x", 1025) + `","media":{"url":"https://example.com/a.png"}}]}`), "components.0.items.0.description", "BASE_TYPE_MAX_LENGTH"},
		{"a file of elsewhere", v2(`{"type":13,"file":{"url":"https://example.com/a.png"}}`), "components.0.file.url", "UNFURLED_MEDIA_ITEM_ATTACHMENT_REQUIRED"},
		{"section without accessory", v2(`{"type":9,"components":[` + display("x") + `]}`), "components.0.accessory", "BASE_TYPE_REQUIRED"},
		{"section of four texts", v2(`{"type":9,"components":[` + repeat(4, func(int) string { return display("x") }) + `],"accessory":` + button("a") + `}`), "components.0.components", "BASE_TYPE_BAD_LENGTH"},
		{"container in a container", v2(`{"type":17,"components":[{"type":17,"components":[` + display("x") + `]}]}`), "components.0.components.0.type", "BASE_TYPE_CHOICES"},
		{"accent colour", v2(`{"type":17,"accent_color":16777216,"components":[` + display("x") + `]}`), "components.0.accent_color", "NUMBER_TYPE_MAX"},
		{"the same id twice", v2(`{"type":10,"id":3,"content":"x"},{"type":10,"id":3,"content":"x"}`), "components.1.id", "COMPONENT_ID_DUPLICATED"},

		{"parse and users", `{"content":"x","allowed_mentions":{"parse":["users"],"users":["` + Anne + `"]}}`, "allowed_mentions.parse", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE"},
		{"a user twice", `{"content":"x","allowed_mentions":{"parse":[],"users":["` + Anne + `","` + Anne + `"]}}`, "allowed_mentions.users", "SET_TYPE_ALREADY_CONTAINS_VALUE"},
		{"parse of something else", `{"content":"x","allowed_mentions":{"parse":["all"]}}`, "allowed_mentions.parse.0", "BASE_TYPE_CHOICES"},
		{"a name instead of an id", `{"content":"x","allowed_mentions":{"parse":[],"users":["anne"]}}`, "allowed_mentions.users.0", "NUMBER_TYPE_COERCE"},
		{"reply to nothing", `{"content":"x","message_reference":{"message_id":"1"}}`, "message_reference", "REPLIES_UNKNOWN_MESSAGE"},
		{"attachment that was not uploaded", `{"content":"x","attachments":[{"id":"0","filename":"a.png"}]}`, "attachments.0.id", "ATTACHMENT_NOT_FOUND"},
	} {
		status, body := raw(t, srv, "POST", "/channels/"+TortugaTables+"/messages", tc.body)
		switch {
		case tc.code == "" && status != http.StatusOK:
			t.Errorf("%s: refused with %d %v", tc.name, status, body)
		case tc.code != "" && (status != http.StatusBadRequest || body["code"] != float64(codeInvalidForm) ||
			field(body, tc.field) != tc.code):
			t.Errorf("%s: %d %v, want %s at %s", tc.name, status, body, tc.code, tc.field)
		}
	}
}

func TestMessagesRefusedAsAWhole(t *testing.T) {
	t.Parallel()
	srv := lone(t)
	said, err := srv.Say(Anne, TortugaTables, "mine")
	if err != nil {
		t.Fatal(err)
	}
	_, sent := raw(t, srv, "POST", "/channels/"+TortugaTables+"/messages", v2(display("board")))
	_, plain := raw(t, srv, "POST", "/channels/"+TortugaTables+"/messages", `{"content":"text"}`)
	v2ID, plainID := sent["id"].(string), plain["id"].(string)
	png := picture(8)
	files := func(n int) []upload {
		out := make([]upload, n)
		for i := range out {
			out[i] = upload{index: itoa(i), name: itoa(i) + ".png", contentType: "image/png", data: png}
		}
		return out
	}
	at := "/channels/" + TortugaTables + "/messages"
	for _, tc := range []struct {
		name, method, path, body string
		files                    []upload
		status, code             int
	}{
		{"empty", "POST", at, `{}`, nil, 400, codeEmptyMessage},
		{"blank", "POST", at, `{"content":"  \n "}`, nil, 400, codeEmptyMessage},
		{"no JSON", "POST", at, `{"content":`, nil, 400, codeInvalidBody},
		{"an array", "POST", at, `[1]`, nil, 400, codeEmptyMessage},
		{"a number", "POST", at, `7`, nil, 400, codeInvalidForm},
		{"10 files", "POST", at, `{}`, files(10), 200, 0},
		{"11 files", "POST", at, `{}`, files(11), 400, codeInvalidForm},
		{"a file of 10 MiB", "POST", at, `{}`, []upload{{"0", "a.bin", "application/octet-stream", make([]byte, 10<<20)}}, 200, 0},
		{"a file beyond 10 MiB", "POST", at, `{}`, []upload{{"0", "a.bin", "application/octet-stream", make([]byte, 10<<20+1)}}, 413, codeTooLarge},
		{"a request beyond 25 MiB", "POST", at, `{}`, []upload{{"0", "a", "", make([]byte, 9<<20)}, {"1", "b", "", make([]byte, 9<<20)}, {"2", "c", "", make([]byte, 9<<20)}}, 413, codeTooLarge},
		{"unknown channel", "POST", "/channels/1/messages", `{"content":"x"}`, nil, 404, codeUnknownChannel},
		{"unknown message", "PATCH", at + "/1", `{"content":"x"}`, nil, 404, codeUnknownMessage},
		{"somebody's message", "PATCH", at + "/" + said.ID, `{"content":"x"}`, nil, 403, codeNotAuthor},
		{"deleting somebody's message", "DELETE", at + "/" + said.ID, "", nil, 403, codeMissingPermissions},
		{"taking the V2 flag back", "PATCH", at + "/" + v2ID, `{"flags":0}`, nil, 400, codeInvalidForm},
		{"content into a V2 message", "PATCH", at + "/" + v2ID, `{"content":"x"}`, nil, 400, codeInvalidForm},
		{"the V2 flag onto content", "PATCH", at + "/" + plainID, v2(display("x")), nil, 400, codeInvalidForm},
		{"the V2 flag, content gone", "PATCH", at + "/" + plainID, `{"flags":32768,"content":null,"components":[` + display("x") + `]}`, nil, 200, 0},
		{"emptying a message", "PATCH", at + "/" + v2ID, `{"components":[]}`, nil, 400, codeEmptyMessage},
		{"limit of 101", "GET", at + "?limit=101", "", nil, 400, codeInvalidForm},
		{"no such path", "GET", "/pirates", "", nil, 404, 0},
		{"no such method", "PUT", "/gateway", "", nil, 405, 0},
		{"a thread in a thread of nothing", "POST", at + "/1/threads", `{"name":"t"}`, nil, 404, codeUnknownMessage},
		{"a thread without a name", "POST", at + "/" + said.ID + "/threads", `{}`, nil, 400, codeInvalidForm},
		{"a thread", "POST", at + "/" + said.ID + "/threads", `{"name":"t"}`, nil, 201, 0},
		{"a second thread", "POST", at + "/" + said.ID + "/threads", `{"name":"t"}`, nil, 400, codeThreadExistsOnMessage},
		{"a private thread", "POST", "/channels/" + TortugaTables + "/threads", `{"name":"t","type":12}`, nil, 403, codeMissingPermissions},
		{"odd archive time", "POST", "/channels/" + TortugaTables + "/threads", `{"name":"t","type":11,"auto_archive_duration":61}`, nil, 400, codeInvalidForm},
		{"renaming the channel", "PATCH", "/channels/" + TortugaTables, `{"name":"mine"}`, nil, 403, codeMissingPermissions},
		{"a server without the bot", "GET", "/guilds/1", "", nil, 404, codeUnknownGuild},
		{"no member", "GET", "/guilds/" + Tortuga + "/members/" + Ching, "", nil, 404, codeUnknownMember},
		{"another application", "GET", "/applications/1/commands", "", nil, 404, codeUnknownApplication},
	} {
		status, body := raw(t, srv, tc.method, tc.path, tc.body, tc.files...)
		code, _ := body["code"].(float64)
		if status != tc.status || int(code) != tc.code {
			t.Errorf("%s: %d %v, want %d with code %d", tc.name, status, body, tc.status, tc.code)
		}
	}
	_, dm := raw(t, srv, "POST", "/users/@me/channels", `{"recipient_id":"`+Grace+`"}`)
	if status, body := raw(t, srv, "POST", "/channels/"+dm["id"].(string)+"/messages",
		`{"content":"psst"}`); status != 403 || body["code"] != float64(codeCannotDM) {
		t.Errorf("a message to Grace: %d %v", status, body)
	}
	if again, err := srv.DM(Grace); err != nil || again != dm["id"] {
		t.Errorf("the second DM channel is %s, the first %s", again, dm["id"])
	}
}

// Invalid commands are refused as on Discord.
func TestCommandsRefused(t *testing.T) {
	t.Parallel()
	srv := lone(t)
	cmd := func(rest string) string { return `[{"name":"play","description":"d"` + rest + `}]` }
	opt := func(i int) string { return fmt.Sprintf(`{"type":3,"name":"o%d","description":"d"}`, i) }
	choices := func(n int) string {
		return `"choices":[` + repeat(n, func(i int) string {
			return fmt.Sprintf(`{"name":"n%d","value":"v%d"}`, i, i)
		}) + `]`
	}
	many := strings.Repeat
	for _, tc := range []struct{ name, body, field, code string }{
		{"a command", cmd(""), "", ""},
		{"as discordgo sends it", cmd(`,"options":[{"type":3,"name":"a","description":"d","channel_types":null,"required":false,"options":null,"autocomplete":false,"choices":null}]`), "", ""},
		{"capitals", `[{"name":"Play","description":"d"}]`, "0.name", "APPLICATION_COMMAND_INVALID_NAME"},
		{"a space", `[{"name":"play now","description":"d"}]`, "0.name", "APPLICATION_COMMAND_INVALID_NAME"},
		{"33 characters", `[{"name":"` + many("x", 33) + `","description":"d"}]`, "0.name", "BASE_TYPE_BAD_LENGTH"},
		{"letters of anywhere", `[{"name":"spiël-ß_1","description":"d"}]`, "", ""},
		{"no description", `[{"name":"play"}]`, "0.description", "BASE_TYPE_REQUIRED"},
		{"description of 101", `[{"name":"play","description":"` + many("d", 101) + `"}]`, "0.description", "BASE_TYPE_MAX_LENGTH"},
		{"the same name twice", `[{"name":"a","description":"d"},{"name":"a","description":"d"}]`, "1.name", "APPLICATION_COMMANDS_DUPLICATE_NAME"},
		{"25 options", cmd(`,"options":[` + repeat(25, opt) + `]`), "", ""},
		{"26 options", cmd(`,"options":[` + repeat(26, opt) + `]`), "0.options", "BASE_TYPE_MAX_LENGTH"},
		{"the same option twice", cmd(`,"options":[` + opt(1) + `,` + opt(1) + `]`), "0.options.1.name", "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS"},
		{"capitals in an option", cmd(`,"options":[{"type":3,"name":"Game","description":"d"}]`), "0.options.0.name", "APPLICATION_COMMAND_INVALID_NAME"},
		{"required after optional", cmd(`,"options":[` + opt(1) + `,{"type":3,"name":"b","description":"d","required":true}]`), "0.options.1.required", "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID"},
		{"25 choices", cmd(`,"options":[{"type":3,"name":"a","description":"d",` + choices(25) + `}]`), "", ""},
		{"26 choices", cmd(`,"options":[{"type":3,"name":"a","description":"d",` + choices(26) + `}]`), "0.options.0.choices", "BASE_TYPE_MAX_LENGTH"},
		{"choices and autocomplete", cmd(`,"options":[{"type":3,"name":"a","description":"d","autocomplete":true,` + choices(1) + `}]`), "0.options.0.autocomplete", "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_CHOICES_EXCLUSIVE"},
		{"autocomplete of a user", cmd(`,"options":[{"type":6,"name":"a","description":"d","autocomplete":true}]`), "0.options.0.type", "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID"},
		{"choice name of 101", cmd(`,"options":[{"type":3,"name":"a","description":"d","choices":[{"name":"` + many("n", 101) + `","value":"v"}]}]`), "0.options.0.choices.0.name", "BASE_TYPE_BAD_LENGTH"},
		{"number as choice of a string", cmd(`,"options":[{"type":3,"name":"a","description":"d","choices":[{"name":"n","value":1}]}]`), "0.options.0.choices.0.value", "STRING_TYPE_CONVERT"},
		{"option type 12", cmd(`,"options":[{"type":12,"name":"a","description":"d"}]`), "0.options.0.type", "NUMBER_TYPE_MAX"},
		{"sub-command beside option", cmd(`,"options":[{"type":1,"name":"a","description":"d"},` + opt(1) + `]`), "0.options", "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID"},
		{"group in a group", cmd(`,"options":[{"type":2,"name":"a","description":"d","options":[{"type":2,"name":"b","description":"d"}]}]`), "0.options.0.options.0.type", "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID"},
		{"min_length of a number", cmd(`,"options":[{"type":4,"name":"a","description":"d","min_length":1}]`), "0.options.0.min_length", "APPLICATION_COMMAND_OPTION_MIN_MAX_FORBIDDEN"},
		{"translated name with capitals", cmd(`,"name_localizations":{"de":"Spielen"}`), "0.name_localizations.de", "APPLICATION_COMMAND_INVALID_NAME"},
		{"translation into nothing known", cmd(`,"name_localizations":{"xx":"spielen"}`), "0.name_localizations.xx", "BASE_TYPE_CHOICES"},
		{"more than 8,000 characters", cmd(`,"options":[` + repeat(25, func(i int) string {
			return fmt.Sprintf(`{"type":3,"name":"o%d","description":"%s","choices":[%s]}`, i, many("d", 100),
				repeat(3, func(j int) string { return fmt.Sprintf(`{"name":"%d%s","value":"v"}`, j, many("n", 90)) }))
		}) + `]`), "0", "APPLICATION_COMMAND_TOO_LARGE"},
		{"a translation makes it more than 8,000", cmd(`,"options":[` + repeat(25, func(i int) string {
			return fmt.Sprintf(`{"type":3,"name":"o%d","description":"d","choices":[%s]}`, i,
				repeat(4, func(j int) string {
					return fmt.Sprintf(`{"name":"%d","value":"v","name_localizations":{"de":"%s"}}`, j, many("n", 90))
				}))
		}) + `]`), "0", "APPLICATION_COMMAND_TOO_LARGE"},
		{"no list", `{"name":"a"}`, "", "LIST_TYPE_CONVERT"},
	} {
		status, body := raw(t, srv, "PUT", "/applications/"+Application+"/commands", tc.body)
		switch {
		case tc.code == "" && status != http.StatusOK:
			t.Errorf("%s: refused with %d %v", tc.name, status, body)
		case tc.code != "" && (status != http.StatusBadRequest || field(body, tc.field) != tc.code):
			t.Errorf("%s: %d %v, want %s at %q", tc.name, status, body, tc.code, tc.field)
		}
	}
	all := func(n int) string {
		return `[` + repeat(n, func(i int) string { return fmt.Sprintf(`{"name":"c%d","description":"d"}`, i) }) + `]`
	}
	if status, body := raw(t, srv, "PUT", "/applications/"+Application+"/commands", all(101)); status != 400 ||
		body["code"] != float64(codeMaxCommands) {
		t.Errorf("101 commands: %d %v", status, body)
	}
	if status, _ := raw(t, srv, "PUT", "/applications/"+Application+"/commands", all(100)); status != 200 {
		t.Errorf("100 commands: %d", status)
	}
}
