import { Effect } from "effect"
import type { Role } from "../../../schema/resources/account.ts"
import { sessionKey, sessionPrefix, sessionsKey } from "../keys.ts"
import { type EntityKind, field, makeEntities } from "../redis/entities.ts"
import { RedisClient } from "../redis/redisClient.ts"
import { createSession } from "./createSession.ts"
import { endOtherSessions } from "./endOtherSessions.ts"
import { endSession } from "./endSession.ts"
import { replaceSession } from "./replaceSession.ts"
import { stepUp } from "./stepUp.ts"
import { touchSession } from "./touchSession.ts"

/** A session as stored, under the hash of its token. */
export interface SessionEntity {
  /** A uuid. */
  readonly id: string
  readonly userId: string
  readonly role: Role
  readonly sellerId?: string
  readonly ipAddress?: string
  readonly userAgent?: string
  readonly rememberMe: boolean
  /** The user's `signOuts` when it signed in. */
  readonly signOuts?: number
  readonly createdAtMillis: number
  readonly expiresAtMillis: number
  readonly lastSeenAtMillis: number
  /** The session is stepped up until then (docs/contract/accounts.md#step-up); 0 if it never was. */
  readonly mfaVerifiedUntilMillis: number
  /** The key of the session's record under its new token; this one is under the token before. */
  readonly movedTo?: string
}

const sessionKind: EntityKind<SessionEntity> = {
  name: "session",
  fields: {
    id: field("string", "id"),
    userId: field("string", "user"),
    role: field("string", "role"),
    sellerId: field("string", "seller_id"),
    ipAddress: field("string", "ip_address"),
    userAgent: field("string", "user_agent"),
    rememberMe: field("boolean", "remember_me"),
    signOuts: field("number", "sign_outs"),
    createdAtMillis: field("number", "created_at"),
    expiresAtMillis: field("number", "expires_at"),
    lastSeenAtMillis: field("number", "last_seen_at"),
    mfaVerifiedUntilMillis: field("number", "mfa_verified_until"),
    movedTo: field("string", "moved_to"),
  },
  required: "id",
}

/** Makes the store of sessions; each is in its user's slot, under the hash of its token. */
export const makeSessionStore = Effect.map(RedisClient, (client) => {
  const sessions = makeEntities(client, sessionKind)
  return {
    /**
     * The session under a token's hash, with the hash that its record is under now. Under the token before, it is stepped
     * up for no longer than it was then.
     */
    find: Effect.fnUntraced(function* (slot: number, tokenHash: string) {
      let hash = tokenHash
      let entity = yield* sessions.fetch(sessionKey(slot, hash))
      let mfaVerifiedUntilMillis = Number.POSITIVE_INFINITY
      while (entity !== undefined) {
        mfaVerifiedUntilMillis = Math.min(mfaVerifiedUntilMillis, entity.mfaVerifiedUntilMillis)
        if (entity.movedTo === undefined) {
          return { entity: { ...entity, mfaVerifiedUntilMillis }, tokenHash: hash }
        }
        hash = entity.movedTo.slice(sessionPrefix(slot).length)
        entity = yield* sessions.fetch(entity.movedTo)
      }
      return undefined
    }),
    /** The token hashes of a user's sessions; some may have expired. */
    tokenHashesOf: (userId: string) =>
      Effect.map(
        client.call("ZRANGE", [sessionsKey(userId), 0, -1]),
        (hashes) => hashes as ReadonlyArray<string>,
      ),
    /** Names and values of a session's hash in turn, for functions that write it together with other keys. */
    fieldsOf: sessions.fieldsOf,
    create: createSession(client),
    touch: touchSession(client),
    stepUp: stepUp(client),
    replace: replaceSession(client),
    end: endSession(client),
    endOthers: endOtherSessions(client),
  }
})
