import type { Mode } from "../../schema/ids.ts"
import { type Membership, refundMaxOf } from "./membership.ts"

/** Who makes a request: the immutable part of an API key, which may be cached, and the record that says whether it is valid. */
export interface Principal {
  readonly sellerId: string
  readonly mode: Mode
  readonly keyId: string
  /** SHA-256 of the key in base64url: the name of its record. */
  readonly keyHash: string
  /** The most that one refund may give back, in centavos; absent: no such limit (docs/contract/members.md#refund-limit). */
  readonly refundMax?: number
}

/** An API key as a principal, with what it may do and from where: facts that never change either, and may be cached too. */
export interface KeyPrincipal extends Principal {
  /** Its scopes as `scopeBits` packs them. */
  readonly scopeBits: number
  /** Addresses and CIDR ranges that it works from; empty: from anywhere. */
  readonly allowedIps: ReadonlyArray<string>
}

/** Stands for a key's hash where a session makes the request: no key has it, and the session was checked before. */
export const sessionKeyHash = "session"

/**
 * A seller's dashboard session as a principal (docs/contract/accounts.md#sessions). Its validity was checked when the
 * request was admitted. All sessions of a user count as one credential: when one ends, the user's streams end, and those
 * of the other sessions reconnect.
 */
export const sessionPrincipal = (
  sellerId: string,
  mode: Mode,
  userId: string,
  membership?: Membership,
): Principal => {
  const refundMax = membership && refundMaxOf(membership)
  return {
    sellerId,
    mode,
    keyId: userId,
    keyHash: sessionKeyHash,
    ...(refundMax === undefined ? {} : { refundMax }),
  }
}

/** Why a write was refused; nothing was written. `kycRequired`: the seller is not identified and asked for live. */
export type AccessRefusal =
  | { readonly kind: "keyInvalid" }
  | { readonly kind: "sellerNotAllowed" }
  | { readonly kind: "kycRequired" }
