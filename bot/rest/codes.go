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

// Error codes of Discord that the bot handles. Source: Discord's documentation, topic "Opcodes and Status Codes",
// section "JSON".
const (
	CodeUnknownChannel     = 10003
	CodeUnknownGuild       = 10004
	CodeUnknownMember      = 10007
	CodeUnknownMessage     = 10008
	CodeUnknownRole        = 10011
	CodeUnknownUser        = 10013
	CodeExplicit           = 20009 // explicit content that the receiver filters out
	CodeNamesBarred        = 20031 // barred words in a name
	CodeOldEdits           = 30046 // too many edits of messages older than an hour
	CodeUnknownInteraction = 10062
	CodeAcknowledged       = 40060 // the interaction already has a first answer
	CodeMissingAccess      = 50001
	CodeCannotDM           = 50007
	CodeMissingPermissions = 50013
	CodeInvalidForm        = 50035
	CodeThreadArchived     = 50083
	CodeRemovesEntryPoint  = 50240
	CodeThreadExists       = 160004 // the message already has a thread
	CodeMaxThreads         = 160006
	CodeMessageBlocked     = 200000 // automatic moderation of the server blocked the message
	CodeTitleBlocked       = 200001 // automatic moderation of the server blocked the title
	CodeLinkBlocked        = 240000 // the filter for harmful links blocked the message
	CodeNoMutualServer     = 50278
)

// Unwanted reports whether Discord has refused a direct message because the user accepts none, or because the user
// shares no server with the bot and has not installed it.
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

// NameRefused reports whether Discord has refused the name of a channel or thread. Names with barred words are refused
// on servers in Server Discovery and by automatic moderation.
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

// Final reports whether Discord has refused a request for a lasting reason, so that it would fail again until somebody
// changes something. An answer without an error code of Discord does not count, because it may come from a proxy.
func Final(err error) bool {
	status := Status(err)
	return status >= 400 && status < 500 && status != http.StatusUnauthorized && status != http.StatusRequestTimeout &&
		status != http.StatusTooManyRequests && Code(err) != 0
}

// Code returns the error code in Discord's answer, such as 10003 for an unknown channel or 50013 for missing
// permissions. It returns 0 if err has none.
func Code(err error) int {
	var re *discordgo.RESTError
	if errors.As(err, &re) && re.Message != nil {
		return re.Message.Code
	}
	return 0
}

// Status returns the HTTP status of Discord's answer, or 0 if err has none.
func Status(err error) int {
	var re *discordgo.RESTError
	if errors.As(err, &re) && re.Response != nil {
		return re.Response.StatusCode
	}
	return 0
}

// Unsure reports whether it is unknown if Discord carried out a request: there was no answer, or a server error (5xx).
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

// aPage is the end of discordgo's error when the answer is an HTML page instead of JSON, for example after too many
// requests.
const aPage = "invalid character '<' looking for beginning of value"

// givenUp is the beginning of discordgo's error when the last retry has failed. This error has no type of its own.
const givenUp = "Exceeded Max retries HTTP"

// Scrub removes from an error the parts that must not be logged: the URL of a failed request, which may have the token
// of an interaction, and Discord's quotes from the request, which may have names. The error codes stay, with the names
// of the fields in the request to which they refer.
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

// mostObjections is the maximum number of field errors in an answer that are logged.
const mostObjections = 5

// objections returns the field errors in the body of Discord's answer, as text such as ": data.embeds.0
// BASE_TYPE_REQUIRED".
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

// code matches error codes of Discord and names of fields.
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
