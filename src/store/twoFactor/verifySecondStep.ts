import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import type { FactorUse } from "../sessions/stepUp.ts"
import type { SessionToWrite } from "../users/createUser.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["user", "backup_codes", "token", "sessions"],
  args: [
    "user_id",
    "password_hash",
    "totp_secret",
    "factor",
    "factor_value",
    "session_prefix",
    "token_hash",
    "expires_at",
    "sessions_max",
    "...fields",
  ],
})

/** A sign-in to complete. */
export interface SecondStep extends FactorUse {
  /** The hash of the pending token. */
  readonly pendingHash: string
  readonly session: SessionToWrite
}

const kinds = {
  verified: "verified",
  pending_gone: "pendingGone",
  password_changed: "passwordChanged",
  factor_refused: "factorRefused",
} as const

/**
 * Completes a sign-in with a second factor: `verified`, or refused as `pendingGone`, `passwordChanged` or `factorRefused`
 * (docs/contract/accounts.md#second-step).
 */
export const verifySecondStep = (client: RedisClient["Service"]) => (step: SecondStep) => {
  const { userId, session } = step
  const slot = keys.accountSlotOfUser(userId)
  return Effect.flatMap(
    callFunction(
      client,
      declaration,
      {
        user: keys.userKey(userId),
        backup_codes: keys.backupCodesKey(userId),
        token: keys.tokenKey(slot, step.pendingHash),
        sessions: keys.sessionsKey(userId),
      },
      {
        user_id: userId,
        password_hash: step.passwordHash,
        totp_secret: step.sealedSecret,
        factor: step.factor.kind,
        factor_value: step.factor.value,
        session_prefix: keys.sessionPrefix(slot),
        token_hash: session.tokenHash,
        expires_at: session.expiresAtMillis,
        sessions_max: limits.sessionsPerUserMax,
        fields: session.fields,
      },
    ),
    readKind(declaration, kinds),
  )
}
