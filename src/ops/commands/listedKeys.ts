import { destinationIdOfTracker } from "../../../actors/delivery/destinationId.ts"
import { type Mode, modes } from "../../../schema/ids.ts"
import type { KeyKind, KeyType } from "../../store/keys/keyKind.ts"
import { keyKinds } from "../../store/keys/table.ts"
import { tagOf } from "../../store/keys.ts"

/** A key, or the pattern of several: a `*` stands for a part that varies. */
export interface ListedKey {
  readonly family: string
  readonly key: string
  readonly type: KeyType
  readonly holds: string
}

type Values = Readonly<Record<string, ReadonlyArray<string>>>

const kinds = keyKinds.map(([, kind]) => kind)
const has = (kind: KeyKind, ...parts: ReadonlyArray<string>) =>
  parts.some((part) => kind.parts.includes(part))
const isOfSeller = (kind: KeyKind) => has(kind, "seller")
const isOfPartition = (kind: KeyKind) => has(kind, "tag") && !isOfSeller(kind)
const isOfService = (kind: KeyKind) => !has(kind, "tag")
const isOfDestination = (kind: KeyKind) => has(kind, "endpoint", "destination")

/** Every way to take one value of each list, the last list varying fastest. */
const choices = (lists: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<ReadonlyArray<string>> =>
  lists.reduce<ReadonlyArray<ReadonlyArray<string>>>(
    (chosen, list) => chosen.flatMap((start) => list.map((value) => [...start, value])),
    [[]],
  )

/** The keys of a kind for all values that its parts may have; `remark` says more about them. */
const list = (kind: KeyKind, known: Values, remark?: string): ReadonlyArray<ListedKey> => {
  const few: Values = { mode: modes, ...kind.values }
  const holds = kind.holds.replaceAll("`", "")
  return choices(kind.parts.map((part) => known[part] ?? few[part] ?? ["*"])).map((parts) => {
    const told = parts.filter((_, at) => few[kind.parts[at] ?? ""] !== undefined)
    const remarks = [...told, ...(remark === undefined ? [] : [remark])]
    return {
      family: kind.family,
      key: kind.name(...parts),
      type: kind.type,
      holds: remarks.length === 0 ? holds : `${holds} (${remarks.join(", ")})`,
    }
  })
}

interface Endpoint {
  readonly id: string
  readonly mode: Mode
}

/** Every key of a seller, of its endpoints and trackers, and those that it shares with its partition. */
export const listSellerKeys = (
  sellerId: string,
  endpoints: ReadonlyArray<Endpoint>,
): ReadonlyArray<ListedKey> => {
  const ofSeller: Values = { tag: [tagOf(sellerId)], seller: [sellerId] }
  const ofDestination = (kind: KeyKind, { id, mode }: Endpoint, remark?: string) =>
    isOfDestination(kind)
      ? list(kind, { ...ofSeller, mode: [mode], endpoint: [id], destination: [id] }, remark)
      : []
  const trackers = modes.map((mode) => ({ id: destinationIdOfTracker(sellerId, mode), mode }))
  return [
    ...kinds
      .filter((kind) => isOfSeller(kind) && !isOfDestination(kind))
      .flatMap((kind) => list(kind, ofSeller)),
    ...endpoints.flatMap((endpoint) => kinds.flatMap((kind) => ofDestination(kind, endpoint))),
    ...trackers.flatMap((tracker) =>
      kinds
        .filter((kind) => has(kind, "destination"))
        .flatMap((kind) => ofDestination(kind, tracker, `the ${tracker.mode} tracker`)),
    ),
    ...kinds.filter(isOfPartition).flatMap((kind) => list(kind, ofSeller, "its partition")),
  ]
}

/** The keys that belong to no seller, and those of all partitions as patterns. */
export const listGlobalKeys = (): ReadonlyArray<ListedKey> => [
  ...kinds.filter(isOfService).flatMap((kind) => list(kind, { slot: ["{u*}"], claims: ["{c*}"] })),
  ...kinds.filter(isOfPartition).flatMap((kind) => list(kind, { tag: ["{p*}"] }, "one partition")),
]
