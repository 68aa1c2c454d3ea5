import { hash } from "node:crypto"
import { foldAddress } from "../../../actors/values/emailAddress.ts"
import { limits } from "../../../schema/limits.ts"
import { clientOf, networkOf } from "../../accounts/clientAddress.ts"
import type { NamedBucket } from "./quota.ts"

/** The bucket's name contains a hash, so that no address or e-mail address is stored in clear. */
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

/**
 * Limits attempts per minute and client address, over all processes. A multiple of that applies to the network that
 * one site may own: an attacker who owns it would move on to the next address.
 */
export const limitsByAddress = (
  policy: string,
  ipAddress: string,
  perMinute: number,
  partitions: number,
): ReadonlyArray<NamedBucket> => {
  const { isIpv6, network } = networkOf(ipAddress)
  const perNetwork = perMinute * (isIpv6 ? limits.networkTriesFactorIpv6 : limits.networkTriesFactorIpv4)
  const networkPolicy = `${policy}-network`
  return [
    {
      policy,
      bucket: bucketOf(policy, clientOf(ipAddress), perMinute, partitions),
      message: `Too many attempts from this address: ${perMinute} a minute are allowed. Try again after Retry-After.`,
    },
    {
      policy: networkPolicy,
      bucket: bucketOf(networkPolicy, network, perNetwork, partitions),
      message: `Too many attempts from this network: ${perNetwork} a minute are allowed. Try again after Retry-After.`,
    },
  ]
}

/** Limits attempts per minute for an e-mail address from one device, identified by what it shows. */
export const limitByDevice = (
  policy: string,
  email: string,
  device: string,
  perMinute: number,
  partitions: number,
): NamedBucket => ({
  policy,
  bucket: bucketOf(policy, JSON.stringify([foldAddress(email), device]), perMinute, partitions),
  message: `Too many attempts from this device: ${perMinute} a minute are allowed. Try again after Retry-After.`,
})

/** Limits attempts per minute and e-mail address, known or not, ignoring case. */
export const limitByEmail = (
  policy: string,
  email: string,
  perMinute: number,
  partitions: number,
): NamedBucket => ({
  policy,
  bucket: bucketOf(policy, foldAddress(email), perMinute, partitions),
  message: `Too many attempts for this e-mail address: ${perMinute} a minute are allowed. Try again after Retry-After.`,
})
