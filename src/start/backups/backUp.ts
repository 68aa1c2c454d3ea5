/**
 * How a Redis is backed up while the service runs (docs/operations.md#backups):
 * 1. The primaries are found, and what each has now is noted: everything that was acknowledged before is to be in the backup.
 * 2. Of each, a replica that has all that sends a snapshot, all at about the same time. Each is of one moment, but no two of the same:
 *    what lies in one partition is in one snapshot, so no commit is torn.
 * 3. The primaries are looked at again. If one has failed over, or a slot has moved, a partition may be in two snapshots or in none.
 * 4. A redis-server of this machine loads each snapshot, which proves that it can be restored, and reads the newest event of each feed.
 * 5. The manifest is written. Without it a backup is not whole, so whatever stops us before leaves none.
 */
import { join } from "node:path"
import { Effect } from "effect"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { ApiError } from "../../../schema/errors.ts"
import { addressOf } from "../../store/redis/clusterView.ts"
import type { RedisServerError } from "../ownRedis/redisServerError.ts"
import { type BackupManifest, makeBackupFolder, type NodeSnapshot, writeManifest } from "./backupFolder.ts"
import { checkSnapshot, writeFeeds } from "./checkSnapshot.ts"
import { hasRedisServer } from "./scratchRedis.ts"
import { findServers, type Primary, refuseMovingSlots, refuseOtherLayout, type Servers } from "./servers.ts"
import { primaryMoment, takeSnapshot } from "./snapshotSource.ts"

/** A backup to make. */
export interface BackupOptions {
  /** Its REDIS_URL. */
  readonly url: string
  /** A folder that is new or empty. */
  readonly dir: string
  /** The service's version, and that of its function library in Redis. */
  readonly version: string
  readonly libraryVersion: string
  /** Reads primaries though there are replicas. */
  readonly isFromPrimaries: boolean
  /** Loads each snapshot in a redis-server of this machine, if there is one. */
  readonly isChecked: boolean
}

const snapshotOf = Effect.fnUntraced(function* (
  { login }: Servers,
  primary: Primary,
  file: string,
  { dir, isFromPrimaries }: BackupOptions,
) {
  const moment = yield* primaryMoment(login, primary.place)
  const options = { file: join(dir, file), isFromPrimary: isFromPrimaries }
  const { place, role, replicationId, offset, bytes, sha256 } = yield* takeSnapshot(
    login,
    primary,
    moment,
    options,
  )
  const node: NodeSnapshot = {
    file,
    bytes,
    sha256,
    taken_at: moment.takenAt,
    server: addressOf(place),
    role,
    replication_id: replicationId,
    offset,
    slots: primary.slots ?? null,
    redis_version: moment.redisVersion,
    keys: null,
  }
  return node
})

/** Takes a snapshot of each primary, and makes sure that together they are whole. */
const snapshotsOf = Effect.fnUntraced(function* (options: BackupOptions) {
  const servers = yield* findServers(options.url)
  yield* refuseMovingSlots(servers)
  const nodes = yield* Effect.forEach(
    servers.primaries,
    (primary, i) => snapshotOf(servers, primary, `node-${i + 1}.rdb`, options),
    { concurrency: "unbounded" },
  )
  const now = yield* findServers(options.url)
  yield* refuseMovingSlots(now)
  yield* refuseOtherLayout(servers, now)
  return { db: servers.db, nodes }
}, Effect.scoped)

/** Loads the snapshots one after the other: what they take together may be more memory than this machine has. */
const checked = Effect.fnUntraced(function* (dir: string, db: number, nodes: ReadonlyArray<NodeSnapshot>) {
  const found = yield* Effect.forEach(nodes, (node) => checkSnapshot(join(dir, node.file), db))
  const feeds = yield* writeFeeds(
    dir,
    found.flatMap(({ feeds }) => feeds),
  )
  return { nodes: nodes.map((node, i) => ({ ...node, keys: found[i]?.keys ?? null })), feeds }
})

/**
 * Backs up the Redis of a REDIS_URL into a folder while the service runs: a snapshot of each primary, of one moment each, with
 * everything that was acknowledged before the call, and a manifest. Fails, saying what to do, if the folder is not empty, a replica does
 * not catch up, servers change meanwhile, or a snapshot cannot be loaded.
 */
export const backUp = Effect.fn("backUp")(function* (
  options: BackupOptions,
): Effect.fn.Return<BackupManifest, ApiError | RedisServerError | StoreUnavailable> {
  yield* makeBackupFolder(options.dir)
  const taken = yield* snapshotsOf(options)
  const isChecked = options.isChecked && (yield* hasRedisServer)
  const { nodes, feeds } = isChecked
    ? yield* checked(options.dir, taken.db, taken.nodes)
    : { nodes: taken.nodes, feeds: null }
  const manifest: BackupManifest = {
    format: 2,
    taken_at: nodes.map(({ taken_at }) => taken_at).toSorted()[0] ?? "",
    version: options.version,
    library_version: options.libraryVersion,
    db: taken.db,
    nodes,
    feeds,
  }
  yield* writeManifest(options.dir, manifest)
  return manifest
})
