import { hash } from "node:crypto"
import { family, type KeyFamilies } from "../keyFamily.ts"

/**
 * Hash: end-to-end id of a received Pix -> the charge or exception that has it; for ever. The first eight bits of the id's SHA-256
 * choose the slot, so that the id alone finds it, whatever `PARTITIONS` is.
 */
export const pixClaimsKey = (account: string, endToEndId: string): string =>
  `pix-claims:{c${hash("sha256", endToEndId).slice(0, 2)}}:${account}`

/** The key families of claims of received Pix. */
export const pixClaimFamilies: KeyFamilies = {
  ofService: () => [
    family(
      "pix claims",
      "pix-claims:{c*}:*",
      "hash",
      "which charge or exception has each Pix that an acquirer account received",
    ),
  ],
}
