import { hash } from "node:crypto"
import { isIPv6 } from "node:net"
import { limits } from "../../schema/limits.ts"
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

/** What counts as one client: an IPv4 address, or the /64 that one IPv6 customer has. */
export const clientOf = (ipAddress: string): string => {
  if (!isIPv6(ipAddress)) return ipAddress
  const [head = "", tail] = ipAddress.toLowerCase().split("::")
  const groups = head === "" ? [] : head.split(":")
  const rest = tail === undefined || tail === "" ? [] : tail.split(":")
  const filler = tail === undefined ? [] : Array.from({ length: 8 - groups.length - rest.length }, () => "0")
  return [...groups, ...filler, ...rest]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")
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
