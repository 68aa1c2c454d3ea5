import { type Mode, modes } from "../../../schema/ids.ts"
import type { KeyFamilies, KeyFamily } from "../../store/keyFamily.ts"
import * as keys from "../../store/keys.ts"

/** The families that each aggregate's `keys.ts` declares: all that is exported there besides names. */
const declared: ReadonlyArray<KeyFamilies> = Object.values(keys).filter(
  (exported) => typeof exported === "object",
)

const partitionFamilies = (partition: number, whose: string): ReadonlyArray<KeyFamily> =>
  declared.flatMap(({ ofPartition }) => ofPartition?.(partition, whose) ?? [])

/** The families of every partition, as patterns. */
const allPartitionFamilies = (): ReadonlyArray<KeyFamily> =>
  partitionFamilies(0, "one partition").map((found) => ({
    ...found,
    key: found.key.replace(keys.partitionTag(0), "{p*}"),
  }))

/** Every key family of a seller, with the keys of its endpoints. */
export const sellerFamilies = (
  sellerId: string,
  endpoints: ReadonlyArray<{ readonly id: string; readonly mode: Mode }>,
): ReadonlyArray<KeyFamily> => [
  ...declared.flatMap(({ ofSeller }) => ofSeller?.(sellerId) ?? []),
  ...modes.flatMap((mode) => declared.flatMap(({ ofMode }) => ofMode?.({ sellerId, mode }) ?? [])),
  ...endpoints.flatMap(({ id, mode }) =>
    declared.flatMap(({ ofEndpoint }) => ofEndpoint?.({ sellerId, mode }, id) ?? []),
  ),
  ...partitionFamilies(keys.partitionOf(sellerId), "its partition"),
]

/** The key families that belong to no seller, and those of all partitions. */
export const globalFamilies = (): ReadonlyArray<KeyFamily> => [
  ...declared.flatMap(({ ofService }) => ofService?.() ?? []),
  ...allPartitionFamilies(),
]
