#!/bin/sh
# Starts one of three Sentinels (docs/deployment.md#redis-with-sentinels).
#
#   SENTINEL_SELF  name:port of this Sentinel, as the others reach it
#   REDIS_SERVERS  name:port of the Redis servers; the first is the primary of a set that has never run
#   REDISCLI_AUTH  the password of servers and Sentinels, or REDIS_PASSWORD_FILE, the file that holds it
#   DATA           the folder of its volume; /data unless set
#
# A Sentinel keeps what it knows (the primary, the replicas, the other Sentinels) in its configuration. A start keeps all of that
# but the passwords, which are today's.
set -eu
umask 077

data="${DATA:-/data}"
conf="$data/sentinel.conf"
first="${REDIS_SERVERS%% *}"
: "${REDISCLI_AUTH:=$(cat "${REDIS_PASSWORD_FILE:-/dev/null}")}"
[ -n "$REDISCLI_AUTH" ] || { echo "Set REDISCLI_AUTH or REDIS_PASSWORD_FILE to the password of Redis." >&2; exit 1; }

if [ -f "$conf" ]; then
  grep -vE '^(requirepass|user|sentinel (auth-pass|sentinel-pass)) ' "$conf" >"$conf.new"
else
  # Names instead of addresses: a container gets another address at each start.
  cat >"$conf.new" <<END
port ${SENTINEL_SELF##*:}
dir $data
sentinel resolve-hostnames yes
sentinel announce-hostnames yes
sentinel announce-ip ${SENTINEL_SELF%:*}
sentinel announce-port ${SENTINEL_SELF##*:}
sentinel monitor corrente ${first%:*} ${first##*:} 2
sentinel down-after-milliseconds corrente 5000
sentinel failover-timeout corrente 30000
END
fi
cat >>"$conf.new" <<END
requirepass "$REDISCLI_AUTH"
sentinel sentinel-pass "$REDISCLI_AUTH"
sentinel auth-pass corrente "$REDISCLI_AUTH"
END
mv "$conf.new" "$conf"

exec redis-server "$conf" --sentinel
