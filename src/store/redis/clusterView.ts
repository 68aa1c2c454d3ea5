import { Option, Schema } from "effect"
import type { HostAndPort } from "../../config/redisUrl.ts"
import { newCommand, type Reply, reasonOf } from "./redisConnection.ts"

/** Slots of a primary, both ends included. */
export interface SlotRange {
  readonly first: number
  readonly last: number
  readonly primary: HostAndPort
  readonly replicas: ReadonlyArray<HostAndPort>
}

/** A cluster as one of its nodes sees it. */
export interface ClusterView {
  readonly ranges: ReadonlyArray<SlotRange>
  /** Primaries and replicas, each once. */
  readonly nodes: ReadonlyArray<HostAndPort>
}

/** How many slots a cluster has. */
export const slotCount = 16_384

/** The slot of a key. */
export const slotOf = (key: string): number => newCommand("GET", [key]).getSlot() ?? 0

/** `host:port`. */
export const addressOf = ({ host, port }: HostAndPort): string => `${host}:${port}`

const Place = Schema.TupleWithRest(Schema.Tuple([Schema.NullOr(Schema.String), Schema.Number]), [
  Schema.Unknown,
])
const decodeSlots = Schema.decodeUnknownOption(
  Schema.Array(Schema.TupleWithRest(Schema.Tuple([Schema.Number, Schema.Number, Place]), [Place])),
)

/**
 * Reads the reply of CLUSTER SLOTS; undefined if it has another shape. A node that does not know its own address reports an
 * empty host or `?`, which stands for the host that was asked.
 */
export const readSlots = (reply: Reply, asked: HostAndPort): ClusterView | undefined => {
  const rows = Option.getOrUndefined(decodeSlots(reply))
  if (rows === undefined) return undefined
  const placeOf = ([host, port]: readonly [string | null, number, ...ReadonlyArray<unknown>]) => ({
    host: host === null || host === "" || host === "?" ? asked.host : host,
    port,
  })
  const nodes = new Map<string, HostAndPort>()
  const ranges = rows.map(([first, last, ...places]) => {
    const [primary, ...replicas] = places.map(placeOf)
    for (const place of [primary, ...replicas]) if (place !== undefined) nodes.set(addressOf(place), place)
    return { first, last, primary: primary ?? asked, replicas }
  })
  return { ranges, nodes: [...nodes.values()] }
}

/** Whether a node considers the cluster complete, by its reply to CLUSTER INFO. One cut off from most others does not. */
export const isWhole = (info: Reply): boolean => /^cluster_state:ok\r?$/m.test(String(info))

/** Where a slot (MOVED) or a single command (ASK) is to be sent. The server that says so has not executed the command. */
export interface Redirect {
  readonly kind: "MOVED" | "ASK"
  readonly slot: number
  readonly to: HostAndPort
}

/** Reads a redirection from the node `asked`; undefined for any other error. */
export const readRedirect = (cause: unknown, asked: HostAndPort): Redirect | undefined => {
  const match = /^(MOVED|ASK) (\d+) (.*):(\d+)$/.exec(reasonOf(cause))
  if (match === null) return undefined
  const [, kind, slot, host, port] = match
  return {
    kind: kind === "ASK" ? "ASK" : "MOVED",
    slot: Number(slot),
    to: { host: host || asked.host, port: Number(port) },
  }
}
