package bolt

import (
	"bytes"
	"context"

	"marque/storage"
)

// DeleteGuild deletes everything that is stored of a server: tables, results, leaderboards, seasons,
// settings. Tables that are opened there from now on stay.
//
// Seasons and settings are gone when it returns. The rest takes time in proportion to the server and is
// done in the background: that is the Work Deleting.
func (s *Store) DeleteGuild(ctx context.Context, guild string) error {
	if err := storage.CheckName(guild); err != nil {
		return err
	}
	return s.ask(ctx, job{kind: deleting, of: guild}, func(t *txn, j, before *job) error {
		j.Upto = storage.ID(t.tx.Bucket(tableBucket).Sequence())
		for _, e := range []entry{
			{leagueBucket, name(nil, guild)}, {guildPreference, name(nil, guild)},
			{jobBucket, jobKey(recounting, guild)}, // what is being counted is not to become live any more
		} {
			if err := t.del(e.bucket, e.key); err != nil {
				return err
			}
		}
		return nil
	})
}

// deleteGuild does the job of DeleteGuild.
func (s *Store) deleteGuild(ctx context.Context, j job) error {
	prefix := name(nil, j.of)
	return s.steps(ctx, j, func(t *txn, j *job) error {
		if more, err := deleteTables(t, j.of, j.Upto); more || err != nil {
			return err
		}
		more, err := deleteSome(t, prefix, standingBucket, standingBucketB, ranksBucket, ranksBucketB, ratingBucket, ratingBucketB)
		if more || err != nil {
			return err
		}
		j.done = true
		if k, _ := t.tx.Bucket(orderResults).Cursor().Seek(prefix); bytes.HasPrefix(k, prefix) {
			// Games have ended there meanwhile.
			return request(t, job{kind: recounting, of: j.of})
		}
		return setLive(t, j.of, 0)
	})
}

// deleteTables deletes as many tables of a server, up to one, as a step may, and reports whether there
// are more.
func deleteTables(t *txn, guild string, upto storage.ID) (more bool, err error) {
	var ids []storage.ID
	prefix := name(nil, guild)
	c := t.tx.Bucket(guildBucket).Cursor()
	k, _ := c.Seek(prefix)
	for ; bytes.HasPrefix(k, prefix) && len(ids) < stepResults; k, _ = c.Next() {
		id := tableOf(k)
		if k[len(prefix)] == 1 {
			id = ^id
		}
		if id <= upto {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		if err := deleteTable(t, id); err != nil {
			return false, err
		}
	}
	return bytes.HasPrefix(k, prefix), nil
}

func deleteTable(t *txn, id storage.ID) error {
	head, err := loadHead(t.tx, id)
	if err != nil {
		return err
	}
	list := entries(head)
	if r, err := storedResult(t.tx, id); err == nil {
		lists, _ := resultEntries(r)
		list = append(list, lists...)
		list = append(list, entry{longResults, longKey(r)}, entry{orderResults, orderKey(r.Guild, r.Order)}, entry{resultBucket, tableKey(id)})
		for _, g := range []generation{0, 1} {
			list = append(list, entry{g.ratings(), orderKey(r.Guild, r.Order)})
		}
	}
	list = append(list, entry{detailBucket, tableKey(id)}, entry{outboxBucket, tableKey(id)})
	rows := t.tx.Bucket(tableBucket).Cursor()
	prefix := tableKey(id)
	for k, _ := rows.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = rows.Next() {
		list = append(list, entry{tableBucket, bytes.Clone(k)})
	}
	for _, e := range list {
		if err := t.del(e.bucket, e.key); err != nil {
			return err
		}
	}
	return nil
}
