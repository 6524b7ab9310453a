//go:build linux || darwin || freebsd

package main

import "syscall"

// freeSpace returns the number of bytes that this user can still write in a folder.
func freeSpace(folder string) (uint64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, err
	}
	return uint64(max(0, s.Bavail)) * uint64(s.Bsize), nil
}
