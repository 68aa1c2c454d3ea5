#!/bin/sh
# Starts one of the Redis servers that Sentinels watch, or one that stands alone (docs/deployment.md#redis-with-sentinels).
#
#   REDIS_SELF     name:port of this server, as the others reach it
#   REDIS_SERVERS  name:port of all servers; the first is the primary of a set that has never run
#   REDISCLI_AUTH  the password (letters and digits), or REDIS_PASSWORD_FILE, the file that holds it
#   DATA           the folder of its volume; /data unless set
#
# 1. A failover writes the server's role into its configuration. A start keeps that line and writes the others anew, so that
#    settings and password are today's.
# 2. A server with an empty volume asks the others who is primary, and follows that one. It becomes primary itself only if it is
#    the first of the list, all others answer, and they are as empty: servers with data would copy its emptiness.
set -eu
umask 077

data="${DATA:-/data}"
conf="$data/redis.conf"
host="${REDIS_SELF%:*}"
port="${REDIS_SELF##*:}"
first="${REDIS_SERVERS%% *}"
: "${REDISCLI_AUTH:=$(cat "${REDIS_PASSWORD_FILE:-/dev/null}")}"
export REDISCLI_AUTH
[ -n "$REDISCLI_AUTH" ] || { echo "Set REDISCLI_AUTH or REDIS_PASSWORD_FILE to the password of Redis." >&2; exit 1; }

info() {
  timeout 2 redis-cli -h "${1%:*}" -p "${1##*:}" info "$2" 2>/dev/null | tr -d '\r'
}

follow() {
  echo "replicaof ${1%:*} ${1##*:}"
}

# Prints the role of a server whose volume is empty: nothing for a primary.
role_of_empty() {
  while :; do
    others=0 empty=0
    for server in $REDIS_SERVERS; do
      [ "$server" = "$REDIS_SELF" ] && continue
      others=$((others + 1))
      replication="$(info "$server" replication)"
      case "$replication" in *role:master*) follow "$server" && return ;; esac
      case "$replication" in *role:slave*) info "$server" keyspace | grep -q '^db' || empty=$((empty + 1)) ;; esac
    done
    [ "$REDIS_SELF" = "$first" ] || { follow "$first" && return; }
    [ "$empty" = "$others" ] && return
    echo "The volume is empty, and the other servers may have data: waiting for one of them to be primary." >&2
    sleep 1
  done
}

if [ -f "$conf" ]; then
  role="$(grep '^replicaof ' "$conf" || true)"
elif [ -d "$data/appendonlydir" ]; then
  role=""
else
  role="$(role_of_empty)"
fi

# Design: a 2xx means durable, so every write is on disk before its reply, and nothing is ever evicted.
# aof-load-truncated: a write that a crash cut is not applied in part, redis-check-aof --fix takes it out whole; and
# hash-max-listpack-value keeps charges and attempts as lists, which are smaller than tables (docs/operations.md#redis).
cat >"$conf.new" <<END
port $port
dir $data
appendonly yes
appendfsync always
maxmemory-policy noeviction
aof-load-truncated no
hash-max-listpack-value 2048
save ""
repl-backlog-size 64mb
replica-announce-ip $host
replica-announce-port $port
requirepass "$REDISCLI_AUTH"
masterauth "$REDISCLI_AUTH"
$role
END
mv "$conf.new" "$conf"

# The image's own entry point loads its modules, of which data of earlier starts may have a trace.
exec docker-entrypoint.sh redis-server "$conf"
