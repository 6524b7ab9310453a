package storage

import (
	"context"
	"errors"
	"slices"

	"marque/storage/kv"
)

// DeleteGuild deletes a server's data, such as its tables, results, leaderboards, seasons, competitions, settings
// and scores. Tables that are opened there later stay. Values that a server has only once, such as seasons and
// settings, are gone when DeleteGuild returns. A background job deletes the rest.
func (s *Store) DeleteGuild(ctx context.Context, guild string) error {
	if err := CheckName(guild); err != nil {
		return err
	}
	at, tables := key{server: guild}, key{name: tableSequence}
	locks := []kv.Lock{sequenceLock.of(tables), workLockOf(Recounting)}
	for _, x := range kinds {
		if onceForServer(x) {
			locks = append(locks, x.coveredBy()[0].of(at))
		}
	}
	return s.ask(ctx, job{kind: Deleting, of: guild}, func(t *txn, j, _ *job) error {
		given, _, err := sequences.get(t, tables)
		if err != nil {
			return err
		}
		j.Upto = ID(given)
		for _, x := range kinds {
			if onceForServer(x) {
				if err := t.discardAll(x, x.at().under(at, 1)); err != nil {
					return err
				}
			}
		}
		return jobs.delete(t, jobKey(Recounting, guild)) // a running recount must not make its leaderboards live
	}, locks...)
}

// onceForServer reports whether a server has at most one value of a kind.
func onceForServer(x anyKind) bool {
	return len(x.at().parts) == 1 && x.at().has(byServer) == 1
}

// deleteGuild runs the background job that DeleteGuild requests.
func (s *Store) deleteGuild(ctx context.Context, j job) error {
	for more := true; more; {
		var err error
		if more, err = s.deleteTables(ctx, &j); err != nil {
			return err
		}
	}
	at := key{server: j.of}
	for more := true; more; {
		var err error
		if more, err = s.deleteCompetition(ctx, &j); err != nil {
			return err
		}
	}
	for _, x := range kinds {
		var err error
		switch n := x.at().has(byServer); {
		case x.at().space == rowsOfCompetitions: // deleteCompetition has deleted these
		case onceForServer(x) || !slices.Contains(x.owners(), byServer):
		case n == 1:
			err = s.discardSteps(ctx, &j, x, x.at().under(at, 1))
		default:
			err = s.discardSteps(ctx, &j, x, kv.Range{Space: x.at().space})
		}
		if err != nil {
			return err
		}
	}
	return s.step(ctx, &j, func(t *txn, j *job) error {
		j.done = true
		ended, err := resultsInOrder.entries(t, resultsInOrder.under(at, 1), kv.Ascending, 1)
		if err != nil || len(ended) == 0 {
			return err
		}
		return t.request(job{kind: Recounting, of: j.of}) // games may have ended on the server in the meantime
	}, leagueLock.of(at), workLockOf(Recounting))
}

// deleteTables deletes as many tables of a server as fit into one step. It reports whether there may be more.
func (s *Store) deleteTables(ctx context.Context, j *job) (more bool, err error) {
	var at []key
	err = s.view(ctx, func(r kv.Reader) error {
		at = nil
		for _, in := range []*index{activeInServer, overInServer} {
			within := in.under(key{server: j.of}, 1)
			if in == activeInServer { // oldest first: tables that were opened after the request come last, and stay
				within.To = in.begin(key{server: j.of, table: j.Upto + 1}, len(in.parts))
			} else {
				within.From = in.begin(key{server: j.of, table: j.Upto}, len(in.parts))
			}
			list, err := in.entries(r, within, kv.Ascending, stepResults-len(at))
			if err != nil {
				return err
			}
			if at = append(at, list...); len(at) == stepResults {
				break
			}
		}
		return nil
	})
	if err != nil || len(at) == 0 {
		return false, err
	}
	locks := []kv.Lock{leagueLock.of(key{server: j.of})}
	for _, k := range at {
		locks = append(locks, tableLock.of(k))
	}
	return true, s.step(ctx, j, func(t *txn, _ *job) error {
		for _, k := range at {
			for _, x := range kinds {
				if x.at().has(byTable) != 1 || !slices.Contains(x.owners(), byTable) {
					continue
				}
				if err := t.discardRows(x, k); err != nil {
					return err
				}
			}
			// A result is deleted with its table.
			if err := t.discardAll(results, results.under(key{server: j.of, table: k.table}, 2)); err != nil {
				return err
			}
		}
		return nil
	}, locks...)
}

// deleteCompetition deletes one competition of a server with all its rows. It reports whether there may be more.
func (s *Store) deleteCompetition(ctx context.Context, j *job) (more bool, err error) {
	at, err := s.keysIn(ctx, competitionsOfServer, competitionsOfServer.under(key{server: j.of}, 1), 1)
	if err != nil || len(at) == 0 {
		return false, err
	}
	return true, s.step(ctx, j, func(t *txn, _ *job) error {
		err := each(t, competitions.under(at[0], 2), func(p kv.Pair) error {
			if x, _ := find(rowsOfCompetitions, p.Key); x != nil {
				return t.discard(x, p)
			}
			return t.Delete(kv.Key{Space: rowsOfCompetitions, Key: p.Key})
		})
		return errors.Join(err, t.Delete(competitionsOfServer.key(at[0]))) // even if the head cannot be read
	}, competitionLock.of(at[0]))
}

// discardRows deletes all values of a kind that belong to a table.
func (t *txn) discardRows(x anyKind, k key) error {
	l := x.at()
	parts := 1
	for parts < len(l.parts) && l.parts[parts].show == nil { // the prefix includes the fixed byte of the rows of a kind
		parts++
	}
	return t.discardAll(x, l.under(k, parts))
}

// discardSteps deletes a server's values of a kind in a range, in several steps. It keeps values of tables that were
// opened after the request.
func (s *Store) discardSteps(ctx context.Context, j *job, x anyKind, in kv.Range) error {
	for more := true; more; {
		var found []kv.Pair
		err := s.view(ctx, func(r kv.Reader) error {
			page, err := r.Scan(in, kv.Ascending, stepRows)
			if err != nil {
				return err
			}
			more = len(page) == stepRows
			for _, p := range page {
				in.From = append(slices.Clone(p.Key), 0)
				if k, ok := x.at().parse(p.Key); ok && k.server == j.of && k.table <= j.Upto {
					found = append(found, kv.Pair{Key: slices.Clone(p.Key)})
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		// A step that deletes nothing is also committed, because each commit shows other processes that the job is
		// alive.
		if err := s.discardSome(ctx, j, x, found); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) discardSome(ctx context.Context, j *job, x anyKind, found []kv.Pair) error {
	var locks []kv.Lock
	var at []kv.Key
	for _, p := range found {
		k, _ := x.at().parse(p.Key)
		locks = append(locks, x.coveredBy()[0].of(k))
		at = append(at, kv.Key{Space: x.at().space, Key: p.Key})
	}
	return s.step(ctx, j, func(t *txn, _ *job) error {
		if len(at) == 0 {
			return nil
		}
		raw, err := t.Get(at...)
		if err != nil {
			return err
		}
		for i, p := range found {
			if p.Value = raw[i]; p.Value == nil {
				continue
			}
			if err := t.discard(x, p); err != nil {
				return err
			}
		}
		return nil
	}, locks...)
}
