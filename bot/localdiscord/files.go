package localdiscord

import (
	"net/http"
	"strings"
	"sync"
)

// fileStore keeps the content of attachments. Beyond maxAttachmentBytes it drops the oldest.
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

// ServeHTTP serves attachments under the paths of Discord's CDN.
func (fs *fileStore) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/attachments/"), "/", 3)
	if len(parts) != 3 {
		http.NotFound(w, r)
		return
	}
	f, ok := fs.get(parts[1])
	if !ok || f.name != parts[2] {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cache-Control", "private, max-age=86400")
	// Only pictures are shown in the browser. Other files, such as pages with scripts, are downloads.
	switch f.contentType {
	case "image/png", "image/gif", "image/jpeg", "image/webp":
		h.Set("Content-Type", f.contentType)
	default:
		h.Set("Content-Type", "application/octet-stream")
		h.Set("Content-Disposition", "attachment")
	}
	w.Write(f.data)
}
