//go:build linux

package main

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"marque/bot/localdiscord"
)

var (
	packagesOf   = flag.String("packages.of", "", "the folder with a release's files for Linux on this machine")
	packagesRoot = flag.String("packages.root", "", "a fresh root of Debian, in which root may install them")
)

// rootOf is a root folder with a minimal Debian, without Go or systemd. The test itself does what the systemd unit
// would do.
type rootOf struct {
	*ship
	dir string
}

// try runs a command that must succeed in the root folder, and returns its output.
func (r rootOf) try(command ...string) string {
	r.t.Helper()
	out, err := r.run(command...)
	if err != nil {
		r.t.Fatalf("%q: %v\n%s", command, err, out)
	}
	return out
}

func (r rootOf) run(command ...string) (string, error) {
	c := exec.CommandContext(r.ctx, "chroot", append([]string{r.dir}, command...)...)
	c.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root"}
	out, err := c.CombinedOutput()
	return string(out), err
}

// asUser returns a command that runs a shell command as the package's user, in the folder of the settings.
func (r rootOf) asUser(command string) []string {
	return []string{"setpriv", "--reuid=marque", "--regid=marque", "--init-groups", "sh", "-c",
		"cd /etc/marque && umask 077 && exec " + command}
}

// put copies a file into /tmp of the root folder, and returns its path there.
func (r rootOf) put(file string) string {
	r.t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		r.t.Fatal(err)
	}
	path := filepath.Join("/tmp", filepath.Base(file))
	if err := os.WriteFile(filepath.Join(r.dir, path), content, 0o644); err != nil {
		r.t.Fatal(err)
	}
	return path
}

// start runs a command that starts the bot as the package's user, and waits until the bot is ready. The returned
// function sends a signal to the bot and waits until it has ended.
func (r rootOf) start(d proxy, command string) (end func(syscall.Signal)) {
	r.t.Helper()
	c := exec.CommandContext(r.ctx, "chroot", append([]string{r.dir}, r.asUser(command)...)...)
	c.Env = []string{"PATH=/usr/bin:/bin", "HTTPS_PROXY=" + d.address, "SSL_CERT_FILE=" + d.authority}
	said := newHeardLog()
	c.Stdout, c.Stderr = said, said
	if err := c.Start(); err != nil {
		r.t.Fatal(err)
	}
	ended := make(chan error, 1)
	ctx, stop := context.WithCancel(r.ctx)
	go func() { ended <- c.Wait(); stop() }()
	said.wait(r.t, ctx, "marque is ready", 1)
	return func(s syscall.Signal) {
		r.t.Helper()
		if err := c.Process.Signal(s); err != nil {
			r.t.Fatal(err)
		}
		if err := <-ended; err != nil && s == syscall.SIGTERM {
			r.t.Errorf("the program ended with %v\n%s", err, said.wait(r.t, r.ctx, "", 0))
		}
	}
}

// leftOf lists the package's remaining files and data.
func (r rootOf) leftOf() string {
	return r.try("sh", "-c", "ls -d /usr/bin/marque /etc/marque/.env /etc/marque/token /var/lib/marque/marque.db "+
		"/usr/lib/systemd/system/marque.service 2>/dev/null || true")
}

// The packages can be installed as docs/operations.md says, in a fresh root folder of Debian. A game continues after a
// kill of the program, after an update, and after a downgrade to the older package. Removing the package keeps settings
// and data; purging it also deletes the settings and the token. The RPM package and the archive can then continue with
// the same data.
func TestPackages(t *testing.T) {
	if *packagesOf == "" || *packagesRoot == "" {
		t.Skip("takes a release's files, and root: -packages.of DIST -packages.root ROOT")
	}
	ctx, cancel := context.WithTimeout(t.Context(), drillTime)
	defer cancel()
	r := rootOf{launch(t, ctx), *packagesRoot}
	file := func(pattern string) string {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(*packagesOf, pattern))
		if err != nil || len(found) != 1 {
			t.Fatalf("%s has %v (%v) for %s, want one", *packagesOf, found, err, pattern)
		}
		return found[0]
	}
	deb := r.put(file("marque_*_linux_amd64.deb"))
	d := openProxy(t, r.discord)
	d.authority = r.put(d.authority)

	// An operator's first steps.
	r.try("dpkg", "--install", deb)
	if out, err := r.run(r.asUser("marque")...); err == nil || !strings.Contains(out, "DISCORD_TOKEN_FILE") {
		t.Errorf("without a token the program says %q (%v), want what to do", out, err)
	}
	r.try("sh", "-c", "printf %s '"+r.discord.Token()+"' | install -m 640 -g marque /dev/stdin /etc/marque/token")
	r.try("install", "-d", "-o", "marque", "-g", "marque", "-m", "700", "/var/lib/marque", "/var/lib/marque-backups")
	end := r.start(d, "marque")
	tables := localdiscord.TortugaTables
	if err := r.discord.Admin.DenyBot(tables, localdiscord.PermissionCreatePublicThreads); err != nil {
		t.Fatal(err)
	}
	lobby := r.open(localdiscord.Anne, tables)
	r.click(localdiscord.Jack, lobby, "Join")
	board := r.play(tables, r.after(tables, lobby.ID, "Move"), 4)
	end(syscall.SIGKILL)
	end = r.start(d, "marque")
	board = r.play(tables, board, 2)

	// The package is updated while a game is in play, and then downgraded.
	later := "/tmp/later"
	r.try("sh", "-c", "rm -rf "+later+" && dpkg-deb --raw-extract "+deb+" "+later)
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-X main.release=1.0.1", "-o",
		filepath.Join(r.dir, later, "usr/bin/marque"), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the later release is not built: %v\n%s", err, out)
	}
	r.try("sh", "-c", "sed -i 's/^Version: .*/Version: 1.0.1/' "+later+"/DEBIAN/control && rm "+later+"/DEBIAN/md5sums"+
		" && dpkg-deb --build --root-owner-group "+later+" /tmp/later.deb")
	first := r.try("marque", "version")
	for _, next := range []struct{ deb, says string }{{"/tmp/later.deb", "marque 1.0.1\n"}, {deb, first}} {
		r.try("dpkg", "--install", next.deb)
		if got := r.try("marque", "version"); !strings.HasPrefix(got, next.says) {
			t.Errorf("the program of %s says %q, want %q", next.deb, got, next.says)
		}
		board = r.play(tables, board, 1) // the previous program is still running
		end(syscall.SIGTERM)
		end = r.start(d, "marque")
		board = r.play(tables, board, 2)
	}
	end(syscall.SIGTERM)
	r.try("sh", "-c", "ls /var/lib/marque-backups/*.db")
	r.try(r.asUser("marque database check")...)

	// The package is removed, and then purged.
	r.try("dpkg", "--remove", "marque")
	if got := r.leftOf(); got != "/etc/marque/.env\n/etc/marque/token\n/var/lib/marque/marque.db\n" {
		t.Errorf("after the package was removed there are\n%swant settings, token and data", got)
	}
	r.try("dpkg", "--purge", "marque")
	if got := r.leftOf(); got != "/var/lib/marque/marque.db\n" {
		t.Errorf("after the package was purged there are\n%swant the data alone", got)
	}

	// The RPM package and its scripts work in the same root folder.
	rpm := func(args ...string) {
		t.Helper()
		c := exec.CommandContext(ctx, "rpm", append([]string{"--root", r.dir, "--dbpath", "/tmp/rpm"}, args...)...)
		c.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	rpm("--initdb")
	rpm("--install", "--nodeps", file("marque_*_linux_amd64.rpm"))
	r.try("sh", "-c", "printf %s '"+r.discord.Token()+"' | install -m 640 -g marque /dev/stdin /etc/marque/token")
	end = r.start(d, "marque")
	board = r.play(tables, board, 2)
	end(syscall.SIGTERM)
	rpm("--erase", "marque")

	// The archive works on a machine without Go.
	archive := r.put(file("marque_*_linux_amd64.tar.gz"))
	r.try("sh", "-c", "mkdir -p /opt/marque && tar --extract --strip-components=1 --directory /opt/marque --file "+archive+
		" && mkdir -p /etc/marque && printf 'DISCORD_TOKEN="+r.discord.Token()+"\\nMARQUE_DATA=/var/lib/marque\\n' >/etc/marque/.env"+
		" && chmod 755 /etc/marque && chown marque /etc/marque/.env")
	end = r.start(d, "/opt/marque/marque")
	r.play(tables, board, 2)
	end(syscall.SIGTERM)
}
