import type { Membership } from "../../../actors/values/membership.ts"
import type { Role } from "../../../schema/resources/account.ts"

/** A live session (docs/contract/accounts.md#sessions). */
export interface Session {
  /** A uuid. */
  readonly id: string
  /** Names its record, in the slot of its user. */
  readonly tokenHash: string
  readonly userId: string
  readonly role: Role
  /** The seller whose team the user is in now; undefined for operators, and for whoever was removed. */
  readonly sellerId: string | undefined
  /** What the user is in that team; undefined without one. */
  readonly membership: Membership | undefined
  readonly ipAddress: string | undefined
  readonly userAgent: string | undefined
  readonly rememberMe: boolean
  readonly createdAtMillis: number
  readonly expiresAtMillis: number
  readonly lastSeenAtMillis: number
  /**
   * Until when the session may make sensitive changes (docs/contract/accounts.md#step-up); 0 if it was never stepped
   * up.
   */
  readonly mfaVerifiedUntilMillis: number
  /** Whether it was found under the token that it had before its present one. */
  readonly isUnderFormerToken?: boolean
}

/** Where a sign-in came from, as the session keeps it. */
export interface SignInOrigin {
  readonly ipAddress: string | undefined
  readonly userAgent: string | undefined
}

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const publicPattern = /^ses_[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/**
 * The `ses_` form of a session id: the 128 bits of its uuid in Crockford's base32
 * (docs/contract/accounts.md#sessions).
 */
export const publicSessionId = (uuid: string): string => {
  let rest = BigInt(`0x${uuid.replaceAll("-", "")}`)
  let text = ""
  for (let i = 0; i < 26; i++) {
    text = alphabet[Number(rest & 31n)] + text
    rest >>= 5n
  }
  return `ses_${text}`
}

/** The uuid of a session id in either form; undefined for anything else. */
export const sessionUuidOf = (id: string): string | undefined => {
  if (uuidPattern.test(id)) return id
  if (!publicPattern.test(id)) return undefined
  let value = 0n
  for (const character of id.slice(4)) value = (value << 5n) | BigInt(alphabet.indexOf(character))
  const hex = value.toString(16).padStart(32, "0")
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
}
