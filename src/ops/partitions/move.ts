import { Clock, Effect } from "effect"
import { ApiError, serviceUnavailable, validationFailed } from "../../../schema/errors.ts"
import { Settings } from "../../config/settings.ts"
import { makeFaultPoint } from "../../faults/faultPoint.ts"
import { partitionTag, tagsOfSlot } from "../../store/keys.ts"
import { type ClusterNode, makeNodeCalls } from "../../store/redis/clusterNodes.ts"
import { slotOf } from "../../store/redis/clusterView.ts"
import { type Cluster, clusterTarget, fenceAt, ownerOf, readCluster, shownAddress } from "./cluster.ts"
import { becomeMover } from "./mover.ts"
import { type Move, makeMoveSteps, noOwner } from "./steps.ts"

const refusal = (message: string): ApiError => new ApiError({ code: "invalid_state", message })

/** A partition by its number, and the slot with whatever shares it. Fails with 400 `validation_failed` for one that does not exist. */
const placeOf = Effect.fnUntraced(function* (text: string) {
  const { partitions } = yield* Settings
  const partition = /^\d{1,4}$/.test(text) ? Number(text) : partitions
  if (partition >= partitions) {
    return yield* validationFailed("partition", `PARTITION must be a number from 0 to ${partitions - 1}.`)
  }
  const slot = slotOf(partitionTag(partition))
  return { partition, slot, tags: tagsOfSlot(slot, slotOf) }
})

/** The primary at `host:port`. */
const primaryAt = Effect.fnUntraced(function* ({ views, silent }: Cluster, address: string) {
  const isThere = (node: ClusterNode) =>
    shownAddress(node) === address || `${node.ip}:${node.place.port}` === address
  const found = views.map(({ self }) => self).find(isThere)
  if (found !== undefined && found.primaryId === undefined) return found
  const primaries = views
    .filter(({ self }) => self.primaryId === undefined)
    .map(({ self }) => shownAddress(self))
  const what =
    found !== undefined
      ? "is a replica"
      : silent.some(isThere)
        ? "does not answer"
        : "is no node of the cluster"
  return yield* validationFailed("to", `${address} ${what}. Name a primary: ${primaries.join(", ")}.`)
})

/** Refuses what cannot be moved now, before anything has changed. */
const check = Effect.fnUntraced(function* (
  cluster: Cluster,
  { slot, source, target }: Move,
  fencedFor: string | undefined,
) {
  const addressOfId = (id: string) => {
    const node = cluster.views.map(({ self }) => self).find((self) => self.id === id)
    return node === undefined ? `the node ${id}` : shownAddress(node)
  }
  if (cluster.silent.length > 0) {
    const away = cluster.silent.map(shownAddress).join(", ")
    return yield* serviceUnavailable(
      `${away} ${cluster.silent.length === 1 ? "does" : "do"} not answer. All nodes must: mend or remove (CLUSTER FORGET) what does not.`,
    )
  }
  if (fencedFor !== undefined && fencedFor !== target.id) {
    return yield* refusal(
      `The partition is on its way to ${addressOfId(fencedFor)} already. Finish that with --to ${addressOfId(fencedFor)}, or take it back with --undo.`,
    )
  }
  const elsewhere = source.migrating.get(slot) ?? target.migrating.get(slot)
  if (elsewhere !== undefined) {
    return yield* refusal(
      `Something else moves slot ${slot} to ${addressOfId(elsewhere)} (CLUSTER SETSLOT MIGRATING). Wait until it has ended, or mend it with redis-cli --cluster fix.`,
    )
  }
})

/** What a command needs to move partitions, as long as the scope is open. */
const open = Effect.gen(function* () {
  const target = yield* clusterTarget
  const calls = yield* becomeMover(yield* makeNodeCalls(target, "ops-move"))
  const { faultPoint } = yield* Settings
  const steps = makeMoveSteps(calls, target)
  return {
    calls,
    steps: faultPoint === undefined ? steps : makeFaultPoint(faultPoint)("partitionMove", steps),
  }
})

/**
 * Moves a partition to the primary at `to`, and finishes what an earlier run began. Where a step fails before the target has the slot,
 * takes everything back.
 */
export const movePartition = Effect.fnUntraced(function* (words: {
  readonly partition: string
  readonly to: string
}) {
  const place = yield* placeOf(words.partition)
  const { calls, steps } = yield* open
  const cluster = yield* readCluster(calls)
  const target = yield* primaryAt(cluster, words.to)
  const source = ownerOf(cluster, place.slot)
  if (source === undefined) return yield* noOwner(place.slot)
  const fence = yield* fenceAt(calls, source, place.partition)
  const move: Move = { ...place, source, target }
  yield* check(cluster, move, fence?.to)
  const shown = { partition: place.partition, slot: place.slot, to: shownAddress(target) }
  if (source.id === target.id && fence === undefined) {
    yield* steps.clear(move)
    return { ...shown, moved: false, keys: null, refused_ms: 0 }
  }
  const beganMillis = yield* Clock.currentTimeMillis
  let keys: number | null = null
  if (source.id !== target.id) {
    keys = yield* Effect.andThen(
      Effect.andThen(steps.fence(move), steps.prepare(move)),
      steps.copy(move),
    ).pipe(
      Effect.tapError(() =>
        Effect.catch(steps.undo(move), ({ message }) =>
          Effect.logWarning(
            `The partition still refuses writes: run the command with --undo, or again. ${message}`,
          ),
        ),
      ),
    )
    yield* steps.handOver(move)
  }
  yield* steps.agree(move)
  yield* steps.unfence(move)
  const refusedMillis = (yield* Clock.currentTimeMillis) - (fence?.beganMillis ?? beganMillis)
  yield* steps.tell(move)
  yield* steps.clear(move, fence?.from ?? source.id)
  return { ...shown, moved: true, keys, refused_ms: refusedMillis }
})

/** Takes back what an earlier run began: the partition stays where it is. Finishes the move where the target has the slot already. */
export const undoMove = Effect.fnUntraced(function* (words: { readonly partition: string }) {
  const place = yield* placeOf(words.partition)
  const { calls, steps } = yield* open
  const owner = ownerOf(yield* readCluster(calls), place.slot)
  if (owner === undefined) return yield* noOwner(place.slot)
  const fence = yield* fenceAt(calls, owner, place.partition)
  const shown = { partition: place.partition, slot: place.slot, at: shownAddress(owner) }
  if (fence?.to === owner.id) {
    const move = { ...place, target: owner }
    yield* steps.agree(move)
    yield* steps.unfence(move)
    yield* steps.tell(move)
    yield* steps.clear(move, fence.from)
    return { ...shown, undone: false, moved: true }
  }
  yield* steps.undo(place)
  yield* steps.clear({ ...place, target: owner })
  return { ...shown, undone: fence !== undefined, moved: false }
})
