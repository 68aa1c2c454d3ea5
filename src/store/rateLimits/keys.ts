import { partitionTag } from "../tags.ts"

/** String: when a token bucket is full again. */
export const rateKey = (partition: number, name: string): string => `rate:${partitionTag(partition)}:${name}`
