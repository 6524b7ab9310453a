package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"go.etcd.io/bbolt"

	"marque/storage"
	"marque/storage/encode"
)

// Export gives all of the store away, as storage.Exporter says.
func (s *Store) Export(ctx context.Context, f func(storage.Piece) error) error {
	return s.view(ctx, func(tx *bbolt.Tx) error {
		give := func(p storage.Piece) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return f(p)
		}
		for _, part := range []func(*bbolt.Tx, func(storage.Piece) error) error{
			exportTables, exportResults, exportLines, exportChoices, exportNotes, exportJobs,
		} {
			if err := part(tx, give); err != nil {
				return err
			}
		}
		return give(storage.Piece{Given: &storage.GivenPiece{
			Tables: storage.ID(tx.Bucket(tableBucket).Sequence()), Results: tx.Bucket(resultBucket).Sequence(),
		}})
	})
}

func exportTables(tx *bbolt.Tx, give func(storage.Piece) error) error {
	c := tx.Bucket(tableBucket).Cursor()
	// The rows of table 0 are the keys of commands that opened a table.
	for k, _ := c.Seek(tableKey(1)); k != nil; {
		id := tableOf(k[:8])
		t := storage.TablePiece{}
		var err error
		if t.Head, err = loadHead(tx, id); err != nil {
			return err
		}
		if t.Detail, err = decodeDetail(id, tx.Bucket(detailBucket).Get(tableKey(id))); err != nil {
			return err
		}
		if t.Events, err = loadEvents(tx, t.Head, 0); err != nil {
			return err
		}
		if t.Published, t.Note, err = loadPost(tx, id); err != nil {
			return err
		}
		if key := rowKey(id, reviewRow); tx.Bucket(tableBucket).Get(key) != nil {
			t.Review = &storage.Review{}
			if err := decodeJSON(tableBucket, key, tx.Bucket(tableBucket).Get(key), t.Review); err != nil {
				return err
			}
		}
		if err := give(storage.Piece{Table: &t}); err != nil {
			return err
		}
		k, _ = c.Seek(tableKey(id + 1))
	}
	return nil
}

func exportResults(tx *bbolt.Tx, give func(storage.Piece) error) error {
	for _, guild := range ranked(tx) {
		_, err := eachAfter(tx, guild, 0, func(r storage.Result) (bool, error) {
			if err := loadRatings(tx, &r); err != nil {
				return false, err
			}
			return true, give(storage.Piece{Result: &r})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func exportLines(tx *bbolt.Tx, give func(storage.Piece) error) error {
	for _, g := range []generation{0, 1} {
		err := tx.Bucket(g.standings()).ForEach(func(k, v []byte) error {
			board, player, ok := splitStanding(k)
			if !ok {
				return damaged(g.standings(), k, unknownFormat)
			}
			guild, rest, _ := bytes.Cut(board, []byte{0})
			game, rest, _ := bytes.Cut(rest, []byte{0})
			if live(tx, string(guild)) != g {
				return nil
			}
			l := storage.LinePiece{
				Board:    storage.Board{Guild: string(guild), Game: string(game), Computers: rest[0] == 'c', Season: int(binary.BigEndian.Uint32(rest[1:]))},
				Standing: storage.Standing{Player: player},
			}
			if err := decodeJSON(g.standings(), k, v, &l.Standing); err != nil {
				return err
			}
			return give(storage.Piece{Line: &l})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func exportChoices(tx *bbolt.Tx, give func(storage.Piece) error) error {
	err := tx.Bucket(leagueBucket).ForEach(func(k, v []byte) error {
		l := storage.LeaguePiece{Guild: string(bytes.TrimSuffix(k, []byte{0}))}
		if err := decodeJSON(leagueBucket, k, v, &l.League); err != nil {
			return err
		}
		return give(storage.Piece{League: &l})
	})
	for _, bucket := range [][]byte{guildPreference, userPreference} {
		if err != nil {
			return err
		}
		err = tx.Bucket(bucket).ForEach(func(k, v []byte) error {
			p := storage.SettingsPiece{User: bytes.Equal(bucket, userPreference), Of: string(bytes.TrimSuffix(k, []byte{0}))}
			if err := decodeJSON(bucket, k, v, &p.Value); err != nil {
				return err
			}
			return give(storage.Piece{Settings: &p})
		})
	}
	return err
}

func exportNotes(tx *bbolt.Tx, give func(storage.Piece) error) error {
	return tx.Bucket(botBucket).ForEach(func(k, v []byte) error {
		if isFilm(k) {
			f := storage.Film{Table: tableOf(k)}
			if err := decodeJSON(botBucket, k, v, &f.Tries); err != nil {
				return err
			}
			return give(storage.Piece{Film: &f})
		}
		p := storage.NotePiece{Name: string(k)}
		if err := decodeJSON(botBucket, k, v, &p.Value); err != nil {
			return err
		}
		return give(storage.Piece{Note: &p})
	})
}

func exportJobs(tx *bbolt.Tx, give func(storage.Piece) error) error {
	return tx.Bucket(jobBucket).ForEach(func(k, v []byte) error {
		kind, ok := workKinds[jobKind(k[0])]
		if !ok {
			return nil // it is about the file itself
		}
		var j job
		if err := decodeJSON(jobBucket, k, v, &j); err != nil {
			return err
		}
		return give(storage.Piece{Work: &storage.WorkPiece{Work: storage.Work{Kind: kind, Of: string(k[1:])}, As: j.As, Upto: j.Upto}})
	})
}

const (
	// importSuffix is added to a file's name while it is filled.
	importSuffix = ".importing"
	// importBatch is how many pieces share a commit.
	importBatch = 200
)

// Import makes a file of all that another store has. The file appears only when it is whole, checked and on the disk. It returns a *FileError,
// with fs.ErrExist for a file that is there already, and the errors of from.
func Import(ctx context.Context, path string, from storage.Exporter) (encode.Digest, error) {
	var given, arrived encode.Digest
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = &FileError{Path: path, Err: fs.ErrExist, Advice: "name another file, or move it away first"}
		}
		return given, explain(path, err)
	}
	tmp := path + importSuffix
	if err := os.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) { // of an import that was cut short
		return given, explain(tmp, err)
	}
	defer os.Remove(tmp)
	s, err := load(tmp, schema) // whose jobs do not run yet
	if err != nil {
		return given, err
	}
	s.db.NoSync = true // all of it is synced at the end
	in := &importer{s: s}
	err = from.Export(ctx, func(p storage.Piece) error { return errors.Join(given.Add(p), in.add(ctx, p)) })
	if err == nil {
		err = in.flush(ctx)
	}
	if err == nil {
		arrived, err = encode.DigestOf(ctx, s)
	}
	if err == nil && arrived != given {
		err = fmt.Errorf("%w (it has not all that it was given)", storage.ErrDamaged)
	}
	if err == nil {
		err = s.db.Sync()
	}
	if err = errors.Join(err, s.Close()); err != nil {
		return given, err
	}
	if err := Check(ctx, tmp); err != nil {
		return given, fmt.Errorf("the new file is not sound: %w", err)
	}
	if err := keepAside(tmp, path); err != nil {
		return given, explain(path, err)
	}
	return given, syncFolder(path)
}

// importer stores pieces some at a time.
type importer struct {
	s    *Store
	list []storage.Piece
}

func (in *importer) add(ctx context.Context, p storage.Piece) error {
	if in.list = append(in.list, p); len(in.list) < importBatch {
		return nil
	}
	return in.flush(ctx)
}

func (in *importer) flush(ctx context.Context) error {
	list := in.list
	in.list = nil
	return in.s.do(ctx, func(t *txn) error {
		for _, p := range list {
			if err := importPiece(t, p); err != nil {
				return err
			}
		}
		return nil
	})
}

func importPiece(t *txn, p storage.Piece) error {
	switch {
	case p.Table != nil:
		return importTable(t, *p.Table)
	case p.Result != nil:
		return importResult(t, *p.Result)
	case p.Line != nil:
		return putLine(t, 0, &line{boardKey(p.Line.Board), p.Line.Standing})
	case p.League != nil:
		return importJSON(t, leagueBucket, name(nil, p.League.Guild), p.League.League)
	case p.Settings != nil && p.Settings.User:
		return importJSON(t, userPreference, name(nil, p.Settings.Of), p.Settings.Value)
	case p.Settings != nil:
		return importJSON(t, guildPreference, name(nil, p.Settings.Of), p.Settings.Value)
	case p.Note != nil:
		return importJSON(t, botBucket, []byte(p.Note.Name), p.Note.Value)
	case p.Film != nil:
		return importJSON(t, botBucket, filmKey(p.Film.Table), p.Film.Tries)
	case p.Work != nil:
		return request(t, job{kind: kindOf(p.Work.Kind), of: p.Work.Of, As: p.Work.As, Upto: p.Work.Upto})
	case p.Given != nil:
		t.writes++
		return errors.Join(
			t.tx.Bucket(tableBucket).SetSequence(uint64(p.Given.Tables)), t.tx.Bucket(resultBucket).SetSequence(p.Given.Results))
	}
	return fmt.Errorf("%w: a piece that is nothing", storage.ErrInvalid)
}

func importJSON(t *txn, bucket, key []byte, v any) error {
	b, err := encodeJSON(v)
	if err != nil {
		return err
	}
	return t.put(bucket, key, b)
}

func importTable(t *txn, p storage.TablePiece) error {
	h := p.Head
	head, _, err := encodeHead(h)
	if err != nil {
		return err
	}
	detail, err := encodeDetail(p.Detail)
	if err != nil {
		return err
	}
	rows := []row{{tableBucket, headKey(h.ID), head}, {detailBucket, tableKey(h.ID), detail}}
	for i, e := range p.Events {
		rows = append(rows, row{tableBucket, eventKey(h.ID, uint64(i)), appendEvent(nil, e)})
	}
	if p.Published > 0 || p.Note != "" {
		rows = append(rows, row{tableBucket, rowKey(h.ID, postRow), encodePost(p.Published, p.Note)})
	}
	if p.Published < h.Version {
		rows = append(rows, row{outboxBucket, tableKey(h.ID), []byte{}})
	}
	for _, r := range rows {
		if err := t.put(r.bucket, r.key, r.value); err != nil {
			return err
		}
	}
	if p.Review != nil {
		if err := importJSON(t, tableBucket, rowKey(h.ID, reviewRow), p.Review); err != nil {
			return err
		}
	}
	return reindex(t, storage.Head{}, h)
}

func importResult(t *txn, r storage.Result) error {
	if err := enterResult(t, r); err != nil {
		return err
	}
	if err := putRatings(t, 0, r); err != nil {
		return err
	}
	r.Ratings = nil
	return putResult(t, r)
}
