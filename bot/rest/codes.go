package rest

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/bwmarrin/discordgo"

	"marque/bot/show"
)

// Discord's error codes that mean something to us.
const (
	CodeUnknownChannel     = 10003
	CodeUnknownGuild       = 10004
	CodeMissingAccess      = 50001
	CodeMissingPermissions = 50013
	CodeThreadArchived     = 50083
	CodeThreadLocked       = 160005
)

// Code is the error code in Discord's answer (10003 unknown channel, 50013 missing permissions); 0
// when err has none.
func Code(err error) int {
	var re *discordgo.RESTError
	if errors.As(err, &re) && re.Message != nil {
		return re.Message.Code
	}
	return 0
}

// Status is the status of Discord's answer; 0 when err has none.
func Status(err error) int {
	var re *discordgo.RESTError
	if errors.As(err, &re) && re.Response != nil {
		return re.Response.StatusCode
	}
	return 0
}

// Scrub keeps the URL of a failed request, which holds the interaction's token, out of errors.
func Scrub(err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		return fmt.Errorf("%s: %w", ue.Op, ue.Err)
	}
	var re *discordgo.RESTError
	if errors.As(err, &re) {
		return fmt.Errorf("discord answered %d (code %d): %s", Status(err), Code(err), show.Clip(string(re.ResponseBody), 500))
	}
	return err
}
