#!/bin/sh
set -e
# dpkg calls this with "purge" to remove the settings, too. The games are left for the operator to delete.
if [ "$1" = purge ]; then
  rm -f /etc/marque/token
  [ ! -d /etc/marque ] || rmdir --ignore-fail-on-non-empty /etc/marque
  for data in /var/lib/marque /var/lib/marque-backups; do
    [ ! -d "$data" ] || echo "marque: $data is left; delete it if you don't want its games any more."
  done
fi
