/**
 * How a partition moves to another primary, which has its one slot afterwards:
 *
 * 1. `fence` sets `moving:{pNN}` in the slot and waits until the primary's replicas have it. From then on every function that writes
 *    there refuses, so nothing of the slot changes. Reads go on.
 * 2. `prepare` loads the function libraries at the target, lets it import the slot, and deletes what an earlier try left there.
 * 3. `copy` copies every key, the fence too, checks that none is missing, and waits until the target's replicas have them.
 * 4. `handOver` makes the target the slot's primary. The source hears of it at once and deletes its keys.
 * 5. `agree` waits until every node says so, replicas included: none of them can bring the old primary back any more.
 * 6. `unfence` deletes the fence, and `tell` makes streams begin again at the new primary.
 * 7. `clear` deletes the slot's keys at the source's replicas and in its append-only file, of which step 4 says nothing to either.
 *
 * Keys are copied and not moved, so a server that fails loses nothing: until step 4 the source has everything, and from then on the
 * target and its replicas have. Whoever has the slot has the fence. If the command dies before step 4, `undo` deletes the copies and
 * the fence; if later, all that is left is to finish (docs/decisions/0107-partitions-are-copied-behind-a-fence.md).
 */
import { Clock, Effect, Schedule } from "effect"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { serviceUnavailable } from "../../../schema/errors.ts"
import type { ClusterTarget } from "../../config/redisUrl.ts"
import * as keys from "../../store/keys.ts"
import type { ClusterNode, NodeCalls } from "../../store/redis/clusterNodes.ts"
import { RedisClient } from "../../store/redis/redisClient.ts"
import { dissentersOf, keysInSlot, ownerOf, readCluster, replicasOf, shownAddress } from "./cluster.ts"

/** A slot on its way. */
export interface Move {
  readonly slot: number
  /** The tags whose keys lie in the slot: the partition's, and others that share the slot by chance. */
  readonly tags: ReadonlyArray<string>
  readonly source: ClusterNode
  readonly target: ClusterNode
}

/** How long replicas may take to acknowledge the fence or the copies. */
const replicasMillis = 10_000
/** How long one MIGRATE may take: a key is copied whole, and its server answers nobody meanwhile. */
const migrateMillis = 60_000
/** Batches are as large as what both servers copy in about this time, since they answer nobody meanwhile. */
const batchMillis = 20
const batchKeysMax = 512
/** How long nodes may take to hear of the slot's new primary; gossip takes a second or two. */
const agreeMillis = 30_000
const agreeAskMillis = 100
/** A key that expires between two listings looks as if it were missing: it is looked for again. */
const copyRoundsMax = 3

/** Waits until all replicas that follow a primary have what this command wrote there last. */
const awaitReplicas = Effect.fnUntraced(function* ({ call }: NodeCalls, node: ClusterNode) {
  const info = String(yield* call(node.place, "INFO", ["replication"]))
  const replicas = Number(/^connected_slaves:(\d+)/m.exec(info)?.[1] ?? 0)
  if (replicas === 0) return
  const reply = yield* call(node.place, "WAIT", [replicas, replicasMillis], 2 * replicasMillis)
  if (Number(reply) >= replicas) return
  return yield* new StoreUnavailable({
    operation: `WAIT at ${shownAddress(node)}`,
    reason: `${reply} of its ${replicas} replicas have the data after ${replicasMillis / 1_000} s`,
  })
})

/** Loads the libraries of all builds that the source has: a server that never had a slot has none. */
const copyLibraries = Effect.fnUntraced(function* ({ call }: NodeCalls, { source, target }: Move) {
  const librariesOf = (node: ClusterNode) =>
    Effect.map(call(node.place, "FUNCTION", ["LIST", "LIBRARYNAME", "corrente_*", "WITHCODE"]), (listed) =>
      (listed as ReadonlyArray<ReadonlyArray<string>>).map((library) => ({
        name: library[1] ?? "",
        code: library[library.indexOf("library_code") + 1] ?? "",
      })),
    )
  const known = new Set((yield* librariesOf(target)).map(({ name }) => name))
  for (const { name, code } of yield* librariesOf(source)) {
    if (!known.has(name)) yield* call(target.place, "FUNCTION", ["LOAD", "REPLACE", code])
  }
})

/** Deletes the copies of a slot that a node imports, and ends the import. */
const discard = Effect.fnUntraced(function* (
  calls: NodeCalls,
  node: ClusterNode,
  slot: number,
  sourceId: string,
) {
  // Copies can be reached only while the slot is imported, which a node that took over from another does not know.
  yield* calls.call(node.place, "CLUSTER", ["SETSLOT", slot, "IMPORTING", sourceId])
  yield* Effect.forEach(
    yield* keysInSlot(calls, node, slot),
    (key) => calls.callAsking(node.place, "UNLINK", [key]),
    { concurrency: 64, discard: true },
  )
})

/**
 * Deletes keys at a primary that no longer has their slot, and at its replicas. To delete a key that is gone already tells replicas
 * nothing, and that is how keys go where a slot is taken away: so each is written once more before.
 */
const forget = Effect.fnUntraced(function* (
  calls: NodeCalls,
  node: ClusterNode,
  slot: number,
  ownerId: string,
  names: ReadonlySet<string>,
) {
  if (names.size === 0) return
  yield* calls.call(node.place, "CLUSTER", ["SETSLOT", slot, "IMPORTING", ownerId])
  yield* Effect.forEach(
    names,
    (key) =>
      Effect.andThen(
        calls.callAsking(node.place, "SET", [key, ""]),
        calls.callAsking(node.place, "UNLINK", [key]),
      ),
    { concurrency: 64, discard: true },
  )
  yield* calls.call(node.place, "CLUSTER", ["SETSLOT", slot, "STABLE"])
})

/** Copies keys in batches, which replace what the target has under their names. */
const copyKeys = Effect.fnUntraced(function* (
  { call }: NodeCalls,
  { source, target }: Move,
  auth: ReadonlyArray<string>,
  names: ReadonlyArray<string>,
) {
  let size = 16
  for (let done = 0; done < names.length; ) {
    const batch = names.slice(done, done + size)
    const beganMillis = yield* Clock.currentTimeMillis
    const place = [target.ip, target.place.port, "", 0, migrateMillis]
    yield* call(
      source.place,
      "MIGRATE",
      [...place, "COPY", "REPLACE", ...auth, "KEYS", ...batch],
      migrateMillis,
    )
    const tookMillis = (yield* Clock.currentTimeMillis) - beganMillis
    done += batch.length
    size =
      tookMillis > batchMillis
        ? Math.max(1, Math.floor((size * batchMillis) / tookMillis))
        : Math.min(batchKeysMax, size * 2)
  }
})

/** The credentials with which the source speaks to the target: those of REDIS_URL, which all nodes take. */
const authOf = ({ username, password }: ClusterTarget): ReadonlyArray<string> => {
  if (password === undefined) return []
  return username === undefined ? ["AUTH", password] : ["AUTH2", username, password]
}

/** The steps of a move. Each may be done again. */
export const makeMoveSteps = (calls: NodeCalls, cluster: ClusterTarget) => ({
  fence: Effect.fnUntraced(function* ({ tags, source, target }: Move) {
    const beganMillis = yield* Clock.currentTimeMillis
    for (const tag of tags) {
      yield* calls.call(source.place, "HSET", [
        keys.movingKey(tag),
        ...["from", source.id, "to", target.id, "began_at", beganMillis],
      ])
    }
    yield* awaitReplicas(calls, source)
  }),

  prepare: Effect.fnUntraced(function* (move: Move) {
    yield* copyLibraries(calls, move)
    yield* discard(calls, move.target, move.slot, move.source.id)
  }),

  /** Answers how many keys there are. */
  copy: Effect.fnUntraced(function* (move: Move) {
    const { slot, source, target, tags } = move
    const has = { count: 0, missing: yield* keysInSlot(calls, source, slot) }
    for (let round = 0; has.missing.length > 0; round += 1) {
      if (round === copyRoundsMax) {
        return yield* new StoreUnavailable({
          operation: `MIGRATE from ${shownAddress(source)}`,
          reason: `${has.missing.length} keys such as ${has.missing[0]} do not arrive at ${shownAddress(target)}`,
        })
      }
      yield* copyKeys(calls, move, authOf(cluster), has.missing)
      const there = new Set(yield* keysInSlot(calls, target, slot))
      const here = yield* keysInSlot(calls, source, slot)
      has.count = here.length
      has.missing = here.filter((key) => !there.has(key))
    }
    // Replicas that acknowledge a write have all copies before it as well.
    yield* calls.callAsking(target.place, "HSET", [
      keys.movingKey(tags[0] ?? ""),
      "copied_at",
      yield* Clock.currentTimeMillis,
    ])
    yield* awaitReplicas(calls, target)
    return has.count
  }),

  handOver: ({ slot, target }: Move) =>
    calls.call(target.place, "CLUSTER", ["SETSLOT", slot, "NODE", target.id]),

  agree: ({ slot, target }: Pick<Move, "slot" | "target">) =>
    readCluster(calls).pipe(
      Effect.map((cluster) => dissentersOf(cluster, slot, target.id)),
      Effect.repeat({
        until: (dissenters) => dissenters.length === 0,
        times: agreeMillis / agreeAskMillis,
        schedule: Schedule.spaced(agreeAskMillis),
      }),
      Effect.flatMap((nodes) => {
        const dissenters = nodes.map(shownAddress)
        if (dissenters.length === 0) return Effect.void
        return Effect.fail(
          serviceUnavailable(
            `${shownAddress(target)} has the partition now, but ${dissenters.join(", ")} ${dissenters.length === 1 ? "has" : "have"} not said so within ${agreeMillis / 1_000} s. Writes to the partition are refused until all do: mend or remove what does not answer, then run the command again.`,
          ),
        )
      }),
    ),

  unfence: Effect.fnUntraced(function* ({ tags, target }: Pick<Move, "tags" | "target">) {
    for (const tag of tags) yield* calls.call(target.place, "DEL", [keys.movingKey(tag)])
    // Where they do not have it and one of them takes over, the fence is there again, and the command ends it when it is run again.
    yield* awaitReplicas(calls, target).pipe(
      Effect.catchTag("StoreUnavailable", ({ reason }) =>
        Effect.logWarning(`${reason}: if ${shownAddress(target)} fails now, run this command again.`),
      ),
    )
  }),

  tell: Effect.fnUntraced(function* ({ slot, target }: Pick<Move, "slot" | "target">) {
    const client = yield* RedisClient
    const channels = (yield* keysInSlot(calls, target, slot)).flatMap(keys.hintChannelsOf)
    yield* Effect.forEach(channels, (channel) => client.call("PUBLISH", [channel, "moved"]), {
      concurrency: 64,
      discard: true,
    })
  }),

  clear: Effect.fnUntraced(function* ({ slot, target }: Pick<Move, "slot" | "target">, sourceId?: string) {
    const cluster = yield* readCluster(calls)
    for (const { self } of cluster.views) {
      if (self.primaryId !== undefined || self.id === target.id || self.hasSlot(slot)) continue
      const nodes = [self, ...replicasOf(cluster, self.id), ...(self.id === sourceId ? [target] : [])]
      const names = yield* Effect.forEach(nodes, (node) => keysInSlot(calls, node, slot))
      yield* forget(calls, self, slot, target.id, new Set(names.flat()))
    }
  }),

  /** Deletes what was copied to other primaries, and then the fence at the one that has the slot. */
  undo: Effect.fnUntraced(function* ({ slot, tags }: Pick<Move, "slot" | "tags">) {
    const cluster = yield* readCluster(calls)
    const owner = ownerOf(cluster, slot)
    if (owner === undefined) return yield* noOwner(slot)
    for (const { self } of cluster.views) {
      if (self.primaryId !== undefined || self.id === owner.id) continue
      const copies = Number(yield* calls.call(self.place, "CLUSTER", ["COUNTKEYSINSLOT", slot]))
      if (copies === 0 && !self.importing.has(slot)) continue
      yield* discard(calls, self, slot, owner.id)
      yield* calls.call(self.place, "CLUSTER", ["SETSLOT", slot, "STABLE"])
    }
    for (const tag of tags) yield* calls.call(owner.place, "DEL", [keys.movingKey(tag)])
    yield* awaitReplicas(calls, owner)
    return owner
  }),
})

/** 503: no primary that answers has a slot. */
export const noOwner = (slot: number) =>
  serviceUnavailable(
    `No primary that answers has slot ${slot}. Wait until the cluster is whole (CLUSTER INFO), then run the command again.`,
  )
