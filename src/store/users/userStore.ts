import { Effect } from "effect"
import type { Role, StepUpPrefs } from "../../../schema/resources/account.ts"
import { disabledOperatorsKey, everyUserPattern, userEmailKey, userKey } from "../keys.ts"
import { type EntityKind, field, makeEntities } from "../redis/entities.ts"
import { RedisClient, type RedisServer } from "../redis/redisClient.ts"
import { acceptTerms } from "./acceptTerms.ts"
import { changePassword } from "./changePassword.ts"
import { createUser, type UserToCreate } from "./createUser.ts"
import { disableOperator } from "./disableOperator.ts"
import { renameUser } from "./renameUser.ts"
import { resetPassword } from "./resetPassword.ts"
import { shutOutUser } from "./shutOutUser.ts"
import { verifyEmail } from "./verifyEmail.ts"

/** A user as stored; TOTP secrets are ciphertext. */
export interface UserEntity {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: Role
  /** Operators have none. */
  readonly sellerId?: string
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
  /** Since when the user is disabled; left out if it is not. */
  readonly disabledAtMillis?: number
  /**
   * How often operators ended everything that the user was signed in with. Tokens and trusted devices are of one such
   * count, and void under the next.
   */
  readonly signOuts?: number
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
    passwordHash: field("string", "password_hash"),
    emailVerified: field("boolean", "email_verified"),
    twoFactorEnabled: field("boolean", "two_factor_enabled"),
    totpSecret: field("string", "totp_secret"),
    totpSecretPending: field("string", "totp_secret_pending"),
    totpLastStep: field("number", "totp_last_step"),
    stepUpWebhook: field("boolean", "step_up_webhook"),
    stepUpAccount: field("boolean", "step_up_account"),
    termsVersion: field("string", "terms_version"),
    disabledAtMillis: field("number", "disabled_at"),
    signOuts: field("number", "sign_outs"),
    createdAtMillis: field("number", "created_at"),
    updatedAtMillis: field("number", "updated_at"),
  },
  required: "id",
}

/** An id that no user has. An unknown address is read as this user, so that it takes as many round trips as a known one. */
const nobody = "00000000-0000-4000-8000-000000000000"

/** How many keys one SCAN looks at. */
const scanCount = 1_000

/** The keys of the users that a server holds, some of them twice. */
const scanUsers = Effect.fnUntraced(function* (server: RedisServer) {
  const found: Array<string> = []
  let cursor = "0"
  do {
    const reply = yield* server.call("SCAN", [cursor, "MATCH", everyUserPattern, "COUNT", scanCount])
    const [next, keys] = reply as readonly [string, ReadonlyArray<string>]
    found.push(...keys)
    cursor = next
  } while (cursor !== "0")
  return found
})

const flag = (name: string, value: boolean | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : [name, value ? "1" : "0"]

/** Makes the store of users. */
export const makeUserStore = Effect.map(RedisClient, (client) => {
  const users = makeEntities(client, userKind)
  const find = (userId: string) => users.fetch(userKey(userId))
  return {
    find,
    /** Finds a user by e-mail address, ignoring case. */
    findByEmail: (email: string) =>
      Effect.flatMap(client.call("GET", [userEmailKey(email)]), (userId) => find(String(userId ?? nobody))),
    create: (user: UserEntity, signUp: Pick<UserToCreate, "invite" | "session"> | undefined) =>
      Effect.flatMap(users.fieldsOf(user), (fields) =>
        createUser(client)({
          id: user.id,
          email: user.email,
          fields,
          invite: signUp?.invite,
          session: signUp?.session,
        }),
      ),
    acceptTerms: acceptTerms(client),
    changePassword: changePassword(client),
    rename: renameUser(client),
    resetPassword: resetPassword(client),
    verifyEmail: verifyEmail(client),
    shutOut: shutOutUser(client),
    /** Lets a disabled user sign in again. */
    enable: (userId: string) => Effect.asVoid(client.call("HDEL", [userKey(userId), "disabled_at"])),
    markOperatorDisabled: disableOperator(client),
    /** Removes the mark of `markOperatorDisabled`. */
    unmarkOperator: (userId: string) => Effect.asVoid(client.call("SREM", [disabledOperatorsKey, userId])),
    /** Ids of all operators. Reads the names of all keys: for commands, not for requests. */
    operatorIds: Effect.gen(function* () {
      const keys = [...new Set((yield* Effect.forEach(client.servers(), scanUsers)).flat())]
      const roles = yield* client.callAll(keys.map((key) => ["HGET", [key, "role"]] as const))
      return keys
        .filter((_, i) => roles[i] === "admin")
        .map((key) => key.slice(key.lastIndexOf(":") + 1))
        .toSorted()
    }),
    /** Sets which changes require a step-up; omitted ones stay as they are. */
    setStepUpPrefs: (userId: string, prefs: Partial<StepUpPrefs>) => {
      const fields = [...flag("step_up_webhook", prefs.webhook), ...flag("step_up_account", prefs.account)]
      return fields.length === 0
        ? Effect.void
        : Effect.asVoid(client.call("HSET", [userKey(userId), ...fields]))
    },
  }
})
