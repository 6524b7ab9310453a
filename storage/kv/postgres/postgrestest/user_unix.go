//go:build unix

package postgrestest

import (
	"fmt"
	"os/user"
	"strconv"
	"syscall"
)

// unprivileged returns a user without privileges that can run the server when the test runs as root.
func unprivileged() (*syscall.Credential, error) {
	var err error
	for _, name := range []string{"postgres", "nobody"} {
		var u *user.User
		if u, err = user.Lookup(name); err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 == nil && err2 == nil {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, fmt.Errorf("there is no unprivileged user to run the server: %w", err)
}

func attributes(as *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: as}
}
