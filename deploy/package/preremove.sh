#!/bin/sh
set -e
# Called with "remove" by dpkg and 0 by rpm when the package goes for good; an update goes on.
case "$1" in
remove | 0)
  if [ -d /run/systemd/system ]; then
    systemctl disable --now marque.service
  fi
  ;;
esac
