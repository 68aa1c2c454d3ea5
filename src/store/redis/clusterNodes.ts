import { Effect, Scope } from "effect"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { ClusterTarget, HostAndPort } from "../../config/redisUrl.ts"
import { ask, redisOfNode } from "./clusterDiscovery.ts"
import { addressOf } from "./clusterView.ts"
import {
  type Argument,
  connectionOn,
  ignored,
  newCommand,
  openConnection,
  type RedisConnection,
  type Reply,
  reasonOf,
} from "./redisConnection.ts"

/** A node of a cluster, as a node describes it. */
export interface ClusterNode {
  readonly id: string
  /** Where clients reach it: by its name, if it announces one. */
  readonly place: HostAndPort
  /** Where other nodes reach it. */
  readonly ip: string
  /** The node that describes. Only of itself it says what migrates. */
  readonly isSelf: boolean
  /** The primary of a replica; undefined for a primary. */
  readonly primaryId: string | undefined
  /** Neither failed nor suspected to have, nor still being introduced. */
  readonly isUp: boolean
  /** Where two primaries claim a slot, it belongs to the one with the greater epoch. */
  readonly epoch: number
  readonly hasSlot: (slot: number) => boolean
  readonly slotCount: number
  /** The slots that it hands to another node by SETSLOT MIGRATING, with the id of that node. */
  readonly migrating: ReadonlyMap<number, string>
  /** The slots that it takes from another node by SETSLOT IMPORTING, with the id of that node. */
  readonly importing: ReadonlyMap<number, string>
}

const openSlots = (words: ReadonlyArray<string>, arrow: string): ReadonlyMap<number, string> =>
  new Map(
    words.flatMap((word) => {
      const [slot, node] = word.replace(/^\[|\]$/g, "").split(arrow)
      return word.startsWith("[") && slot && node ? [[Number(slot), node] as const] : []
    }),
  )

const readNode = (line: string, asked: HostAndPort): ClusterNode | undefined => {
  const [id = "", address = "", flags = "", primary = "", , , epoch = "", , ...words] = line.split(" ")
  const match = /^(.*):(\d+)@\d+(?:,([^,]*))?/.exec(address)
  if (match === null) return undefined
  const ip = match[1] || asked.host
  const flagged = new Set(flags.split(","))
  const ranges = words
    .filter((word) => /^\d/.test(word))
    .map((word) => {
      const [first = 0, last = first] = word.split("-").map(Number)
      return { first, last }
    })
  return {
    id,
    place: { host: match[3] || ip, port: Number(match[2]) },
    ip,
    isSelf: flagged.has("myself"),
    primaryId: primary === "-" ? undefined : primary,
    isUp: !["fail", "fail?", "handshake", "noaddr"].some((flag) => flagged.has(flag)),
    epoch: Number(epoch),
    hasSlot: (slot) => ranges.some(({ first, last }) => first <= slot && slot <= last),
    slotCount: ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0),
    migrating: openSlots(words, "->-"),
    importing: openSlots(words, "-<-"),
  }
}

/** Reads the reply of CLUSTER NODES. A node that does not know its own address is at the one that was `asked`. */
export const readNodes = (reply: Reply, asked: HostAndPort): ReadonlyArray<ClusterNode> =>
  String(reply)
    .split("\n")
    .flatMap((line) => readNode(line.trim(), asked) ?? [])

/** Commands to single nodes of a cluster, replicas and primaries without slots too. */
export interface NodeCalls {
  /** Fails if there is no reply within `timeoutMillis` (5 s). */
  readonly call: (
    place: HostAndPort,
    command: string,
    args: ReadonlyArray<Argument>,
    timeoutMillis?: number,
  ) => Effect.Effect<Reply, StoreUnavailable>
  /** The same after ASKING: for a key of a slot that the node imports. */
  readonly callAsking: NodeCalls["call"]
}

const nodeTimeoutMillis = 5_000

/** Connects to nodes when they are first called; closes the connections with the scope. */
export const makeNodeCalls = Effect.fnUntraced(function* (
  target: ClusterTarget,
  name: string,
): Effect.fn.Return<NodeCalls, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const opened = new Map<string, RedisConnection>()
  const connectionTo = (place: HostAndPort) =>
    Effect.suspend(() => {
      const known = opened.get(addressOf(place))
      if (known !== undefined) return Effect.succeed(known)
      return openConnection(() => redisOfNode(target, place, name), addressOf(place)).pipe(
        Scope.provide(scope),
        Effect.map((redis) => {
          const connection = connectionOn(redis)
          opened.set(addressOf(place), connection)
          return connection
        }),
      )
    })
  const calling =
    (isAsking: boolean): NodeCalls["call"] =>
    (place, command, args, timeoutMillis = nodeTimeoutMillis) =>
      connectionTo(place).pipe(
        Effect.flatMap((connection) =>
          Effect.suspend(() => {
            // Both leave at once: nothing of this connection may come between.
            if (isAsking) connection.send(newCommand("ASKING", []), ignored)
            return ask(connection, command, args)
          }),
        ),
        Effect.timeoutOrElse({
          duration: timeoutMillis,
          orElse: () => Effect.fail(`no answer within ${timeoutMillis / 1_000} s`),
        }),
        Effect.mapError(
          (cause) =>
            new StoreUnavailable({
              operation: `${command} at ${addressOf(place)}`,
              reason: cause instanceof StoreUnavailable ? cause.reason : reasonOf(cause),
            }),
        ),
      )
  return { call: calling(false), callAsking: calling(true) }
})
