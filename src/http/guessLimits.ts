import { hash } from "node:crypto"
import { limits } from "../../schema/limits.ts"
import { clientOf } from "../accounts/clientAddress.ts"
import type { NamedBucket } from "./quota.ts"

/** What is limited, as part of a key's name: no address or e-mail address stands in clear there. */
const bucketOf = (
  policy: string,
  what: string,
  perMinute: number,
  partitions: number,
): NamedBucket["bucket"] => {
  const digest = hash("sha256", what)
  return {
    partition: Number.parseInt(digest.slice(0, 4), 16) % partitions,
    name: `${policy}:${digest}`,
    capacity: perMinute,
    windowMillis: limits.rateWindowMillis,
  }
}

/** So many tries a minute and client address, over all processes (decisions 1). */
export const limitByAddress = (
  policy: string,
  ipAddress: string,
  perMinute: number,
  partitions: number,
): NamedBucket => ({
  policy,
  bucket: bucketOf(policy, clientOf(ipAddress), perMinute, partitions),
  message: `From one address this may be tried ${perMinute} times a minute. Try again after Retry-After.`,
})

/** So many tries a minute and e-mail address, whatever its case, known or not. */
export const limitByEmail = (
  policy: string,
  email: string,
  perMinute: number,
  partitions: number,
): NamedBucket => ({
  policy,
  bucket: bucketOf(policy, email.toLowerCase(), perMinute, partitions),
  message: `For one e-mail address this may be tried ${perMinute} times a minute. Try again after Retry-After.`,
})
