import { family, type KeyFamilies } from "../keyFamily.ts"
import { partitionTag } from "../tags.ts"

/** String: when a token bucket is full again. */
export const rateKey = (partition: number, name: string): string => `rate:${partitionTag(partition)}:${name}`

/** The key family of token buckets. */
export const rateLimitFamilies: KeyFamilies = {
  ofPartition: (partition, whose) => [
    family(
      "rate limit",
      rateKey(partition, "*"),
      "string",
      `when a token bucket in ${whose} is full again (ms)`,
    ),
  ],
}
