package rest

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"
)

// answerer is a transport that records requests and answers them.
type answerer struct {
	asked  []*http.Request
	answer func(*http.Request) *http.Response
}

func (a *answerer) RoundTrip(q *http.Request) (*http.Response, error) {
	a.asked = append(a.asked, q)
	return a.answer(q), nil
}

func answers(status int, body string, header ...string) func(*http.Request) *http.Response {
	h := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return func(q *http.Request) *http.Response {
		return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: h,
			Body: io.NopCloser(strings.NewReader(body)), Request: q}
	}
}

func attachmentClient(t *testing.T, a *answerer) Client {
	t.Helper()
	s, err := discordgo.New("Bot secret")
	if err != nil {
		t.Fatal(err)
	}
	s.Client = &http.Client{Transport: a}
	return Client{Session: s}
}

// A URL that does not lead to an attachment on Discord's own servers is refused without a request.
func TestAttachmentsComeFromDiscordAlone(t *testing.T) {
	a := &answerer{answer: answers(http.StatusOK, "loot")}
	c := attachmentClient(t, a)
	for _, address := range []string{
		"http://cdn.discordapp.com/attachments/1/2/a.txt", "https://169.254.169.254/attachments/1/2/a.txt",
		"https://localhost/attachments/1/2/a.txt",
		"https://cdn.discordapp.com:8443/attachments/1/2/a.txt",
		"https://cdn.discordapp.com@127.0.0.1/attachments/1/2/a.txt",
		"https://me:pass@cdn.discordapp.com/attachments/1/2/a.txt",
		"https://cdn.discordapp.com.evil.example/attachments/1/2/a.txt",
		"https://cdn.discordapp.com/api/v10/users/@me", "https://discord.com/attachments/1/2/a.txt",
		"file:///etc/passwd", "//cdn.discordapp.com/attachments/1",
		"https:cdn.discordapp.com/attachments/1", "https://cdn.discordapp.com", "",
		"https://cdn.discordapp.com\\@127.0.0.1/attachments/1", "%",
	} {
		if data, err := c.Attachment(t.Context(), address, 100); !errors.Is(err, ErrForeign) {
			t.Errorf("%q gave %q, %v; want %v", address, data, err, ErrForeign)
		}
	}
	if len(a.asked) > 0 {
		t.Errorf("%d requests were made, the first to %s", len(a.asked), a.asked[0].URL)
	}
}

// An attachment is fetched without the bot's token, and refused if it is larger than the limit. Redirects are not
// followed.
func TestAttachmentsAreFetched(t *testing.T) {
	const address = "https://cdn.discordapp.com/ephemeral-attachments/1/2/a.txt?ex=3"
	for _, tc := range []struct {
		what   string
		answer func(*http.Request) *http.Response
		want   string
		err    string
	}{
		{"a file of as many bytes as it may have", answers(http.StatusOK, "loot"), "loot", ""},
		{"one byte more", answers(http.StatusOK, "loots"), "", ErrTooLarge.Error()},
		{"a redirection", answers(http.StatusFound, "", "Location", "https://cdn.discordapp.com/attachments/1/2/b.txt"), "", "Found"},
		{"a file that is gone", answers(http.StatusNotFound, "gone"), "", "Not Found"},
	} {
		a := &answerer{answer: tc.answer}
		data, err := attachmentClient(t, a).Attachment(t.Context(), address, 4)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if string(data) != tc.want || !strings.Contains(said, tc.err) || (said == "") != (tc.err == "") {
			t.Errorf("%s: %q, %v; want %q and an error with %q", tc.what, data, err, tc.want, tc.err)
		}
		if len(a.asked) != 1 || a.asked[0].URL.String() != address || a.asked[0].Header.Get("Authorization") != "" {
			t.Errorf("%s: asked %d times, %v with %v", tc.what, len(a.asked), a.asked[0].URL, a.asked[0].Header)
		}
	}
}
