import { createHash } from "node:crypto"
import { encodePartition, type Mode, partitionOfId } from "../../schema/ids.ts"

/** Characters of the hash that are kept: 132 bits, so that two destinations of a seller never share a queue. */
const hashLength = 22

/**
 * The id of a postback destination (`pb_…`). The same URL of the same seller and mode is one destination with one queue, and
 * needs no record to be found. The two characters of the seller's partition come first, so that the id alone names its slot
 * (docs/decisions/0004-partitions-and-ids-that-route-themselves.md); then base64url of the SHA-256 of seller, mode and URL.
 */
export const destinationIdOfPostback = (sellerId: string, mode: Mode, url: string): string => {
  const hash = createHash("sha256").update(`${sellerId}:${mode}:${url}`).digest("base64url")
  return `pb_${encodePartition(partitionOfId(sellerId) ?? 0)}${hash.slice(0, hashLength)}`
}

/**
 * The id of a mode's tracker (`tr_…`): one for each seller and mode, found without an index. The partition's two characters
 * come first here as well.
 */
export const destinationIdOfTracker = (sellerId: string, mode: Mode): string => {
  const hash = createHash("sha256").update(`${sellerId}:${mode}`).digest("base64url")
  return `tr_${encodePartition(partitionOfId(sellerId) ?? 0)}${hash.slice(0, hashLength)}`
}
