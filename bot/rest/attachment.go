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

// attachmentHosts are the hosts that serve Discord's attachments.
var attachmentHosts = []string{"cdn.discordapp.com", "media.discordapp.net"}

// attachmentTime limits the time for fetching a file.
const attachmentTime = 10 * time.Second

// Errors of Client.Attachment.
var (
	// ErrForeign means that a URL is not the address of an attachment on Discord. Nothing was fetched.
	ErrForeign = errors.New("not the address of an attachment on Discord")
	// ErrTooLarge says that a file is larger than allowed.
	ErrTooLarge = errors.New("the file is too large")
)

// Attachment fetches a file that a user attached to an interaction; most is its maximum size in bytes. Attachment sends
// requests only to Discord's own servers, follows no redirects, and sends no token. It returns ErrForeign, ErrTooLarge,
// or the error of the request.
func (r Client) Attachment(ctx context.Context, address string, most int) ([]byte, error) {
	u, err := url.Parse(address)
	// The host is compared as written, so that a port, a user or a trailing dot cannot lead to another server.
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

// attached reports whether the path of a URL leads to an attachment.
func attached(path string) bool {
	return strings.HasPrefix(path, "/attachments/") || strings.HasPrefix(path, "/ephemeral-attachments/")
}
