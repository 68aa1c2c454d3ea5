import type { Role } from "../../../schema/resources/account.ts"

/** A live session (docs/contract/accounts.md#sessions). */
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
