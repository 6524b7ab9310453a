package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"

	"marque/storage"
)

// The buckets. Numbers in keys are big-endian, so that keys sort as numbers do; ids of users, servers and channels
// end in a zero byte.
var (
	metaBucket     = []byte("meta")      // "schema" -> version, 4 bytes; "sealed" -> nothing: see seal.go
	tableBucket    = []byte("tables")    // table, row -> see below
	detailBucket   = []byte("details")   // table -> storage.Detail
	outboxBucket   = []byte("outbox")    // table -> nothing: has versions that are not published
	dueBucket      = []byte("due")       // moment, table, kind -> nothing
	channelBucket  = []byte("channels")  // channel, over?, table -> nothing
	guildBucket    = []byte("guilds")    // server, over?, table -> nothing
	userBucket     = []byte("users")     // user, over?, table -> nothing
	resultBucket   = []byte("results")   // table -> storage.Result
	guildResults   = []byte("results-g") // server, latest first, table -> nothing
	gameResults    = []byte("results-k") // server, game, latest first, table -> nothing
	userResults    = []byte("results-u") // user, latest first, table -> nothing
	orderResults   = []byte("results-o") // server, storage.Result.Order -> table
	longResults    = []byte("results-l") // server, the most plays first, table -> nothing; without abandoned ones
	standingBucket = []byte("standings") // board, player -> storage.Standing
	ranksBucket    = []byte("ranks")     // board, best first, games, player -> nothing
	leagueBucket   = []byte("leagues")   // server -> storage.League
	ratingBucket   = []byte("ratings")   // server, storage.Result.Order -> the ratings after it, by seat

	// The other generation of leaderboards, see generation.
	standingBucketB  = []byte("standings-b")
	ranksBucketB     = []byte("ranks-b")
	ratingBucketB    = []byte("ratings-b")
	generationBucket = []byte("generations") // server -> nothing: the other one is live

	turnBucket      = []byte("turns")     // user, since when, table, server -> nothing: waits for the user's move
	rematchBucket   = []byte("rematches") // table, its rematch that goes on -> nothing
	jobBucket       = []byte("jobs")      // kind, of what -> job
	guildPreference = []byte("settings-g")
	userPreference  = []byte("settings-u")
	botBucket       = []byte("bot")    // see uptime.go
	scoreBucket     = []byte("scores") // server, month, the most solved first, the most at the first try, user -> nothing: see scores.go
)

// The rows of a table. They are side by side, so that a move changes one page of the file, or few; every page more is one more that
// a commit writes.
const (
	headRow    = 0 // storage.Head
	postRow    = 1 // version published last, note
	commandRow = 2 // quarter of an hour, command key -> table, version; commands that opened a table are at table 0
	eventRow   = 3 // index, 4 bytes -> storage.Event
	reviewRow  = 4 // storage.Review, of a game that is over
)

var schemaKey = []byte("schema")

// Schema is the version of the files that this program writes. It opens them and all older ones.
func Schema() int { return len(schema) }

// FileSchema is the version of the schema of a file that no store has open, which may be newer than Schema; 0 for an empty one. It
// changes nothing. Errors are *FileErrors as of Open.
func FileSchema(path string) (int, error) {
	if _, err := os.Stat(path); err != nil {
		return 0, explain(path, err)
	}
	db, err := openToRead(path)
	if err != nil {
		return 0, explain(path, err)
	}
	version := 0
	err = guard(func() error {
		return db.View(func(tx *bbolt.Tx) (err error) {
			version, err = versionOf(tx)
			return err
		})
	})
	if err = errors.Join(err, db.Close()); err != nil {
		return 0, explain(path, err)
	}
	return version, nil
}

// versionOf is the version of a file's schema, 0 for an empty file. It returns storage.ErrDamaged, or a *FileError for a file of
// another program.
func versionOf(tx *bbolt.Tx) (int, error) {
	b := tx.Bucket(metaBucket)
	if b == nil {
		if name, _ := tx.Cursor().First(); name != nil {
			return 0, &FileError{Path: tx.DB().Path(), Err: storage.ErrDamaged, Advice: "it is some other program's database: name another file"}
		}
		return 0, nil
	}
	v := b.Get(schemaKey)
	if len(v) != 4 {
		return 0, fmt.Errorf("%w (its schema version cannot be read)", storage.ErrDamaged)
	}
	return int(binary.BigEndian.Uint32(v)), nil
}

// step is one thing that brings a file to the next schema version.
type step struct {
	name string // what is new, for errors
	run  func(tx *bbolt.Tx) error
}

// schema[i] are the steps that lead from version i to version i+1, in their order. Those of a version are never changed once it is released.
var schema = [][]step{
	{{"tables", createBuckets}},
	{{"indexes", createIndexes}, {"checksums", beginSealing}, {"notes about the bot", moveNotes}},
	{{"scores", createScores}},
}

// createBuckets makes version 1 of an empty file.
func createBuckets(tx *bbolt.Tx) error {
	for _, name := range [][]byte{
		tableBucket, detailBucket, outboxBucket, dueBucket,
		channelBucket, guildBucket, userBucket, resultBucket, guildResults, gameResults, userResults,
		orderResults, longResults, standingBucket, ranksBucket, leagueBucket, guildPreference, userPreference,
	} {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	return nil
}

// version2 are the buckets that version 2 adds.
var version2 = [][]byte{
	turnBucket, rematchBucket, jobBucket, ratingBucket, standingBucketB, ranksBucketB, ratingBucketB, generationBucket,
}

// createIndexes makes the buckets that version 2 adds. What belongs in them of older files is filled in
// by jobs, see fillTurns.
func createIndexes(tx *bbolt.Tx) error {
	for _, name := range version2 {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	t := &txn{tx: tx}
	if k, _ := tx.Bucket(guildBucket).Cursor().First(); k != nil {
		return errors.Join(putJob(t, job{kind: fillTurns}), putJob(t, job{kind: fillingIn}))
	}
	return nil
}

// migrate brings the file to the newest version, in one transaction. A file that holds something is copied aside first, as
// "<file>.v<version>". It returns storage.ErrNewer for a file from the future.
func migrate(db *bbolt.DB, versions [][]step) error {
	version := 0
	err := guard(func() error {
		return db.View(func(tx *bbolt.Tx) (err error) {
			version, err = versionOf(tx)
			return err
		})
	})
	switch {
	case err != nil:
		return err
	case version > len(versions):
		return fmt.Errorf("%w (schema %d, this program knows %d)", storage.ErrNewer, version, len(versions))
	case version == len(versions):
		return nil
	}
	if version > 0 {
		if err := copyAside(db, asideOf(db.Path(), version)); err != nil {
			return fmt.Errorf("copying the file before updating it: %w", err)
		}
	}
	return guard(func() error {
		return db.Update(func(tx *bbolt.Tx) error {
			for v, steps := range versions[version:] {
				for _, s := range steps {
					if err := s.run(tx); err != nil {
						return fmt.Errorf("updating to schema %d (%s): %w", version+v+1, s.name, err)
					}
				}
			}
			b, err := tx.CreateBucketIfNotExists(metaBucket)
			if err != nil {
				return err
			}
			return b.Put(schemaKey, binary.BigEndian.AppendUint32(nil, uint32(len(versions))))
		})
	})
}

// asideSuffix is added to a file's name for the copy that is made before it is brought up to date, while that is written.
const asideSuffix = ".aside"

// asideOf names that copy, by the schema of the file.
func asideOf(path string, version int) string { return fmt.Sprintf("%s.v%d", path, version) }

func copyAside(db *bbolt.DB, to string) error {
	tmp := db.Path() + asideSuffix
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = db.View(func(tx *bbolt.Tx) error {
		_, err := tx.WriteTo(f)
		return err
	})
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(tmp, to)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return syncFolder(to)
}

// syncFolder makes the name of a new file durable.
func syncFolder(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
