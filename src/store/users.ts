import { Effect } from "effect"
import { foldAddress } from "../../actors/values/emailAddress.ts"
import type { Role, StepUpPrefs } from "../../schema/resources/account.ts"
import type { SavedViews } from "../../schema/resources/savedViews.ts"
import * as keys from "./keys.ts"
import { writeKey } from "./partitions.ts"
import { type EntityKind, field, makeEntities } from "./redis/entities.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { readKind } from "./redis/reply.ts"
import { scanKeys } from "./redis/scanKeys.ts"
import { type SessionToWrite, sessionChange } from "./sessions.ts"

type Client = RedisClient["Service"]

/** A user as stored; TOTP secrets are ciphertext. */
export interface UserEntity {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: Role
  /**
   * The seller whose team the user was last in; operators have none. Whether it still is, and as what, the seller's team says
   * (`MemberStore`).
   */
  readonly sellerId?: string
  /** `mem_…` in that team; left out for sellers' first users. */
  readonly memberId?: string
  readonly passwordHash: string
  readonly emailVerified: boolean
  readonly twoFactorEnabled: boolean
  readonly totpSecret?: string
  /** The secret of an enabling that verify-totp has not completed. */
  readonly totpSecretPending?: string
  /** The newest TOTP step used; it and older ones are refused (RFC 6238, 5.2). */
  readonly totpLastStep?: number
  readonly stepUpWebhook: boolean
  readonly stepUpAccount: boolean
  readonly termsVersion?: string
  /** `SavedViews` as JSON; left out until the user saves one. */
  readonly savedViews?: string
  /** Since when the user is disabled; left out if it is not. */
  readonly disabledAtMillis?: number
  /**
   * How often operators ended everything that the user was signed in with. Tokens and trusted devices are of one such
   * count, and void under the next.
   */
  readonly signOuts?: number
  /** Left out for who has not been seen since this is kept. */
  readonly lastSeenAtMillis?: number
  readonly createdAtMillis: number
  readonly updatedAtMillis: number
}

/** How redis-om reads and encodes a user. */
export const userKind: EntityKind<UserEntity> = {
  name: "user",
  fields: {
    id: field("string", "id"),
    email: field("string", "email"),
    name: field("string", "name"),
    role: field("string", "role"),
    sellerId: field("string", "seller_id"),
    memberId: field("string", "member_id"),
    passwordHash: field("string", "password_hash"),
    emailVerified: field("boolean", "email_verified"),
    twoFactorEnabled: field("boolean", "two_factor_enabled"),
    totpSecret: field("string", "totp_secret"),
    totpSecretPending: field("string", "totp_secret_pending"),
    totpLastStep: field("number", "totp_last_step"),
    stepUpWebhook: field("boolean", "step_up_webhook"),
    stepUpAccount: field("boolean", "step_up_account"),
    termsVersion: field("string", "terms_version"),
    savedViews: field("string", "saved_views"),
    disabledAtMillis: field("number", "disabled_at"),
    signOuts: field("number", "sign_outs"),
    lastSeenAtMillis: field("number", "last_seen_at"),
    createdAtMillis: field("number", "created_at"),
    updatedAtMillis: field("number", "updated_at"),
  },
  required: "id",
}

/** What a sign-up creates or uses with its user. */
export interface SignUp {
  /** The invite that it uses. */
  readonly invite: { readonly id: string; readonly tokenHash: string } | undefined
  readonly session: SessionToWrite | undefined
}

const createFunction = luaFunction("users.create", { keys: ["email", "user", "sessions", "invite?"] })

/** Creates a user from the fields of its hash: `created`, or refused as `emailTaken` or `inviteUnusable`. */
const create = (
  client: Client,
  { id, email }: Pick<UserEntity, "id" | "email">,
  fields: Readonly<Record<string, string>>,
  signUp: SignUp | undefined,
) => {
  const { invite, session } = signUp ?? {}
  return Effect.flatMap(
    callFunction(
      client,
      createFunction,
      {
        email: keys.userEmailKey(email),
        user: keys.userKey(id),
        sessions: keys.sessionsKey(id),
        invite: invite && keys.inviteKey(invite.id),
      },
      {
        id,
        email: foldAddress(email),
        fields,
        inviteTokenHash: invite?.tokenHash,
        session: session && sessionChange(session),
      },
    ),
    readKind(createFunction, {
      created: "created",
      email_taken: "emailTaken",
      invite_unusable: "inviteUnusable",
    }),
  )
}

const renameFunction = luaFunction("users.rename", { keys: ["user"] })

/** Gives a user another name: `renamed`, or refused as `missing`. */
const rename = (client: Client) => (userId: string, name: string, nowMillis: number) =>
  Effect.flatMap(
    callFunction(client, renameFunction, { user: keys.userKey(userId) }, { name, now: nowMillis }),
    readKind(renameFunction, { renamed: "renamed", missing: "missing" }),
  )

const acceptTermsFunction = luaFunction("users.accept_terms", { keys: ["user"] })

/** Records the version of the terms that a user accepted: `accepted`, or refused as `missing`. */
const acceptTerms = (client: Client) => (userId: string, version: string, nowMillis: number) =>
  Effect.flatMap(
    callFunction(client, acceptTermsFunction, { user: keys.userKey(userId) }, { version, now: nowMillis }),
    readKind(acceptTermsFunction, { accepted: "accepted", missing: "missing" }),
  )

const joinTeamFunction = luaFunction("users.join_team", { keys: ["user", "sessions"] })

/**
 * Notes the team that a user joins, in its sessions too: `joined`, or refused as `missing`. It counts once the seller's team says the
 * same.
 */
const joinTeam =
  (client: Client) =>
  (userId: string, { sellerId, memberId }: { readonly sellerId: string; readonly memberId: string }) =>
    Effect.flatMap(
      callFunction(
        client,
        joinTeamFunction,
        { user: keys.userKey(userId), sessions: keys.sessionsKey(userId) },
        { sellerId, memberId },
      ),
      readKind(joinTeamFunction, { joined: "joined", missing: "missing" }),
    )

const leaveTeamFunction = luaFunction("users.leave_team", { keys: ["user"] })

/** Forgets a team that a user was removed from, unless the user has joined one since. */
const leaveTeam =
  (client: Client) =>
  (userId: string, { sellerId, memberId }: { readonly sellerId: string; readonly memberId: string }) =>
    Effect.asVoid(
      callFunction(client, leaveTeamFunction, { user: keys.userKey(userId) }, { sellerId, memberId }),
    )

const verifyEmailFunction = luaFunction("users.verify_email", { keys: ["token", "user"] })

/** Redeems a verification token: `verified`, or refused as `tokenUsed`. `operation` identifies retries after a lost reply. */
const verifyEmail =
  (client: Client) => (userId: string, tokenHash: string, nowMillis: number, operation: string) =>
    Effect.flatMap(
      callFunction(
        client,
        verifyEmailFunction,
        { token: keys.tokenKey(keys.accountSlotOfUser(userId), tokenHash), user: keys.userKey(userId) },
        { userId, operation, now: nowMillis },
      ),
      readKind(verifyEmailFunction, { verified: "verified", token_used: "tokenUsed" }),
    )

/** A password to change. */
export interface PasswordToChange {
  readonly userId: string
  /** The hash of the requesting session's token. */
  readonly tokenHash: string
  /** The hash that the password was verified against. */
  readonly oldHash: string
  readonly newHash: string
  /** The hash of the session's new token if all other sessions are to end; undefined if they stay. */
  readonly newTokenHash: string | undefined
  readonly nowMillis: number
}

const changePasswordFunction = luaFunction("users.change_password", { keys: ["user", "sessions", "session"] })

/** Changes a user's password: `changed`, or refused as `passwordChanged` or `noSession`. */
const changePassword =
  (client: Client) =>
  ({ userId, tokenHash, oldHash, newHash, newTokenHash, nowMillis }: PasswordToChange) =>
    Effect.flatMap(
      callFunction(
        client,
        changePasswordFunction,
        {
          user: keys.userKey(userId),
          sessions: keys.sessionsKey(userId),
          session: keys.sessionKey(keys.accountSlotOfUser(userId), tokenHash),
        },
        { oldHash, newHash, newTokenHash, now: nowMillis },
      ),
      readKind(changePasswordFunction, {
        changed: "changed",
        password_changed: "passwordChanged",
        no_session: "noSession",
      }),
    )

const resetPasswordFunction = luaFunction("users.reset_password", { keys: ["token", "user", "sessions"] })

/**
 * Redeems a reset token: `reset`, or refused as `tokenUsed`. `oldHash` is the password's hash when the token was checked,
 * `newHash` the new one's.
 */
const resetPassword =
  (client: Client) =>
  (userId: string, tokenHash: string, oldHash: string, newHash: string, nowMillis: number) =>
    Effect.flatMap(
      callFunction(
        client,
        resetPasswordFunction,
        {
          token: keys.tokenKey(keys.accountSlotOfUser(userId), tokenHash),
          user: keys.userKey(userId),
          sessions: keys.sessionsKey(userId),
        },
        { userId, oldHash, newHash, now: nowMillis },
      ),
      readKind(resetPasswordFunction, { reset: "reset", token_used: "tokenUsed" }),
    )

const shutOutFunction = luaFunction("users.shut_out", { keys: ["user", "sessions"] })

/**
 * Ends a user's sessions, pending sign-ins, mailed links and trusted devices: `shutOut`, or refused as `missing`.
 * `disabledAtMillis` disables the user as well; one who is disabled already keeps the earlier time.
 */
const shutOut = (client: Client) => (userId: string, disabledAtMillis: number | undefined) =>
  Effect.flatMap(
    callFunction(
      client,
      shutOutFunction,
      { user: keys.userKey(userId), sessions: keys.sessionsKey(userId) },
      { disabledAt: disabledAtMillis },
    ),
    readKind(shutOutFunction, { shut_out: "shutOut", missing: "missing" }),
  )

const disableOperatorFunction = luaFunction("users.disable_operator", { keys: ["disabled"] })

/**
 * Marks an operator as disabled: `marked`, or refused as `otherDisabled` if the other operator, who is to stay, is marked
 * already.
 */
const markOperatorDisabled = (client: Client) => (operatorId: string, otherId: string) =>
  Effect.flatMap(
    callFunction(
      client,
      disableOperatorFunction,
      { disabled: keys.disabledOperatorsKey },
      { operatorId, otherId },
    ),
    readKind(disableOperatorFunction, { marked: "marked", other_disabled: "otherDisabled" }),
  )

/** An id that no user has. An unknown address is read as this user, so that it takes as many round trips as a known one. */
const nobody = "00000000-0000-4000-8000-000000000000"

const flag = (name: string, value: boolean | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : [name, value ? "1" : "0"]

/** Makes the store of users. */
export const makeUserStore = Effect.map(RedisClient, (client) => {
  const users = makeEntities(client, userKind)
  const find = (userId: string) => users.fetch(keys.userKey(userId))
  return {
    find,
    /** Finds a user by e-mail address, ignoring case. */
    findByEmail: (email: string) =>
      Effect.flatMap(client.call("GET", [keys.userEmailKey(email)]), (userId) =>
        find(String(userId ?? nobody)),
      ),
    create: (user: UserEntity, signUp: SignUp | undefined) =>
      Effect.flatMap(users.fieldsOf(user), (fields) => create(client, user, fields, signUp)),
    acceptTerms: acceptTerms(client),
    changePassword: changePassword(client),
    joinTeam: joinTeam(client),
    leaveTeam: leaveTeam(client),
    rename: rename(client),
    resetPassword: resetPassword(client),
    verifyEmail: verifyEmail(client),
    shutOut: shutOut(client),
    /** Lets a disabled user sign in again. */
    enable: (userId: string) => Effect.asVoid(writeKey(client, "HDEL", keys.userKey(userId), "disabled_at")),
    markOperatorDisabled: markOperatorDisabled(client),
    /** Removes the mark of `markOperatorDisabled`. */
    unmarkOperator: (userId: string) =>
      Effect.asVoid(client.call("SREM", [keys.disabledOperatorsKey, userId])),
    /** Ids of all operators. Reads the names of all keys: for commands, not for requests. */
    operatorIds: Effect.gen(function* () {
      const found = yield* scanKeys(client, keys.everyUserPattern)
      const roles = yield* client.callAll(found.map((key) => ["HGET", [key, "role"]] as const))
      return found
        .filter((_, i) => roles[i] === "admin")
        .map((key) => key.slice(key.lastIndexOf(":") + 1))
        .toSorted()
    }),
    /** Replaces the views that a user has saved. */
    saveViews: (userId: string, views: SavedViews) =>
      Effect.asVoid(writeKey(client, "HSET", keys.userKey(userId), "saved_views", JSON.stringify(views))),
    /** Sets which changes require a step-up; omitted ones stay as they are. */
    setStepUpPrefs: (userId: string, prefs: Partial<StepUpPrefs>) => {
      const fields = [...flag("step_up_webhook", prefs.webhook), ...flag("step_up_account", prefs.account)]
      return fields.length === 0
        ? Effect.void
        : Effect.asVoid(writeKey(client, "HSET", keys.userKey(userId), ...fields))
    },
  }
})
