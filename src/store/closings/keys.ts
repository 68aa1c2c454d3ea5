import type { Feed, Mode } from "../../../schema/ids.ts"
import { family, type KeyFamilies } from "../keyFamily.ts"
import { partitionTag, tagOf } from "../tags.ts"

/** The tag of what belongs to no partition, so that a closing is written only under its lease. */
const tag = "{closings}"

/** Stream: closings of a mode's days, over all sellers. An entry's id is its day, `20261121-0`. */
export const closingsKey = (mode: Mode): string => `closings:${tag}:${mode}`

/** Hash: the process that closes days, and its fence. */
export const closingLeaseKey = `closing-lease:${tag}`

/** Stream: a partition's parts of closings, where something moved. */
export const closingPartsKey = (partition: number, mode: Mode): string =>
  `closing-parts:${partitionTag(partition)}:${mode}`

/** Hash: the last day that is closed in a partition, by mode, and the fence of its last write. */
export const closingStateKey = (partition: number): string => `closing-state:${partitionTag(partition)}`

/** Stream: a seller's closings of the days on which its money moved. */
export const sellerClosingsKey = ({ sellerId, mode }: Feed): string =>
  `seller-closings:${tagOf(sellerId)}:${sellerId}:${mode}`

/** The key families of closings. */
export const closingFamilies: KeyFamilies = {
  ofService: () => [
    family("live closings", closingsKey("live"), "stream", "the closing of each day of live"),
    family("test closings", closingsKey("test"), "stream", "the closing of each day of test"),
    family("closing lease", closingLeaseKey, "hash", "the process that closes days"),
  ],
  ofMode: (feed) => [
    family(
      "closings",
      sellerClosingsKey(feed),
      "stream",
      `the closings of days on which ${feed.mode} money moved`,
    ),
  ],
  ofPartition: (partition, whose) => [
    family("closed days", closingStateKey(partition), "hash", `the last day closed of ${whose}, by mode`),
    family("live parts", closingPartsKey(partition, "live"), "stream", `sums of each live day of ${whose}`),
    family("test parts", closingPartsKey(partition, "test"), "stream", `sums of each test day of ${whose}`),
  ],
}
