import { Effect } from "effect"
import { Command } from "effect/cli"
import { Settings } from "../../config/settings.ts"
import { partitionTag } from "../../store/keys.ts"
import { type ClusterNode, makeNodeCalls, type NodeCalls } from "../../store/redis/clusterNodes.ts"
import { slotOf } from "../../store/redis/clusterView.ts"
import { answer } from "../answer.ts"
import {
  type Cluster,
  clusterTarget,
  fenceAt,
  ownerOf,
  readCluster,
  replicasOf,
  shownAddress,
} from "../partitions/cluster.ts"
import { type Block, heading, note, table } from "../text/blocks.ts"
import { count } from "../text/values.ts"

/** Where a slot moves to, and since when where we move it: by our fence, or by SETSLOT MIGRATING of somebody else. */
const movingOf = Effect.fnUntraced(function* (
  calls: NodeCalls,
  cluster: Cluster,
  owner: ClusterNode,
  partition: number,
) {
  const fence = yield* fenceAt(calls, owner, partition)
  const toId = fence?.to ?? owner.migrating.get(slotOf(partitionTag(partition)))
  if (toId === undefined) return null
  const target = cluster.views.find(({ self }) => self.id === toId)
  return {
    to: target === undefined ? toId : shownAddress(target.self),
    since: fence === undefined ? null : new Date(fence.beganMillis).toISOString(),
  }
})

const show = Effect.fnUntraced(function* () {
  const calls = yield* makeNodeCalls(yield* clusterTarget, "ops-show")
  const cluster = yield* readCluster(calls)
  const { partitions } = yield* Settings
  const rows = yield* Effect.forEach(
    Array.from({ length: partitions }, (_, partition) => partition),
    Effect.fnUntraced(function* (partition) {
      const slot = slotOf(partitionTag(partition))
      const owner = ownerOf(cluster, slot)
      if (owner === undefined)
        return { partition, slot, primary: null, replicas: [], keys: null, moving: null }
      return {
        partition,
        slot,
        primary: shownAddress(owner),
        replicas: replicasOf(cluster, owner.id).map(shownAddress),
        keys: Number(yield* calls.call(owner.place, "CLUSTER", ["COUNTKEYSINSLOT", slot])),
        moving: yield* movingOf(calls, cluster, owner, partition),
      }
    }),
    { concurrency: 16 },
  )
  const primaries = cluster.views.flatMap(({ self }) =>
    self.primaryId === undefined
      ? [
          {
            address: shownAddress(self),
            slots: self.slotCount,
            partitions: rows.filter(({ primary }) => primary === shownAddress(self)).length,
          },
        ]
      : [],
  )
  return { primaries, partitions: rows, silent: cluster.silent.map(shownAddress) }
}, Effect.scoped)

type Shown = Effect.Success<ReturnType<typeof show>>

const shownPartitions = ({ primaries, partitions, silent }: Shown): ReadonlyArray<Block> => [
  heading("Primaries"),
  table(
    ["Primary", ">Slots", ">Partitions"],
    primaries.map(({ address, slots, partitions: some }) => [address, count(slots), some]),
  ),
  ...(silent.length === 0 ? [] : [note(`No answer from ${silent.join(", ")}.`)]),
  heading("Partitions"),
  table(
    [">Partition", ">Slot", "Primary", "Replicas", ">Keys", "Moves to"],
    partitions.map(({ partition, slot, primary, replicas, keys, moving }) => [
      partition,
      slot,
      primary ?? "none answers",
      replicas.join(" "),
      keys === null ? null : count(keys),
      moving?.to ?? null,
    ]),
  ),
]

export const partitionShow = Command.make("show", {}, answer(show, shownPartitions)).pipe(
  Command.withDescription(
    "Print the partitions of a Redis Cluster: the slot of each, its primary and replicas, how many keys it has, and where it moves to; and how many slots and partitions each primary has.",
  ),
)
