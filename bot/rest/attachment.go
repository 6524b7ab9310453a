package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// attachmentHosts are where Discord keeps what people attach.
var attachmentHosts = []string{"cdn.discordapp.com", "media.discordapp.net"}

// attachmentTime bounds the fetching of a file.
const attachmentTime = 10 * time.Second

// What can be wrong with a file that somebody attached.
var (
	// ErrForeign says that an address is none of Discord's attachments; nothing was fetched.
	ErrForeign = errors.New("not the address of an attachment on Discord")
	// ErrTooLarge says that a file has more bytes than it may have.
	ErrTooLarge = errors.New("the file is too large")
)

// Attachment fetches what a user attached to an interaction, of at most so many bytes. It asks Discord's own servers
// alone, follows no redirection, and sends no token. It returns ErrForeign, ErrTooLarge, or why the file cannot be had.
func (r Client) Attachment(ctx context.Context, address string, most int) ([]byte, error) {
	u, err := url.Parse(address)
	// The host as it is written, so that no port, user or trailing point leads elsewhere.
	if err != nil || u.Scheme != "https" || u.User != nil || u.Opaque != "" || !slices.Contains(attachmentHosts,
		u.Host) || !attached(u.Path) {
		return nil, ErrForeign
	}
	ctx, cancel := context.WithTimeout(ctx, attachmentTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	client := *r.Session.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("fetching an attachment: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("fetching an attachment: %s", resp.Status)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, int64(most)+1))
	if err != nil {
		return nil, fmt.Errorf("fetching an attachment: %w", err)
	}
	if len(data) > most {
		return nil, ErrTooLarge
	}
	return data, nil
}

// attached reports whether a path is one of those under which attachments are.
func attached(path string) bool {
	return strings.HasPrefix(path, "/attachments/") || strings.HasPrefix(path, "/ephemeral-attachments/")
}
