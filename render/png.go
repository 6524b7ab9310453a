package render

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"slices"
	"sync"

	"github.com/klauspost/compress/zlib"
)

// deflation is the compression level. Boards become an eighth smaller than with the standard library's BestSpeed, in
// about the same time.
const deflation = 6

// pngEncoder writes pictures as PNG files. It is safe for concurrent use.
type pngEncoder struct{ work sync.Pool } // of *pngWork

// pngWork has reusable buffers for writing one picture.
type pngWork struct {
	data bytes.Buffer
	zlib *zlib.Writer
}

// encode returns the picture as a PNG file.
func (e *pngEncoder) encode(im *image.Paletted) []byte {
	work, _ := e.work.Get().(*pngWork)
	if work == nil {
		work = &pngWork{}
		work.zlib, _ = zlib.NewWriterLevel(&work.data, deflation) // fails only for unknown levels
	}
	defer e.work.Put(work)
	work.data.Reset()
	work.zlib.Reset(&work.data)
	w, h := im.Rect.Dx(), im.Rect.Dy()
	for y := range h {
		work.zlib.Write([]byte{0}) // filter 0 (none), because indices are not amounts; a Buffer never fails
		work.zlib.Write(im.Pix[y*im.Stride:][:w])
	}
	work.zlib.Close()
	ihdr := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(h))
	ihdr = append(ihdr, 8, 3, 0, 0, 0) // bit depth 8, indexed colours
	var plte []byte
	for _, c := range im.Palette {
		rgb := c.(color.RGBA)
		plte = append(plte, rgb.R, rgb.G, rgb.B)
	}
	out := slices.Grow([]byte("\x89PNG\r\n\x1a\n"), len(plte)+work.data.Len()+100)
	out = appendChunk(out, "IHDR", ihdr)
	out = appendChunk(out, "PLTE", plte)
	out = appendChunk(out, "IDAT", work.data.Bytes())
	return appendChunk(out, "IEND", nil)
}

func appendChunk(out []byte, kind string, data []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
	from := len(out)
	out = append(out, kind...)
	out = append(out, data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[from:]))
}
