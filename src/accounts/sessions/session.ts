import type { Role } from "../../../schema/resources/account.ts"

/** A live session as the caller of a request (spec 5.2). */
export interface Session {
  /** A uuid. */
  readonly id: string
  /** Names its record, in the slot of its user. */
  readonly tokenHash: string
  readonly userId: string
  readonly role: Role
  /** Undefined for operators. */
  readonly sellerId: string | undefined
  readonly ipAddress: string | undefined
  readonly userAgent: string | undefined
  readonly rememberMe: boolean
  readonly createdAtMillis: number
  readonly expiresAtMillis: number
  readonly lastSeenAtMillis: number
  /** The session may make sensitive changes until then (spec 5.3); 0 where it never could. */
  readonly mfaVerifiedUntilMillis: number
}

/** Who signs in from where: what a session keeps of the request that began it. */
export interface SignInOrigin {
  readonly ipAddress: string | undefined
  readonly userAgent: string | undefined
}
