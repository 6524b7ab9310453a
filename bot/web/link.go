package web

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"marque/bot/table"
	"marque/storage"
)

const (
	linkTime    = 10 * time.Minute
	sessionTime = 24 * time.Hour
)

// errClosed means that a link, a session or a login is invalid or has expired.
var errClosed = errors.New("the link or the session is not valid")

// link returns an address that logs a user in once, within linkTime, at a table. The secret is in the fragment, which
// browsers do not send to servers.
func (rm *Room) link(ctx context.Context, user string, id table.ID) (string, error) {
	now := rm.Clock.Now()
	l := storage.LoginLink{ID: rand.Text(), Until: storage.At(now.Add(linkTime))}
	var key storage.Secret
	err := rm.changeLogin(ctx, user, &key, func(d *storage.Login) {
		d.Links = slices.DeleteFunc(d.Links, func(l storage.LoginLink) bool { return l.Until <= storage.At(now) })
		d.Links = append(d.Links[max(0, len(d.Links)-storage.MaxLoginLinks+1):], l)
	})
	if err != nil {
		return "", err
	}
	u := *rm.URL
	u.Path = "/"
	return u.String() + "#" + sign(key, "link", user, id.String(), strconv.FormatInt(int64(l.Until), 10), l.ID), nil
}

// changeLogin changes a user's stored keys, links and launches. It sets key to the key that signs the user's links and
// sessions, and creates it if it is missing.
func (rm *Room) changeLogin(ctx context.Context, user string, key *storage.Secret, change func(*storage.Login)) error {
	return rm.Store.ChangeLogin(ctx, user, func(d storage.Login) (storage.Login, error) {
		if d.Key == "" {
			d.Key = storage.Secret(rand.Text())
		}
		*key = d.Key
		change(&d)
		return d, nil
	})
}

// login logs in a user with Discord, and returns the user and a session. Its errors are those of loggedIn and of the
// store.
func (rm *Room) login(ctx context.Context, code, verifier, redirect string) (user, session string, err error) {
	user, err = rm.loggedIn(ctx, code, verifier, redirect)
	if err != nil {
		return "", "", err
	}
	var key storage.Secret
	if err := rm.changeLogin(ctx, user, &key, func(*storage.Login) {}); err != nil {
		return "", "", err
	}
	return user, rm.session(key, user), nil
}

// enter uses up a link. It returns the link's user and table, and a session. It returns errClosed for a link that is
// invalid, used or expired.
func (rm *Room) enter(ctx context.Context, link string) (user string, id table.ID, session string, err error) {
	f, key, err := rm.check(ctx, link, "link", 5)
	if err != nil {
		return "", 0, "", err
	}
	if id, err = storage.ParseID(f[2]); err != nil {
		return "", 0, "", errClosed
	}
	err = rm.Store.ChangeLogin(ctx, f[1], func(d storage.Login) (storage.Login, error) {
		i := slices.IndexFunc(d.Links, func(l storage.LoginLink) bool { return l.ID == f[4] })
		if i < 0 {
			return d, errClosed
		}
		d.Links = slices.Delete(d.Links, i, i+1)
		return d, nil
	})
	return f[1], id, rm.session(key, f[1]), err
}

// session returns a new session of a user.
func (rm *Room) session(key storage.Secret, user string) string {
	until := storage.At(rm.Clock.Now().Add(sessionTime))
	return sign(key, "session", user, strconv.FormatInt(int64(until), 10))
}

// visitor returns a session's user. If less than half of the session's time is left, renewed is a new session. It
// returns errClosed for an invalid or expired session.
func (rm *Room) visitor(ctx context.Context, session string) (user, renewed string, err error) {
	f, key, err := rm.check(ctx, session, "session", 3)
	if err != nil {
		return "", "", err
	}
	if until, _ := strconv.ParseInt(f[2], 10, 64); storage.Stamp(until).Time().Sub(rm.Clock.Now()) < sessionTime/2 {
		renewed = rm.session(key, f[1])
	}
	return f[1], renewed, nil
}

// maxSigned is the maximum length of the signed text of a link or a session, in bytes.
const maxSigned = 256

// check verifies a signed text and splits it into its kind, its user and n-2 further fields. The expiry is the second
// of these further fields in a link, and the first in a session.
func (rm *Room) check(ctx context.Context, signed, kind string, n int) (fields []string, key storage.Secret,
	err error) {
	f := strings.Split(signed, ".")
	if len(signed) > maxSigned || len(f) != n+1 || f[0] != kind || storage.CheckName(f[1]) != nil {
		return nil, "", errClosed
	}
	d, err := rm.Store.Login(ctx, f[1])
	if err != nil {
		return nil, "", err
	}
	if d.Key == "" || !hmac.Equal([]byte(signed), []byte(sign(d.Key, f[:n]...))) {
		return nil, "", errClosed
	}
	until, err := strconv.ParseInt(f[min(3, n-1)], 10, 64)
	if err != nil || storage.Stamp(until).Time().Before(rm.Clock.Now()) {
		return nil, "", errClosed
	}
	return f[:n], d.Key, nil
}

// sign returns fields with a signature, separated by dots.
func sign(key storage.Secret, fields ...string) string {
	said := strings.Join(fields, ".")
	mac := hmac.New(sha256.New, []byte(key.Reveal()))
	mac.Write([]byte(said))
	return said + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
