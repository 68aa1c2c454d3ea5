/**
 * How a backup is restored into a server or a cluster (docs/operations.md#restoring-into-another-redis):
 * 1. Every file must be what the manifest says, and the target must be empty: a service that runs on it has keys there.
 * 2. A redis-server of this machine loads one snapshot after the other.
 * 3. Its keys are copied to whichever primary of the target has their slot, so the target may have other servers than the backup's.
 *
 * If we die in 3, the target has a part of the backup, which the next try refuses: it is to be emptied first.
 */
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { Command, type Redis } from "ioredis"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { ApiError } from "../../../schema/errors.ts"
import { addressOf } from "../../store/redis/clusterView.ts"
import { reasonOf } from "../../store/redis/redisConnection.ts"
import { RedisServerError } from "../ownRedis/redisServerError.ts"
import { type BackupManifest, readManifest, verifyFile } from "./backupFolder.ts"
import { loadSnapshot } from "./scratchRedis.ts"
import { ask, connect, findServers, type Primary, refuseMovingSlots, type Servers } from "./servers.ts"

/** Keys that are copied at once: a page of SCAN. */
const pageKeys = 200
/** The largest value takes seconds. */
const pageTimeoutMillis = 5 * 60 * 1000

/** What a restore did. */
export interface RestoredInto {
  readonly manifest: BackupManifest
  readonly keys: number
}

interface Target {
  readonly primary: Primary
  readonly redis: Redis
}

const connectTargets = ({ login, db, primaries }: Servers) =>
  Effect.forEach(primaries, (primary) =>
    Effect.gen(function* () {
      const redis = yield* connect(login, primary.place)
      if (db > 0) yield* ask(redis, "SELECT", db)
      const target: Target = { primary, redis }
      return target
    }),
  )

const refuseData = Effect.fnUntraced(function* (targets: ReadonlyArray<Target>) {
  for (const { primary, redis } of targets) {
    const keys = Number(yield* ask(redis, "DBSIZE"))
    if (keys === 0) continue
    return yield* new ApiError({
      code: "invalid_state",
      message: `The Redis at ${addressOf(primary.place)} is not empty: it has ${keys} keys. Stop the services that use it, and restore into an empty one.`,
    })
  }
})

/** Finds the target that has a key's slot. */
const routing = (targets: ReadonlyArray<Target>) => {
  const bySlot: Array<Redis | undefined> = []
  for (const { primary, redis } of targets) {
    for (const [first, last] of primary.slots ?? [[0, 16_383] as const]) {
      for (let slot = first; slot <= last; slot += 1) bySlot[slot] = redis
    }
  }
  return (key: Buffer): Redis | undefined => bySlot[new Command("GET", [key]).getSlot() ?? 0]
}

const copyKey = async (from: Redis, to: Redis | undefined, key: Buffer): Promise<boolean> => {
  const [value, endsAt] = await Promise.all([from.dumpBuffer(key), from.call("PEXPIRETIME", key)])
  // It has expired since the page was read.
  if (value === null) return false
  if (to === undefined) throw new Error("no primary has its slot")
  const endsMillis = Math.max(0, Number(endsAt))
  try {
    // SCAN may name a key twice.
    await to.call("RESTORE", key, endsMillis, value, "ABSTTL", "REPLACE")
  } catch (cause) {
    throw new Error(`${key.toString("latin1")}: ${reasonOf(cause)}`)
  }
  return true
}

const unfinished = (reason: string): RedisServerError =>
  new RedisServerError({
    message: `The backup was not restored whole (${reason}). The target has a part of it: empty it before you try again.`,
  })

/** Copies all keys of a loaded snapshot; answers how many. */
const copyKeys = Effect.fnUntraced(function* (from: Redis, targetOf: (key: Buffer) => Redis | undefined) {
  let [cursor, copied] = ["0", 0]
  do {
    const page = Effect.tryPromise({
      try: async () => {
        const [next, keys] = await from.scanBuffer(cursor, "COUNT", pageKeys)
        const done = await Promise.all(keys.map((key) => copyKey(from, targetOf(key), key)))
        return { next: next.toString(), copied: done.filter(Boolean).length }
      },
      catch: (cause) => unfinished(reasonOf(cause)),
    })
    const done = yield* Effect.timeoutOrElse(page, {
      duration: pageTimeoutMillis,
      orElse: () =>
        Effect.fail(unfinished(`${pageKeys} keys took longer than ${pageTimeoutMillis / 60_000} min`)),
    })
    copied += done.copied
    cursor = done.next
  } while (cursor !== "0")
  return copied
})

/**
 * Restores a backup into the empty Redis of a REDIS_URL. Fails and writes nothing if the backup is not what its manifest says, or the
 * target has keys. Needs a redis-server on this machine that can load the snapshots: of the version of the backup's servers, or newer.
 */
export const restoreInto = Effect.fn("restoreInto")(function* (
  url: string,
  dir: string,
): Effect.fn.Return<RestoredInto, ApiError | RedisServerError | StoreUnavailable, Scope.Scope> {
  const manifest = yield* readManifest(dir)
  for (const node of manifest.nodes) yield* verifyFile(dir, node)
  const servers = yield* findServers(url)
  yield* refuseMovingSlots(servers)
  const targets = yield* connectTargets(servers)
  yield* refuseData(targets)
  const targetOf = routing(targets)
  let keys = 0
  for (const node of manifest.nodes) {
    const loaded = Effect.flatMap(loadSnapshot(join(dir, node.file), manifest.db), (from) =>
      copyKeys(from, targetOf),
    )
    keys += yield* Effect.scoped(loaded)
  }
  return { manifest, keys }
})
