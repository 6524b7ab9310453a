package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"
)

// The error codes of Discord that the bot handles.
const (
	CodeUnknownChannel     = 10003
	CodeUnknownGuild       = 10004
	CodeUnknownMember      = 10007
	CodeUnknownMessage     = 10008
	CodeUnknownRole        = 10011
	CodeUnknownUser        = 10013
	CodeExplicit           = 20009 // explicit content that its receiver has filtered out
	CodeNamesBarred        = 20031 // words in names
	CodeOldEdits           = 30046 // too many edits of messages older than an hour
	CodeUnknownInteraction = 10062
	CodeAcknowledged       = 40060 // the interaction already has its first answer
	CodeMissingAccess      = 50001
	CodeCannotDM           = 50007
	CodeMissingPermissions = 50013
	CodeInvalidForm        = 50035
	CodeThreadArchived     = 50083
	CodeRemovesEntryPoint  = 50240
	CodeThreadExists       = 160004 // the message already has a thread
	CodeThreadLocked       = 160005
	CodeMaxThreads         = 160006
	CodeMessageBlocked     = 200000 // the server's automatic moderation blocked it
	CodeTitleBlocked       = 200001 // the server's automatic moderation blocked it
	CodeLinkBlocked        = 240000 // the filter for harmful links blocked it
	CodeNoMutualServer     = 50278
)

// Unwanted reports whether Discord has refused a direct message because the user does not accept any, or because the
// user shares no server with the bot and has not installed it.
func Unwanted(err error) bool {
	code := Code(err)
	return code == CodeCannotDM || code == CodeNoMutualServer
}

// Moderated reports whether Discord has refused a message because of its content.
func Moderated(err error) bool {
	switch Code(err) {
	case CodeExplicit, CodeMessageBlocked, CodeLinkBlocked:
		return true
	}
	return false
}

// NameRefused reports whether Discord has refused the name of a channel or thread. Servers in Server Discovery refuse
// names with barred words, and so does automatic moderation.
func NameRefused(err error) bool {
	switch Code(err) {
	case CodeNamesBarred, CodeTitleBlocked:
		return true
	case CodeInvalidForm:
		re := (*discordgo.RESTError)(nil)
		return errors.As(err, &re) && strings.HasPrefix(objections(re.ResponseBody), ": name ")
	}
	return false
}

// Final reports whether Discord has refused a request for a lasting reason: the request would fail again until somebody
// changes something. An answer without one of Discord's codes does not count, because it may come from another server
// in between.
func Final(err error) bool {
	status := Status(err)
	return status >= 400 && status < 500 && status != http.StatusUnauthorized && status != http.StatusRequestTimeout &&
		status != http.StatusTooManyRequests && Code(err) != 0
}

// Code returns the error code in Discord's answer (10003 unknown channel, 50013 missing permissions); 0 if err has
// none.
func Code(err error) int {
	var re *discordgo.RESTError
	if errors.As(err, &re) && re.Message != nil {
		return re.Message.Code
	}
	return 0
}

// Status returns the status of Discord's answer; 0 if err has none.
func Status(err error) int {
	var re *discordgo.RESTError
	if errors.As(err, &re) && re.Response != nil {
		return re.Response.StatusCode
	}
	return 0
}

// Unsure reports whether it is unknown if Discord has carried out a request: there was no answer, or a server error
// (5xx).
func Unsure(err error) bool {
	status := Status(err)
	return err != nil && (status == 0 || status >= http.StatusInternalServerError)
}

// Failed reports whether a request failed because of Discord or the network: there was no answer, a server error (5xx),
// or an HTML page.
func Failed(err error) bool {
	return err != nil && (errors.As(err, new(*url.Error)) || Status(err) >= http.StatusInternalServerError ||
		strings.Contains(err.Error(), givenUp) || strings.HasSuffix(err.Error(), aPage))
}

// aPage is the end of discordgo's error when Discord sends an HTML page instead of JSON, for example after too many
// requests.
const aPage = "invalid character '<' looking for beginning of value"

// givenUp is the beginning of discordgo's error when its last retry has failed. The error has no type of its own.
const givenUp = "Exceeded Max retries HTTP"

// Scrub removes from an error the parts that must not be logged. These are the URL of a failed request, which holds the
// interaction's token, and Discord's quotes of the request, which may hold names. The error codes stay, with the names
// of the request's fields that they are about.
func Scrub(err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		return fmt.Errorf("%s: %w", ue.Op, ue.Err)
	}
	var re *discordgo.RESTError
	if errors.As(err, &re) {
		return fmt.Errorf("discord answered %d (code %d)%s", Status(err), Code(err), objections(re.ResponseBody))
	}
	return err
}

// mostObjections limits how many of Discord's objections to a request are logged.
const mostObjections = 5

// objections returns Discord's objections to a request, from the body of its answer: ": data.embeds.0
// BASE_TYPE_REQUIRED" and so on.
func objections(body []byte) string {
	var answer struct {
		Errors json.RawMessage `json:"errors"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return ""
	}
	list := objectionsIn("", answer.Errors)
	slices.Sort(list)
	if len(list) == 0 {
		return ""
	}
	return ": " + strings.Join(list[:min(len(list), mostObjections)], ", ")
}

// code matches Discord's codes and the names of fields.
var code = regexp.MustCompile(`^[A-Za-z0-9_]{1,64}$`)

func objectionsIn(path string, raw json.RawMessage) (list []string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	for name, inner := range fields {
		if name != "_errors" {
			if code.MatchString(name) {
				list = append(list, objectionsIn(strings.TrimPrefix(path+"."+name, "."), inner)...)
			}
			continue
		}
		var at []struct {
			Code string `json:"code"`
		}
		if json.Unmarshal(inner, &at) != nil {
			continue
		}
		for _, o := range at {
			if code.MatchString(o.Code) {
				list = append(list, strings.TrimPrefix(path+" "+o.Code, " "))
			}
		}
	}
	return list
}
