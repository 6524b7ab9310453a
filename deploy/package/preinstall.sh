#!/bin/sh
set -e
getent passwd marque >/dev/null ||
  useradd --system --user-group --home-dir /var/lib/marque --no-create-home --shell /usr/sbin/nologin marque
