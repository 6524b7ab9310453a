package archive_test

import (
	"context"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/games"
	"marque/games/catalog"
	"marque/games/computer"
)

// slowJudge is a pool that assesses no move until may is closed.
type slowJudge struct {
	computer.Pool
	may chan struct{}
}

func (j *slowJudge) Assess(ctx context.Context, _ games.View, played games.Move, _ computer.Effort,
	_ uint64) (computer.Assessment, error) {
	select {
	case <-j.may:
		return computer.Assessment{Better: played, Had: 0.5, Left: 0.5}, nil
	case <-ctx.Done():
		return computer.Assessment{}, ctx.Err()
	}
}

// A user who asks for a report, or a card to share, before the computer has assessed the whole game can ask again with
// a button below the reply.
func TestAReportThatIsNotReadyCanBeAskedForAgain(t *testing.T) {
	t.Parallel()
	const anne, channel = localdiscord.Anne, localdiscord.TortugaTables
	judge := &slowJudge{may: make(chan struct{})}
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Computers = judge })
	r.Resigned(channel, catalog.Games[0], anne, localdiscord.Jack)
	end := r.Next(channel, "0", bottest.IsOver)
	waits := map[string]*localdiscord.Message{}
	for _, label := range []string{"Report", "Result picture"} {
		waits[label] = r.Click(anne, end, label)
		r.WantText(waits[label], "I'm still looking")
	}
	close(judge.may)
	r.WantText(r.Click(anne, waits["Report"], "Report"), "decisions:")
	if card := r.Click(anne, waits["Result picture"], "Result picture"); len(card.Pictures()) != 1 {
		t.Errorf("asked again for a card, one gets %s", card.Text())
	}
}
