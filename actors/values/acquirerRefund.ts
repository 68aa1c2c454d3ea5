import { createHash } from "node:crypto"
import { makeId, partitionOfId } from "../../schema/ids.ts"

/** The characters of an id that come from the acquirer's own: the ones that are random in other ids. */
const tailLength = 14

const digestOf = (endToEndId: string, acquirerId: string): Buffer =>
  createHash("sha256").update(`${endToEndId}:${acquirerId}`).digest()

/**
 * The id of a refund that began at the acquirer (docs/contract/refunds.md#origins): when it was recorded, by the seller's
 * clock, the seller's partition, and 70 bits of the SHA-256 of the transfer's end-to-end id and the acquirer's id of the return.
 */
export const acquirerRefundId = (
  sellerId: string,
  nowMillis: number,
  endToEndId: string,
  acquirerId: string,
): string => makeId("rfd_", nowMillis, partitionOfId(sellerId) ?? 0, digestOf(endToEndId, acquirerId))

/** Returns a test for ids derived from this return. Computes the digest once. */
export const matchesReturn = (endToEndId: string, acquirerId: string): ((id: string) => boolean) => {
  const tail = makeId("rfd_", 0, 0, digestOf(endToEndId, acquirerId)).slice(-tailLength)
  return (id) => id.slice(-tailLength) === tail
}

/** Whether `id` was derived from this return. */
export const isOfReturn = (id: string, endToEndId: string, acquirerId: string): boolean =>
  matchesReturn(endToEndId, acquirerId)(id)
