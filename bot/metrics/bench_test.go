package metrics_test

import (
	"testing"
	"time"

	"marque/bot/interact"
	"marque/bot/metrics"
	"marque/bot/rest"
	"marque/render"
)

// BenchmarkMove measures the cost of the metrics of one move: of the command, its commit, a painted board, and three
// requests to Discord. "of-move" is the share of this cost in the five milliseconds of processor time that a move takes
// according to "marque-lab load".
func BenchmarkMove(b *testing.B) {
	m := metrics.New(metrics.Build{})
	answered := interact.Answered{Kind: "command", What: "/move", Outcome: interact.Outcome("ok"),
		First: 3 * time.Millisecond}
	exchanges := []rest.Exchange{
		{Method: "POST", Route: "/interactions/{id}/{token}/callback", Status: 204, Took: time.Millisecond},
		{Method: "POST", Route: "/channels/{id}/messages", Status: 200, Took: time.Millisecond},
		{Method: "PATCH", Route: "/channels/{id}/messages/{id}", Status: 200, Took: time.Millisecond},
	}
	b.ReportAllocs()
	for b.Loop() {
		m.Answered(answered)
		m.Committed(time.Millisecond, nil)
		m.Painted(render.Painted{Kind: "board", Took: time.Millisecond})
		for _, e := range exchanges {
			m.Exchanged(e)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(5*time.Millisecond), "of-move")
}
