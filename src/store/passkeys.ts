import { Effect } from "effect"
import { limits } from "../../schema/limits.ts"
import * as keys from "./keys.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { readKind } from "./redis/reply.ts"
import type { TryPlace } from "./twoFactor.ts"

type Client = RedisClient["Service"]

/** A passkey as stored; no field of it is secret. */
export interface StoredPasskey {
  /** A uuid. */
  readonly id: string
  /** Base64url, as its authenticator names it. */
  readonly credentialId: string
  /** COSE, in base64url. */
  readonly publicKey: string
  /** How often its authenticator has signed; 0 for those that do not count. */
  readonly counter: number
  readonly name: string
  /** How browsers reach it. */
  readonly transports: ReadonlyArray<string>
  readonly deviceType: "singleDevice" | "multiDevice"
  readonly backedUp: boolean
  /** The model of its authenticator. */
  readonly aaguid: string
  /** The id of the session that added it, which it does not step up. */
  readonly addedIn: string
  readonly createdAtMillis: number
  readonly lastUsedAtMillis?: number
}

/** What a challenge is for. */
export type Ceremony = "registration" | "authentication"

/** A challenge, and who is asked: a session, or a sign-in that waits for its second step. */
export interface Challenge {
  readonly userId: string
  readonly place: TryPlace
  /** The hash of the session's token, or of the pending sign-in's. */
  readonly tokenHash: string
  readonly challenge: string
  readonly ceremony: Ceremony
  readonly expiresAtMillis: number
}

const challengeFunction = luaFunction("passkeys.challenge", { keys: ["holder"] })

/** Stores the challenge of a session or a pending sign-in: `challenged`, or refused as `noHolder`. */
const challenge =
  (client: Client) =>
  ({ userId, place, tokenHash, challenge, ceremony, expiresAtMillis }: Challenge) => {
    const slot = keys.accountSlotOfUser(userId)
    const keyOf = place === "session" ? keys.sessionKey : keys.tokenKey
    return Effect.flatMap(
      callFunction(
        client,
        challengeFunction,
        { holder: keyOf(slot, tokenHash) },
        { challenge, ceremony, expiresAt: expiresAtMillis },
      ),
      readKind(challengeFunction, { challenged: "challenged", no_holder: "noHolder" }),
    )
  }

/** A change of a user's passkeys in a session. */
interface InSession {
  readonly userId: string
  /** The hash of the session's token. */
  readonly tokenHash: string
  readonly nowMillis: number
}

/** A passkey to add, and the challenge that its authenticator signed. */
export interface PasskeyToAdd extends InSession {
  readonly passkey: StoredPasskey
  readonly challenge: string
}

const addFunction = luaFunction("passkeys.add", { keys: ["user", "passkeys", "session"] })

/**
 * Adds a passkey: `added`, or refused as `noSession`, `off`, `notSteppedUp`, `notChallenged`, `known` or `tooMany`.
 */
const add =
  (client: Client) =>
  ({ userId, tokenHash, nowMillis, passkey, challenge }: PasskeyToAdd) =>
    Effect.flatMap(
      callFunction(
        client,
        addFunction,
        {
          user: keys.userKey(userId),
          passkeys: keys.passkeysKey(userId),
          session: keys.sessionKey(keys.accountSlotOfUser(userId), tokenHash),
        },
        {
          userId,
          credentialId: passkey.credentialId,
          record: recordOf(passkey),
          challenge,
          now: nowMillis,
          passkeysMax: limits.passkeysMax,
        },
      ),
      readKind(addFunction, {
        added: "added",
        no_session: "noSession",
        off: "off",
        not_stepped_up: "notSteppedUp",
        not_challenged: "notChallenged",
        known: "known",
        too_many: "tooMany",
      }),
    )

const replaceFunction = luaFunction("passkeys.replace", { keys: ["passkeys"] })

/** Replaces a passkey as it was read: `replaced`, or refused as `changed`. */
const replace = (client: Client) => (userId: string, before: StoredPasskey, passkey: StoredPasskey) =>
  Effect.flatMap(
    callFunction(
      client,
      replaceFunction,
      { passkeys: keys.passkeysKey(userId) },
      { credentialId: passkey.credentialId, before: recordOf(before), record: recordOf(passkey) },
    ),
    readKind(replaceFunction, { replaced: "replaced", changed: "changed" }),
  )

const removeFunction = luaFunction("passkeys.remove", { keys: ["passkeys", "session"] })

/** Removes a passkey: `removed`, or refused as `noSession` or `notSteppedUp`. */
const remove =
  (client: Client) =>
  ({ userId, tokenHash, nowMillis, credentialId }: InSession & { readonly credentialId: string }) =>
    Effect.flatMap(
      callFunction(
        client,
        removeFunction,
        {
          passkeys: keys.passkeysKey(userId),
          session: keys.sessionKey(keys.accountSlotOfUser(userId), tokenHash),
        },
        { userId, credentialId, now: nowMillis },
      ),
      readKind(removeFunction, {
        removed: "removed",
        no_session: "noSession",
        not_stepped_up: "notSteppedUp",
      }),
    )

/** A passkey's record: the same text for the same passkey, whether it was just made or read. */
export const recordOf = (passkey: StoredPasskey): string => JSON.stringify(passkey)

/** A user's passkeys, oldest first. */
const list = (client: Client) => (userId: string) =>
  Effect.map(client.call("HVALS", [keys.passkeysKey(userId)]), (records) =>
    (records as ReadonlyArray<string>)
      .map((record) => JSON.parse(record) as StoredPasskey)
      .sort((one, other) => one.createdAtMillis - other.createdAtMillis),
  )

/** Makes the store of passkeys. */
export const makePasskeyStore = Effect.map(RedisClient, (client) => ({
  list: list(client),
  challenge: challenge(client),
  add: add(client),
  replace: replace(client),
  remove: remove(client),
}))
