#!/bin/sh
# Whether a server of start-redis.sh serves: as the primary, or as a replica that has all that its primary had. An update of the
# set goes on to the next server only then.
set -eu

: "${REDISCLI_AUTH:=$(cat "${REDIS_PASSWORD_FILE:-/dev/null}")}"
export REDISCLI_AUTH
[ "$(redis-cli -p "${REDIS_SELF##*:}" ping)" = PONG ]
replication="$(redis-cli -p "${REDIS_SELF##*:}" info replication)"
case "$replication" in
  *role:master* | *master_link_status:up*) ;;
  *) exit 1 ;;
esac
