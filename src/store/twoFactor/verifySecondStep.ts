import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import type { FactorUse } from "../sessions/stepUp.ts"
import type { SessionToWrite } from "../users/createUser.ts"

/** A sign-in to be completed. */
export interface SecondStep extends FactorUse {
  /** Of the pending token. */
  readonly pendingHash: string
  readonly session: SessionToWrite
}

const kinds = {
  verified: "verified",
  pending_gone: "pendingGone",
  password_changed: "passwordChanged",
  factor_refused: "factorRefused",
} as const

/** functions/verify_second_step.lua */
export const verifySecondStep = (client: RedisClient["Service"]) => (step: SecondStep) => {
  const { userId, session } = step
  const slot = keys.accountSlotOfUser(userId)
  return Effect.flatMap(
    callFunction(
      client,
      "verify_second_step",
      [
        keys.userKey(userId),
        keys.backupCodesKey(userId),
        keys.tokenKey(slot, step.pendingHash),
        keys.sessionsKey(userId),
      ],
      [
        ...[userId, step.passwordHash, step.sealedSecret, step.factor.kind, step.factor.value],
        ...[keys.sessionPrefix(slot), session.tokenHash, session.expiresAtMillis, limits.sessionsPerUserMax],
        ...session.fields,
      ],
    ),
    readKind("verify_second_step", kinds),
  )
}
