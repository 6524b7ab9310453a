package rest

import "testing"

// A route contains no id and no token, which limits the number of routes. Unknown paths have the same route.
func TestRoutesHaveNoIds(t *testing.T) {
	for path, want := range map[string]string{
		"/api/v9/channels/42/messages":                          "/channels/{id}/messages",
		"/api/v9/channels/42/messages/77":                       "/channels/{id}/messages/{id}",
		"/api/v9/interactions/7/aW50ZXJhY3Rpb24/callback":       "/interactions/{id}/{token}/callback",
		"/api/v9/webhooks/7/aW50ZXJhY3Rpb24/messages/@original": "/webhooks/{id}/{token}/messages/@original",
		"/api/v10/applications/1/commands":                      "/applications/{id}/commands",
		"/api/v9/oauth2/applications/@me":                       "/oauth2/applications/@me",
		"/api/v9/users/@me/channels":                            "/users/@me/channels",
		"/api/v9/gateway":                                       "/gateway",
		"/api/v9/4711":                                          "other",
		"/api/v9/secret/4711":                                   "other",
		"/attachments/1/2/board.png":                            "other",
		"/api/v9/channels/1/2/3/4/5/6/7/8":                      "other",
		"":                                                      "other",
	} {
		if got := routeOf(path); got != want {
			t.Errorf("%s is counted as %s, want %s", path, got, want)
		}
	}
}
