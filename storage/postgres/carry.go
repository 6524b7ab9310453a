package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"marque/games"
	"marque/storage"
	"marque/storage/encode"
)

// exportPage is how many tables or results are read at once.
const exportPage = 200

// Export gives all of the store away, as storage.Exporter says.
func (s *Store) Export(ctx context.Context, f func(storage.Piece) error) error {
	return s.snapshot(ctx, func(ctx context.Context, q querier) error {
		for _, part := range []func(context.Context, querier, func(storage.Piece) error) error{
			exportTables, exportResults, exportLines, exportShelves, exportFilms, exportJobs,
		} {
			if err := part(ctx, q, f); err != nil {
				return err
			}
		}
		var g storage.GivenPiece
		if err := q.QueryRow(ctx, `SELECT CASE WHEN t.is_called THEN t.last_value ELSE 0 END, CASE WHEN r.is_called THEN r.last_value ELSE 0 END
			FROM table_ids t, result_orders r`).Scan(&g.Tables, &g.Results); err != nil {
			return err
		}
		return f(storage.Piece{Given: &g})
	})
}

func exportTables(ctx context.Context, q querier, f func(storage.Piece) error) error {
	last := storage.ID(0)
	for {
		rows, err := q.Query(ctx, `SELECT t.id, t.version, t.events, t.head, t.published, t.note, d.value, v.value,
			(SELECT array_agg(e.value ORDER BY e.version, e.number) FROM events e WHERE e.table_id = t.id)
			FROM tables t LEFT JOIN details d ON d.table_id = t.id LEFT JOIN reviews v ON v.table_id = t.id WHERE t.id > $1 ORDER BY t.id LIMIT $2`, last, exportPage)
		if err != nil {
			return err
		}
		type row struct {
			headRow
			published            uint64
			note, detail, review []byte
			values               [][]byte
		}
		list, err := pgx.CollectRows(rows, func(c pgx.CollectableRow) (r row, err error) {
			err = c.Scan(&r.id, &r.version, &r.events, &r.head, &r.published, &r.note, &r.detail, &r.review, &r.values)
			return r, err
		})
		if err != nil {
			return err
		}
		for _, r := range list {
			last = r.id
			t := storage.TablePiece{}
			t.Published = r.published
			if t.Head, err = parseHead(r.id, r.version, r.events, r.head); err != nil {
				return err
			}
			if t.Detail, err = parseDetail(r.id, r.detail); err != nil {
				return err
			}
			if t.Events, err = parseEvents(t.Head, 0, r.values); err != nil {
				return err
			}
			if t.Note, err = parseNote(r.id, r.published, r.note); err != nil {
				return err
			}
			if r.review != nil {
				t.Review = &storage.Review{}
				if err := parseReview(r.id, r.review, t.Review); err != nil {
					return err
				}
			}
			if err := f(storage.Piece{Table: &t}); err != nil {
				return err
			}
		}
		if len(list) < exportPage {
			return nil
		}
	}
}

func exportResults(ctx context.Context, q querier, f func(storage.Piece) error) error {
	guilds, err := ranked(ctx, q)
	if err != nil {
		return err
	}
	for _, guild := range guilds {
		for last, more := uint64(0), true; more; {
			list, err := resultsAfter(ctx, q, guild, last, exportPage)
			if err != nil {
				return err
			}
			for _, r := range list {
				last = r.Order
				if err := f(storage.Piece{Result: &r}); err != nil {
					return err
				}
			}
			more = len(list) == exportPage
		}
	}
	return nil
}

func exportLines(ctx context.Context, q querier, f func(storage.Piece) error) error {
	rows, err := q.Query(ctx, `SELECT s.guild, s.game, s.computers, s.season, s.player, s.value FROM standings s LEFT JOIN generations g ON g.guild = s.guild
		WHERE s.generation = coalesce(g.live, 0)`)
	if err != nil {
		return err
	}
	var guild string
	var k lineKey
	var value []byte
	_, err = pgx.ForEachRow(rows, []any{&guild, &k.game, &k.computers, &k.season, &k.player, &value}, func() error {
		l, err := parseLine(guild, k, value)
		if err != nil {
			return err
		}
		return f(storage.Piece{Line: &storage.LinePiece{
			Board: storage.Board{Guild: guild, Game: k.game, Computers: k.computers, Season: k.season}, Standing: l,
		}})
	})
	return err
}

func exportShelves(ctx context.Context, q querier, f func(storage.Piece) error) error {
	for _, from := range []shelf{leagueShelf, guildShelf, userShelf, noteShelf} {
		rows, err := q.Query(ctx, "SELECT "+from.key+", value FROM "+from.table)
		if err != nil {
			return err
		}
		var of string
		var value []byte
		if _, err := pgx.ForEachRow(rows, []any{&of, &value}, func() error {
			p, err := from.piece(of, value)
			if err != nil {
				return err
			}
			return f(p)
		}); err != nil {
			return err
		}
	}
	return nil
}

func (f shelf) piece(of string, value []byte) (storage.Piece, error) {
	var into any
	var p storage.Piece
	switch f.table {
	case leagueShelf.table:
		p.League = &storage.LeaguePiece{Guild: of}
		into = &p.League.League
	case noteShelf.table:
		p.Note = &storage.NotePiece{Name: of}
		into = &p.Note.Value
	default:
		p.Settings = &storage.SettingsPiece{User: f.table == userShelf.table, Of: of}
		into = &p.Settings.Value
	}
	return p, parseJSON(f.kind, words(of), value, into, f.what+" "+of)
}

func exportFilms(ctx context.Context, q querier, f func(storage.Piece) error) error {
	rows, err := q.Query(ctx, "SELECT table_id, tries FROM films")
	if err != nil {
		return err
	}
	var film storage.Film
	_, err = pgx.ForEachRow(rows, []any{&film.Table, &film.Tries}, func() error {
		copied := film
		return f(storage.Piece{Film: &copied})
	})
	return err
}

func exportJobs(ctx context.Context, q querier, f func(storage.Piece) error) error {
	rows, err := q.Query(ctx, "SELECT kind, of, value FROM jobs")
	if err != nil {
		return err
	}
	var w storage.Work
	var value []byte
	_, err = pgx.ForEachRow(rows, []any{&w.Kind, &w.Of, &value}, func() error {
		var j job
		if err := parseJSON(jobKind, words(string(w.Kind), w.Of), value, &j, jobWhat); err != nil {
			return err
		}
		return f(storage.Piece{Work: &storage.WorkPiece{Work: w, As: j.As, Upto: j.Upto}})
	})
	return err
}

// Import fills an empty database with all that another store has, in one transaction, and checks it. It returns an *OpenError for a
// database that is not empty, and the errors of from.
func Import(ctx context.Context, url string, from storage.Exporter) (encode.Digest, error) {
	var given encode.Digest
	d, err := connect(ctx, url)
	if err != nil {
		return given, err
	}
	if err := d.migrate(ctx); err != nil {
		d.pool.Close()
		return given, d.explain(err)
	}
	// Its jobs do not run before all is there.
	s := quietStore(d)
	defer s.Close()
	err = func() error {
		c, err := d.pool.Acquire(ctx)
		if err != nil {
			return err
		}
		defer c.Release()
		return onTx(ctx, c, func(tx pgx.Tx) error {
			if err := d.mustBeEmpty(ctx, tx); err != nil {
				return err
			}
			in := newImporter(tx)
			err := from.Export(ctx, func(p storage.Piece) error { return errors.Join(given.Add(p), in.add(ctx, p)) })
			if err != nil {
				return err
			}
			return in.flush(ctx)
		})
	}()
	if err != nil {
		return given, translate(err)
	}
	arrived, err := encode.DigestOf(ctx, s)
	if err != nil {
		return given, err
	}
	if arrived != given {
		return given, fmt.Errorf("%w (it has not all that it was given)", storage.ErrDamaged)
	}
	return given, s.Check(ctx)
}

// mustBeEmpty returns an *OpenError for a database in which something is stored, and keeps others from storing anything there.
func (d *database) mustBeEmpty(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() AND tablename <> $1 ORDER BY 1", versions)
	if err != nil {
		return err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for i, t := range tables {
		tables[i] = pgx.Identifier{t}.Sanitize()
	}
	if _, err := tx.Exec(ctx, "LOCK TABLE "+strings.Join(tables, ", ")+" IN EXCLUSIVE MODE NOWAIT"); err != nil {
		return &OpenError{Where: d.where, Err: errors.New("it is in use"), Advice: "stop the marque that works with it, or name an empty database"}
	}
	for _, t := range tables {
		var there bool
		if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM "+t+")").Scan(&there); err != nil {
			return err
		}
		if there {
			return &OpenError{Where: d.where, Err: errors.New("it is not empty"), Advice: "name an empty database; nothing was changed"}
		}
	}
	return nil
}

// importer copies pieces into the database, some at a time.
type importer struct {
	tx    pgx.Tx
	names []string // of tables, in the order in which they came
	into  map[string]*copyInto
	rows  int
}

// copyInto is rows of a table that are to be copied.
type copyInto struct {
	columns []string
	rows    [][]any
}

// importRows is how many rows are copied at once, about.
const importRows = 5000

func newImporter(tx pgx.Tx) *importer { return &importer{tx: tx, into: map[string]*copyInto{}} }

func (in *importer) row(table, columns string, values ...any) {
	c := in.into[table]
	if c == nil {
		c = &copyInto{columns: strings.Fields(columns)}
		in.into[table] = c
		in.names = append(in.names, table)
	}
	c.rows = append(c.rows, values)
	in.rows++
}

func (in *importer) flush(ctx context.Context) error {
	for _, name := range in.names {
		c := in.into[name]
		if len(c.rows) == 0 {
			continue
		}
		if _, err := in.tx.CopyFrom(ctx, pgx.Identifier{name}, c.columns, pgx.CopyFromRows(c.rows)); err != nil {
			return err
		}
		c.rows = c.rows[:0]
	}
	in.rows = 0
	return nil
}

func (in *importer) add(ctx context.Context, p storage.Piece) error {
	if err := in.piece(ctx, p); err != nil {
		return err
	}
	if in.rows < importRows {
		return nil
	}
	return in.flush(ctx)
}

func (in *importer) piece(ctx context.Context, p storage.Piece) error {
	switch {
	case p.Table != nil:
		return in.table(*p.Table)
	case p.Result != nil:
		return in.result(*p.Result)
	case p.Line != nil:
		l := *p.Line
		b := &lineBatch{guild: l.Guild}
		if err := b.add(keyOf(l.Board, l.Player), l.Standing); err != nil {
			return err
		}
		in.row("standings", "guild generation game computers season player sure games value",
			l.Guild, 0, l.Game, l.Board.Computers, l.Season, l.Player, b.sure[0], b.count[0], b.values[0])
	case p.League != nil:
		return in.shelf(leagueShelf, p.League.Guild, p.League.League)
	case p.Settings != nil && p.Settings.User:
		return in.shelf(userShelf, p.Settings.Of, p.Settings.Value)
	case p.Settings != nil:
		return in.shelf(guildShelf, p.Settings.Of, p.Settings.Value)
	case p.Note != nil:
		return in.shelf(noteShelf, p.Note.Name, p.Note.Value)
	case p.Film != nil:
		in.row("films", "table_id tries", int64(p.Film.Table), p.Film.Tries)
	case p.Work != nil:
		return request(ctx, in.tx, job{kind: p.Work.Kind, of: p.Work.Of, As: p.Work.As, Upto: p.Work.Upto})
	case p.Given != nil:
		for name, last := range map[string]int64{"table_ids": int64(p.Given.Tables), "result_orders": int64(p.Given.Results)} {
			if _, err := in.tx.Exec(ctx, "SELECT setval($1::text::regclass, greatest($2::bigint, 1), $2::bigint > 0)", name, last); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("%w: a piece that is nothing", storage.ErrInvalid)
	}
	return nil
}

func (in *importer) shelf(f shelf, of string, v any) error {
	b, err := sealJSON(f.kind, words(of), v)
	if err != nil {
		return err
	}
	in.row(f.table, f.key+" value", of, b)
	return nil
}

func (in *importer) table(p storage.TablePiece) error {
	h := p.Head
	id := int64(h.ID)
	head, err := sealHead(h)
	if err != nil {
		return err
	}
	detail, err := sealDetail(h.ID, p.Detail)
	if err != nil {
		return err
	}
	var note []byte
	if p.Published > 0 || p.Note != "" {
		note = sealNote(h.ID, p.Published, p.Note)
	}
	l := listingOf(h)
	user, since := turnOf(h)
	in.row("tables", "id version events head listing slot turn_user turn_since due_next published note pending",
		id, int64(h.Version), int64(h.Events), head, l.digest(), 0, user, since, nextDue(h), int64(p.Published), note, p.Published < h.Version)
	in.row("listings", "id guild channel game status over paused rematch", id, l.guild, l.channel, l.game, l.status, l.over, l.paused, l.rematch)
	for _, u := range l.users {
		in.row("seats", "user_id over table_id", u, l.over, id)
	}
	in.row("details", "table_id value", id, detail)
	for i, e := range p.Events {
		in.row("events", "table_id version number value", id, int64(e.Version), i, sealEvent(h.ID, uint64(i), e))
	}
	if p.Review != nil {
		b, err := sealJSON(reviewKind, numbers(uint64(h.ID)), p.Review)
		if err != nil {
			return err
		}
		in.row("reviews", "table_id value", id, b)
	}
	return nil
}

func (in *importer) result(r storage.Result) error {
	b, err := sealResult(r)
	if err != nil {
		return err
	}
	ratings, err := sealJSON(ratingKind, ratingKey(r.Guild, r.Order), r.Ratings)
	if err != nil {
		return err
	}
	id := int64(r.Table)
	in.row("results", "table_id guild game ended abandoned plays ord value",
		id, r.Guild, r.Game, int64(r.Ended), r.Ending == games.Abandoned, int64(r.Plays), int64(r.Order), b)
	users := usersOf(r)
	slices.Sort(users)
	for _, u := range slices.Compact(users) {
		in.row("result_users", "user_id ended table_id", u, int64(r.Ended), id)
	}
	in.row("ratings", "guild generation ord value", r.Guild, 0, int64(r.Order), ratings)
	return nil
}
