import { Effect } from "effect"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { limits } from "../../schema/limits.ts"
import type { Role } from "../../schema/resources/account.ts"
import * as keys from "./keys.ts"
import { type EntityKind, field, makeEntities } from "./redis/entities.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { readKind } from "./redis/reply.ts"

type Client = RedisClient["Service"]

/** A session as stored, under the hash of its token. */
export interface SessionEntity {
  /** A uuid. */
  readonly id: string
  readonly userId: string
  readonly role: Role
  readonly sellerId?: string
  /** The user's in its seller's team; left out for sellers' first users. */
  readonly memberId?: string
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
    memberId: field("string", "member_id"),
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

/** A session to create, by the hash of its token. */
export interface SessionToWrite {
  readonly tokenHash: string
  readonly expiresAtMillis: number
  /** Those of its hash. */
  readonly fields: Readonly<Record<string, string>>
}

/** What a change says of a session that it creates. */
export const sessionChange = ({ tokenHash, expiresAtMillis, fields }: SessionToWrite) => ({
  tokenHash,
  expiresAt: expiresAtMillis,
  fields,
  sessionsMax: limits.sessionsPerUserMax,
})

const createFunction = luaFunction("sessions.create", { keys: ["user", "sessions"] })

/** Creates a session: `created`, or refused as `passwordChanged` unless `passwordHash` is still the user's. */
const create = (client: Client) => (userId: string, passwordHash: string, session: SessionToWrite) =>
  Effect.flatMap(
    callFunction(
      client,
      createFunction,
      { user: keys.userKey(userId), sessions: keys.sessionsKey(userId) },
      { passwordHash, session: sessionChange(session) },
    ),
    readKind(createFunction, { created: "created", password_changed: "passwordChanged" }),
  )

const touchFunction = luaFunction("sessions.touch", { keys: ["session"] })

/** Records when a session was last used. */
const touch = (client: Client) => (slot: number, tokenHash: string, nowMillis: number) =>
  Effect.asVoid(
    callFunction(client, touchFunction, { session: keys.sessionKey(slot, tokenHash) }, { now: nowMillis }),
  )

const endFunction = luaFunction("sessions.end_one", { keys: ["sessions"] })

/** Ends a session, found by its token's hash if that is given, else by its id: `ended`, or refused as `missing`. */
const end =
  (client: Client) =>
  (userId: string, { id, tokenHash }: { readonly id: string; readonly tokenHash?: string }) =>
    Effect.flatMap(
      callFunction(client, endFunction, { sessions: keys.sessionsKey(userId) }, { id, tokenHash }),
      readKind(endFunction, { ended: "ended", missing: "missing" }),
    )

const endOthersFunction = luaFunction("sessions.end_others", { keys: ["sessions"] })

/** Ends all sessions of a user except the one with `tokenHash`. */
const endOthers = (client: Client) => (userId: string, tokenHash: string) =>
  Effect.flatMap(
    callFunction(client, endOthersFunction, { sessions: keys.sessionsKey(userId) }, { tokenHash }),
    readKind(endOthersFunction, { ended: "ended" }),
  )

const replaceFunction = luaFunction("sessions.replace", { keys: ["session", "sessions"] })

/** Replaces a user's session by another of the same user: `replaced`, or refused as `missing` if it has ended. */
const replace = (client: Client) => (userId: string, tokenHash: string, newTokenHash: string) =>
  Effect.flatMap(
    callFunction(
      client,
      replaceFunction,
      {
        session: keys.sessionKey(keys.accountSlotOfUser(userId), tokenHash),
        sessions: keys.sessionsKey(userId),
      },
      { newTokenHash, grace: limits.formerTokenMillis },
    ),
    readKind(replaceFunction, { replaced: "replaced", missing: "missing" }),
  )

/** A second factor about to be used. */
export type UsedFactor =
  /** `value` is a TOTP code's time step, or a backup code's hash. */
  | { readonly kind: "totp" | "backup"; readonly value: string }
  | {
      readonly kind: "passkey"
      /** Its credential id. */
      readonly value: string
      /** What it signed. */
      readonly challenge: string
      /** Its record that the signature was checked by, which must not have changed. */
      readonly before: string
      /** Its record from then on. */
      readonly record: string
      readonly now: number
    }

/** A second factor about to be used, and the user's fields it was checked against, which must not have changed. */
export interface FactorUse {
  readonly userId: string
  readonly passwordHash: string
  /** The TOTP secret, sealed, as it was read. */
  readonly sealedSecret: string
  readonly factor: UsedFactor
}

/** How a session is stepped up. */
export interface SessionStepUp {
  /** The hash of the session's token. */
  readonly tokenHash: string
  /** When the step-up ends. */
  readonly verifiedUntilMillis: number
  /** Identifies this request: a retry gets the same answer. */
  readonly operation: string
  /** The hash of the token that the session is to have from then on; undefined: it keeps its token. */
  readonly newTokenHash: string | undefined
}

/** What a change says of a session that it steps up. */
export const stepUpChange = ({ verifiedUntilMillis, operation, newTokenHash }: SessionStepUp) => ({
  verifiedUntil: verifiedUntilMillis,
  operation,
  newTokenHash,
  grace: limits.formerTokenMillis,
})

const stepUpFunction = luaFunction("sessions.step_up", {
  keys: ["user", "backupCodes", "passkeys", "session", "sessions"],
})

/**
 * Uses a second factor to step up a session: `steppedUp`, or `moved` where it has the new token; or refused as `noSession`,
 * `passwordChanged`, `off`, `factorRefused` or `ownCode` (docs/contract/accounts.md#step-up).
 */
const stepUp = (client: Client) => (use: FactorUse & SessionStepUp) => {
  const { userId, passwordHash, sealedSecret, factor } = use
  return Effect.flatMap(
    callFunction(
      client,
      stepUpFunction,
      {
        user: keys.userKey(userId),
        backupCodes: keys.backupCodesKey(userId),
        passkeys: keys.passkeysKey(userId),
        session: keys.sessionKey(keys.accountSlotOfUser(userId), use.tokenHash),
        sessions: keys.sessionsKey(userId),
      },
      { userId, passwordHash, totpSecret: sealedSecret, factor, ...stepUpChange(use) },
    ),
    readKind(stepUpFunction, {
      stepped_up: "steppedUp",
      moved: "moved",
      no_session: "noSession",
      password_changed: "passwordChanged",
      off: "off",
      factor_refused: "factorRefused",
      own_code: "ownCode",
    }),
  )
}

/**
 * Finds the session under a token's hash, with the hash that its record is under now. Under the token before, it is stepped up for
 * no longer than it was then.
 */
const find = (fetch: (key: string) => Effect.Effect<SessionEntity | undefined, StoreUnavailable>) =>
  Effect.fnUntraced(function* (slot: number, tokenHash: string) {
    let hash = tokenHash
    let entity = yield* fetch(keys.sessionKey(slot, hash))
    let mfaVerifiedUntilMillis = Number.POSITIVE_INFINITY
    while (entity !== undefined) {
      mfaVerifiedUntilMillis = Math.min(mfaVerifiedUntilMillis, entity.mfaVerifiedUntilMillis)
      if (entity.movedTo === undefined) {
        return { entity: { ...entity, mfaVerifiedUntilMillis }, tokenHash: hash }
      }
      hash = entity.movedTo.slice(keys.sessionPrefix(slot).length)
      entity = yield* fetch(entity.movedTo)
    }
    return undefined
  })

/** Makes the store of sessions; each is in its user's slot, under the hash of its token. */
export const makeSessionStore = Effect.map(RedisClient, (client) => {
  const sessions = makeEntities(client, sessionKind)
  return {
    find: find(sessions.fetch),
    /** The token hashes of a user's sessions; some may have expired. */
    tokenHashesOf: (userId: string) =>
      Effect.map(
        client.call("ZRANGE", [keys.sessionsKey(userId), 0, -1]),
        (hashes) => hashes as ReadonlyArray<string>,
      ),
    /** The fields of a session's hash, for functions that write it together with other keys. */
    fieldsOf: sessions.fieldsOf,
    create: create(client),
    touch: touch(client),
    stepUp: stepUp(client),
    replace: replace(client),
    end: end(client),
    endOthers: endOthers(client),
  }
})
