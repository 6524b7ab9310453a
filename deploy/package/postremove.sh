#!/bin/sh
set -e
# Called with "purge" by dpkg when the settings go, too. The games are the operator's to delete.
if [ "$1" = purge ]; then
  rm -f /etc/marque/token
  [ ! -d /etc/marque ] || rmdir --ignore-fail-on-non-empty /etc/marque
  for data in /var/lib/marque /var/lib/marque-backups; do
    [ ! -d "$data" ] || echo "marque: $data is left; delete it if you don't want its games any more."
  done
fi
