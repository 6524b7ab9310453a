package localdiscord

import "sync"

// fileStore keeps the bytes of attachments, the oldest dropped once they are more than maxAttachmentBytes.
type fileStore struct {
	mu    sync.Mutex
	files map[string]storedFile
	order []string
	bytes int
}

type storedFile struct {
	name        string
	contentType string
	data        []byte
}

func (fs *fileStore) put(a *attachment, data []byte) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.files[a.ID] = storedFile{a.Filename, a.ContentType, data}
	fs.order = append(fs.order, a.ID)
	fs.bytes += len(data)
	for fs.bytes > maxAttachmentBytes && len(fs.order) > 1 {
		fs.remove(fs.order[0])
		fs.order = fs.order[1:]
	}
	if len(fs.order) > 64 && len(fs.order) > 2*len(fs.files) {
		kept := fs.order[:0:0]
		for _, id := range fs.order {
			if _, ok := fs.files[id]; ok {
				kept = append(kept, id)
			}
		}
		fs.order = kept
	}
}

func (fs *fileStore) drop(id string) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.remove(id)
}

func (fs *fileStore) remove(id string) {
	fs.bytes -= len(fs.files[id].data)
	delete(fs.files, id)
}

func (fs *fileStore) get(id string) (storedFile, bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f, ok := fs.files[id]
	return f, ok
}
