package localdiscord

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sort"
	"strings"
)

// Error codes of Discord's REST interface that this package uses.
const (
	codeGeneral               = 0
	codeUnknownApplication    = 10002
	codeUnknownChannel        = 10003
	codeUnknownGuild          = 10004
	codeUnknownMember         = 10007
	codeUnknownRole           = 10011
	codeUnknownMessage        = 10008
	codeUnknownUser           = 10013
	codeUnknownWebhook        = 10015
	codeUnknownInteraction    = 10062
	codeMaxCommands           = 30032
	codeTooLarge              = 40005
	codeAlreadyAcknowledged   = 40060
	codeMaxFollowups          = 40094
	codeNoMutualGuilds        = 50278
	codeMissingAccess         = 50001
	codeNotAuthor             = 50005
	codeEmptyMessage          = 50006
	codeCannotDM              = 50007
	codeMissingPermissions    = 50013
	codeInvalidWebhookToken   = 50027
	codeNotText               = 50008
	codeWrongChannel          = 50024
	codeInvalidForm           = 50035
	codeThreadArchived        = 50083
	codeInvalidBody           = 50109
	codeNoActivity            = 50106
	codeRemovesEntryPoint     = 50240
	codeThreadExistsOnMessage = 160004
	codeThreadLocked          = 160005
	codeMaxActiveThreads      = 160006
)

// apiError is Discord's answer to a refused request.
type apiError struct {
	status  int
	code    int
	message string
	fields  formErrors // only for Invalid Form Body
}

func (e *apiError) Error() string { return fmt.Sprintf("%d %d %s", e.status, e.code, e.message) }

// MarshalJSON writes Discord's error body, with the tree of field errors if there is one.
func (e *apiError) MarshalJSON() ([]byte, error) {
	body := map[string]any{"message": e.message, "code": e.code}
	if len(e.fields) > 0 {
		body["errors"] = e.fields.tree()
	}
	return json.Marshal(body)
}

func refuse(status, code int, message string) *apiError {
	return &apiError{status: status, code: code, message: message}
}

var (
	errUnauthorized       = refuse(http.StatusUnauthorized, codeGeneral, "401: Unauthorized")
	errNotFound           = refuse(http.StatusNotFound, codeGeneral, "404: Not Found")
	errMethodNotAllowed   = refuse(http.StatusMethodNotAllowed, codeGeneral, "405: Method Not Allowed")
	errUnknownApplication = refuse(http.StatusNotFound, codeUnknownApplication, "Unknown Application")
	errUnknownChannel     = refuse(http.StatusNotFound, codeUnknownChannel, "Unknown Channel")
	errUnknownGuild       = refuse(http.StatusNotFound, codeUnknownGuild, "Unknown Guild")
	errUnknownRole        = refuse(http.StatusNotFound, codeUnknownRole, "Unknown Role")
	errUnknownMember      = refuse(http.StatusNotFound, codeUnknownMember, "Unknown Member")
	errUnknownMessage     = refuse(http.StatusNotFound, codeUnknownMessage, "Unknown Message")
	errUnknownUser        = refuse(http.StatusNotFound, codeUnknownUser, "Unknown User")
	errUnknownWebhook     = refuse(http.StatusNotFound, codeUnknownWebhook, "Unknown Webhook")
	errUnknownInteraction = refuse(http.StatusNotFound, codeUnknownInteraction, "Unknown interaction")
	errMaxCommands        = refuse(http.StatusBadRequest, codeMaxCommands,
		"Maximum number of application commands reached (100).")
	errTooLarge     = refuse(http.StatusRequestEntityTooLarge, codeTooLarge, "Request entity too large")
	errAcknowledged = refuse(http.StatusBadRequest, codeAlreadyAcknowledged,
		"Interaction has already been acknowledged.")
	errMissingAccess = refuse(http.StatusForbidden, codeMissingAccess, "Missing Access")
	errNotAuthor     = refuse(http.StatusForbidden, codeNotAuthor,
		"Cannot edit a message authored by another user")
	errEmptyMessage   = refuse(http.StatusBadRequest, codeEmptyMessage, "Cannot send an empty message")
	errCannotDM       = refuse(http.StatusForbidden, codeCannotDM, "Cannot send messages to this user")
	errNoMutualGuilds = refuse(http.StatusForbidden, codeNoMutualGuilds,
		"Cannot send messages to this user due to having no mutual guilds")
	errMissingPermissions  = refuse(http.StatusForbidden, codeMissingPermissions, "Missing Permissions")
	errInvalidWebhookToken = refuse(http.StatusUnauthorized, codeInvalidWebhookToken, "Invalid Webhook Token")
	errNotText             = refuse(http.StatusBadRequest, codeNotText, "Cannot send messages in a non-text channel")
	// the answer to a request for a thread in a channel that allows none, or for a change of a DM
	errWrongChannel   = refuse(http.StatusBadRequest, codeWrongChannel, "Cannot execute action on this channel type")
	errThreadArchived = refuse(http.StatusBadRequest, codeThreadArchived, "Thread is archived")
	errMaxFollowups   = refuse(http.StatusBadRequest, codeMaxFollowups,
		"This interaction has reached its maximum number of follow up messages")
	errInvalidBody       = refuse(http.StatusBadRequest, codeInvalidBody, "The request body contains invalid JSON.")
	errRemovesEntryPoint = refuse(http.StatusBadRequest, codeRemovesEntryPoint,
		"You cannot remove this app's Entry Point command in a bulk update operation. Please include the Entry Point command in your update request or delete it separately.")
	errNoActivity   = refuse(http.StatusBadRequest, codeNoActivity, "Invalid activity launch no access")
	errThreadExists = refuse(http.StatusBadRequest, codeThreadExistsOnMessage,
		"A thread has already been created for this message")
	errThreadLocked     = refuse(http.StatusForbidden, codeThreadLocked, "Thread is locked")
	errMaxActiveThreads = refuse(http.StatusBadRequest, codeMaxActiveThreads,
		"Maximum number of active threads reached")
)

type fieldError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// formErrors has the errors of single fields, by dotted path such as "data.components.0.custom_id".
type formErrors map[string][]fieldError

func (f formErrors) add(path, code, format string, args ...any) {
	f[path] = append(f[path], fieldError{code, fmt.Sprintf(format, args...)})
}

// err returns nil if no field was refused.
func (f formErrors) err() error {
	if len(f) == 0 {
		return nil
	}
	return &apiError{status: http.StatusBadRequest, code: codeInvalidForm, message: "Invalid Form Body", fields: f}
}

func (f formErrors) tree() map[string]any {
	root := map[string]any{}
	paths := make([]string, 0, len(f))
	for p := range f {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	for _, p := range paths {
		node := root
		if p != "" {
			for key := range strings.SplitSeq(p, ".") {
				child, ok := node[key].(map[string]any)
				if !ok {
					child = map[string]any{}
					node[key] = child
				}
				node = child
			}
		}
		node["_errors"] = f[p]
	}
	return root
}
