#!/bin/sh
set -e
# dpkg calls this with "remove", and rpm with 0, when the package is removed. An update does not stop the service here.
case "$1" in
remove | 0)
  if [ -d /run/systemd/system ]; then
    systemctl disable --now marque.service
  fi
  ;;
esac
