package kvtest

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"testing"
)

// Packed compresses a file in the way in which the test files of the releases are compressed.
func Packed(b []byte) []byte {
	var to bytes.Buffer
	z, _ := gzip.NewWriterLevel(&to, gzip.BestCompression)
	_, _ = z.Write(b) // writing to a buffer cannot fail
	_ = z.Close()
	return to.Bytes()
}

// Unpacked returns the decompressed content of the file path + ".gz".
func Unpacked(t testing.TB, path string) []byte {
	t.Helper()
	in, err := os.Open(path + ".gz")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	z, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
