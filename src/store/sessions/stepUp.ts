import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["user", "backup_codes", "session", "sessions"],
  args: [
    ...["user_id", "password_hash", "totp_secret", "factor", "factor_value", "until", "operation"],
    ...["session_prefix", "token_hash", "new_token_hash", "grace"],
  ],
})

/** A second factor about to be used, and the user's fields it was checked against, which must not have changed. */
export interface FactorUse {
  readonly userId: string
  readonly passwordHash: string
  /** The TOTP secret, sealed, as it was read. */
  readonly sealedSecret: string
  /** `value` is a TOTP code's time step, or a backup code's hash. */
  readonly factor: { readonly kind: "totp" | "backup"; readonly value: string }
}

/** A session to be stepped up. */
export interface StepUp extends FactorUse {
  /** The hash of the session's token. */
  readonly tokenHash: string
  /** When the step-up ends. */
  readonly verifiedUntilMillis: number
  /** Identifies this request: a retry gets the same answer. */
  readonly operation: string
  /** The hash of the token that the session is to have from then on; undefined: it keeps its token. */
  readonly newTokenHash: string | undefined
}

const kinds = {
  stepped_up: "steppedUp",
  moved: "moved",
  no_session: "noSession",
  password_changed: "passwordChanged",
  off: "off",
  factor_refused: "factorRefused",
  own_code: "ownCode",
} as const

/**
 * Uses a second factor to step up a session: `steppedUp`, or `moved` where it has the new token; or refused as `noSession`, `passwordChanged`, `off`,
 * `factorRefused` or `ownCode` (docs/contract/accounts.md#step-up).
 */
export const stepUp = (client: RedisClient["Service"]) => (use: StepUp) => {
  const { userId, factor } = use
  const slot = keys.accountSlotOfUser(userId)
  return Effect.flatMap(
    callFunction(
      client,
      declaration,
      {
        user: keys.userKey(userId),
        backup_codes: keys.backupCodesKey(userId),
        session: keys.sessionKey(slot, use.tokenHash),
        sessions: keys.sessionsKey(userId),
      },
      {
        user_id: userId,
        password_hash: use.passwordHash,
        totp_secret: use.sealedSecret,
        factor: factor.kind,
        factor_value: factor.value,
        until: use.verifiedUntilMillis,
        operation: use.operation,
        session_prefix: keys.sessionPrefix(slot),
        token_hash: use.tokenHash,
        new_token_hash: use.newTokenHash ?? "",
        grace: limits.formerTokenMillis,
      },
    ),
    readKind(declaration, kinds),
  )
}
