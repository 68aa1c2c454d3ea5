import { Effect } from "effect"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { limits } from "../../schema/limits.ts"
import * as keys from "./keys.ts"
import { callFunction, unexpectedReply } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { readKind, words } from "./redis/reply.ts"
import {
  type FactorUse,
  type SessionStepUp,
  type SessionToWrite,
  sessionChange,
  stepUpChange,
} from "./sessions.ts"

type Client = RedisClient["Service"]

/**
 * Where a code is sent: in a session, or at the second step of a sign-in on a device that the user is known on or not. Each
 * has a count of its own, so that a stranger's wrong codes make nobody else wait.
 */
export type TryPlace = "session" | "known" | "stranger"

/** A try of a second factor, before its code is checked. */
export interface FactorTrying {
  readonly userId: string
  readonly place: TryPlace
  /** The hash of the session's token, or of the pending sign-in's. */
  readonly tokenHash: string
  readonly nowMillis: number
}

/**
 * `count`: tries in a row in that place, this one included. `wait`: no code is checked there for so long. `spent`: this
 * session or pending sign-in has had its tries.
 */
export type FactorTry =
  | { readonly kind: "begun"; readonly count: number }
  | { readonly kind: "wait"; readonly waitMillis: number }
  | { readonly kind: "spent" }

const beginTryFunction = luaFunction("two_factor.begin_try", { keys: ["user", "holder"] })

/** Counts a try of a user's second factor, to be called before its code is checked: `begun`, or refused as `wait` or `spent`. */
const beginTry =
  (client: Client) =>
  ({ userId, place, tokenHash, nowMillis }: FactorTrying): Effect.Effect<FactorTry, StoreUnavailable> => {
    const slot = keys.accountSlotOfUser(userId)
    const isSession = place === "session"
    return Effect.flatMap(
      callFunction(
        client,
        beginTryFunction,
        {
          user: keys.userKey(userId),
          holder: isSession ? keys.sessionKey(slot, tokenHash) : keys.tokenKey(slot, tokenHash),
        },
        {
          place,
          now: nowMillis,
          triesMax: limits.wrongCodesMax,
          firstWait: limits.wrongCodesFirstWaitMillis,
          longestWait: limits.wrongCodesLongestWaitMillis,
          holderTriesMax: isSession ? limits.sessionWrongCodesMax : limits.pendingSignInWrongCodesMax,
        },
      ),
      (reply): Effect.Effect<FactorTry, StoreUnavailable> => {
        const [kind, number] = words(reply)
        if (kind === "begun") return Effect.succeed({ kind, count: Number(number) })
        if (kind === "wait") return Effect.succeed({ kind, waitMillis: Number(number) })
        if (kind === "spent") return Effect.succeed({ kind })
        return Effect.fail(unexpectedReply(beginTryFunction, reply))
      },
    )
  }

/** A second factor to set up. */
export interface Enabling {
  readonly userId: string
  /** The hash that the password was verified against. */
  readonly passwordHash: string
  readonly sealedSecret: string
  /** The requesting session. */
  readonly sessionId: string
  /** Hashes of the backup codes. */
  readonly storedCodes: ReadonlyArray<string>
  readonly nowMillis: number
}

const enableFunction = luaFunction("two_factor.enable", { keys: ["user", "backupCodes"] })

/** Stores a pending second factor: `enabling`, or refused as `passwordChanged` or `on`. */
const enable =
  (client: Client) =>
  ({ userId, passwordHash, sealedSecret, sessionId, storedCodes, nowMillis }: Enabling) =>
    Effect.flatMap(
      callFunction(
        client,
        enableFunction,
        { user: keys.userKey(userId), backupCodes: keys.backupCodesKey(userId) },
        { passwordHash, secret: sealedSecret, codes: storedCodes, sessionId, now: nowMillis },
      ),
      readKind(enableFunction, { enabling: "enabling", password_changed: "passwordChanged", on: "on" }),
    )

/** A pending secret that a correct code has proved, and the session that it steps up. */
export interface Confirmation extends SessionStepUp {
  readonly userId: string
  /** The pending secret, sealed, as it was read. */
  readonly sealedSecret: string
  /** The code's TOTP step. */
  readonly step: number
  readonly nowMillis: number
}

const confirmFunction = luaFunction("two_factor.confirm", { keys: ["user", "session", "sessions"] })

/**
 * Turns a user's second factor on and steps the session up: `on`, or `moved` where it has the new token; or refused as `noSession`
 * or `refused`.
 */
const confirm = (client: Client) => (confirmation: Confirmation) => {
  const { userId, sealedSecret, step, nowMillis } = confirmation
  return Effect.flatMap(
    callFunction(
      client,
      confirmFunction,
      {
        user: keys.userKey(userId),
        session: keys.sessionKey(keys.accountSlotOfUser(userId), confirmation.tokenHash),
        sessions: keys.sessionsKey(userId),
      },
      { userId, pendingSecret: sealedSecret, step, now: nowMillis, ...stepUpChange(confirmation) },
    ),
    readKind(confirmFunction, { on: "on", moved: "moved", no_session: "noSession", refused: "refused" }),
  )
}

/** A second factor to turn off. */
export interface Disabling {
  readonly userId: string
  /** The hash of the requesting session's token. */
  readonly tokenHash: string
  /** The hash that the password was verified against. */
  readonly passwordHash: string
  readonly nowMillis: number
}

const disableFunction = luaFunction("two_factor.disable", {
  keys: ["user", "backupCodes", "passkeys", "sessions", "session"],
})

/**
 * Turns a user's second factor off and ends all sessions: `off`, or refused as `passwordChanged`, `wasOff` or
 * `notSteppedUp`.
 */
const disable =
  (client: Client) =>
  ({ userId, tokenHash, passwordHash, nowMillis }: Disabling) =>
    Effect.flatMap(
      callFunction(
        client,
        disableFunction,
        {
          user: keys.userKey(userId),
          backupCodes: keys.backupCodesKey(userId),
          passkeys: keys.passkeysKey(userId),
          sessions: keys.sessionsKey(userId),
          session: keys.sessionKey(keys.accountSlotOfUser(userId), tokenHash),
        },
        { passwordHash, now: nowMillis },
      ),
      readKind(disableFunction, {
        off: "off",
        password_changed: "passwordChanged",
        was_off: "wasOff",
        not_stepped_up: "notSteppedUp",
      }),
    )

/** A recovery token to redeem, and the user's fields that it was checked against, which must not have changed. */
export interface Recovering {
  readonly userId: string
  readonly tokenHash: string
  readonly passwordHash: string
  /** The TOTP secret, sealed, as it was read; undefined if there was none. */
  readonly sealedSecret: string | undefined
  readonly nowMillis: number
  /** Identifies retries after a lost reply. */
  readonly operation: string
}

const recoverFunction = luaFunction("two_factor.recover", {
  keys: ["token", "user", "backupCodes", "passkeys", "sessions"],
})

/** Redeems a recovery token: `recovered`, or refused as `tokenUsed`. */
const recover =
  (client: Client) =>
  ({ userId, tokenHash, passwordHash, sealedSecret, nowMillis, operation }: Recovering) =>
    Effect.flatMap(
      callFunction(
        client,
        recoverFunction,
        {
          token: keys.tokenKey(keys.accountSlotOfUser(userId), tokenHash),
          user: keys.userKey(userId),
          backupCodes: keys.backupCodesKey(userId),
          passkeys: keys.passkeysKey(userId),
          sessions: keys.sessionsKey(userId),
        },
        { userId, operation, passwordHash, totpSecret: sealedSecret, now: nowMillis },
      ),
      readKind(recoverFunction, { recovered: "recovered", token_used: "tokenUsed" }),
    )

/** A new second factor of an operator. */
export interface TwoFactorReset {
  readonly userId: string
  readonly sealedSecret: string
  /** Hashes of the backup codes. */
  readonly storedCodes: ReadonlyArray<string>
  readonly nowMillis: number
}

const resetFunction = luaFunction("two_factor.reset", {
  keys: ["user", "backupCodes", "passkeys", "sessions"],
})

/** Gives an operator a new second factor and ends all sessions: `reset`, or refused as `noOperator`. */
const reset =
  (client: Client) =>
  ({ userId, sealedSecret, storedCodes, nowMillis }: TwoFactorReset) =>
    Effect.flatMap(
      callFunction(
        client,
        resetFunction,
        {
          user: keys.userKey(userId),
          backupCodes: keys.backupCodesKey(userId),
          passkeys: keys.passkeysKey(userId),
          sessions: keys.sessionsKey(userId),
        },
        { secret: sealedSecret, codes: storedCodes, now: nowMillis },
      ),
      readKind(resetFunction, { reset: "reset", no_operator: "noOperator" }),
    )

/** New backup codes for a user. */
export interface BackupCodeReplacement {
  readonly userId: string
  /** The hash that the password was verified against. */
  readonly passwordHash: string
  /** The requesting session. */
  readonly sessionId: string
  readonly tokenHash: string
  readonly nowMillis: number
  /** Hashes of the codes. */
  readonly storedCodes: ReadonlyArray<string>
}

const replaceCodesFunction = luaFunction("two_factor.replace_codes", {
  keys: ["user", "backupCodes", "session"],
})

/** Replaces a user's backup codes: `replaced`, or refused as `passwordChanged`, `off` or `notSteppedUp`. */
const replaceBackupCodes =
  (client: Client) =>
  ({ userId, passwordHash, sessionId, tokenHash, nowMillis, storedCodes }: BackupCodeReplacement) =>
    Effect.flatMap(
      callFunction(
        client,
        replaceCodesFunction,
        {
          user: keys.userKey(userId),
          backupCodes: keys.backupCodesKey(userId),
          session: keys.sessionKey(keys.accountSlotOfUser(userId), tokenHash),
        },
        { passwordHash, codes: storedCodes, sessionId, now: nowMillis },
      ),
      readKind(replaceCodesFunction, {
        replaced: "replaced",
        password_changed: "passwordChanged",
        off: "off",
        not_stepped_up: "notSteppedUp",
      }),
    )

/** A sign-in to complete. */
export interface SecondStep extends FactorUse {
  /** The hash of the pending token. */
  readonly pendingHash: string
  readonly session: SessionToWrite
}

const verifySecondStepFunction = luaFunction("two_factor.verify_second_step", {
  keys: ["user", "backupCodes", "passkeys", "token", "sessions"],
})

/**
 * Completes a sign-in with a second factor: `verified`, or refused as `pendingGone`, `passwordChanged` or `factorRefused`
 * (docs/contract/accounts.md#second-step).
 */
const verifySecondStep =
  (client: Client) =>
  ({ userId, passwordHash, sealedSecret, factor, pendingHash, session }: SecondStep) =>
    Effect.flatMap(
      callFunction(
        client,
        verifySecondStepFunction,
        {
          user: keys.userKey(userId),
          backupCodes: keys.backupCodesKey(userId),
          passkeys: keys.passkeysKey(userId),
          token: keys.tokenKey(keys.accountSlotOfUser(userId), pendingHash),
          sessions: keys.sessionsKey(userId),
        },
        { userId, passwordHash, totpSecret: sealedSecret, factor, session: sessionChange(session) },
      ),
      readKind(verifySecondStepFunction, {
        verified: "verified",
        pending_gone: "pendingGone",
        password_changed: "passwordChanged",
        factor_refused: "factorRefused",
      }),
    )

/** Makes the store of second factors. */
export const makeTwoFactorStore = Effect.map(RedisClient, (client) => ({
  beginTry: beginTry(client),
  enable: enable(client),
  confirm: confirm(client),
  disable: disable(client),
  recover: recover(client),
  /** A user's unused backup codes, as stored. */
  backupCodes: (userId: string) =>
    Effect.map(
      client.call("SMEMBERS", [keys.backupCodesKey(userId)]),
      (reply) => reply as ReadonlyArray<string>,
    ),
  resetTwoFactor: reset(client),
  replaceBackupCodes: replaceBackupCodes(client),
  verifySecondStep: verifySecondStep(client),
}))
