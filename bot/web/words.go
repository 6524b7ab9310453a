package web

import (
	"encoding/json"
	"net/http"

	"marque/games/text"
)

// said maps the names in the page's script to the sentences for them.
var said = map[string]text.Message{
	"title":    text.M("bot.page.title"),
	"closed":   text.M("bot.page.closed"),
	"welcome":  text.M("bot.page.welcome"),
	"login":    text.M("bot.page.login"),
	"failed":   text.M("bot.page.login-failed"),
	"offline":  text.M("bot.page.offline"),
	"yours":    text.M("bot.page.yours"),
	"theirs":   text.M("bot.page.theirs"),
	"over":     text.M("bot.page.over"),
	"lobby":    text.M("bot.page.lobby"),
	"paused":   text.M("bot.page.paused"),
	"play":     text.M("bot.step.play"),
	"back":     text.M("bot.step.back"),
	"games":    text.M("bot.button.my-games"),
	"next":     text.M("bot.page.next"),
	"none":     text.M("bot.page.none"),
	"happened": text.M("bot.button.news"),
	"now":      text.M("bot.page.now"),
	"earlier":  text.M("bot.page.earlier"),
	"later":    text.M("bot.page.later"),
	"which":    text.M("bot.page.which"),
	"close":    text.M("bot.page.close"),
	"preview":  text.M("bot.page.preview"),
	"loud":     text.M("bot.page.loud"),
	"until":    text.M("bot.page.until"),
	"plan":     text.M("bot.page.plan"),
	"leave":    text.M("bot.plan.leave"),
	"stop":     text.M("bot.page.plan-stop"),
	"take":     text.M("bot.page.plan-take"),
	"gone":     text.M("bot.share.gone"),
	"looking":  text.M("bot.share.looking"),
	"begin":    text.M("bot.share.begin"),
}

// words answers with the page's sentences in a language.
func (rm *Room) words(w http.ResponseWriter, q *http.Request) {
	s := rm.Sentences.Speaker(nil, language(q.URL.Query().Get("language"))).Plain()
	out := map[string]string{}
	for name, m := range said {
		out[name] = s.Say(m)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache")
	_ = json.NewEncoder(w).Encode(out)
}
