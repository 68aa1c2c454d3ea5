import { Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../actors/ports/store.ts"
import { limits } from "../../schema/limits.ts"
import { userEmailKey, userKey } from "../store/keys.ts"
import { RedisClient } from "../store/redisClient.ts"

/** A user as stored; the TOTP secret is ciphertext. */
export interface StoredUser {
  /** A uuid. */
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: "seller"
  readonly sellerId: string
  readonly passwordHash: string
  readonly totpSecret: string
  readonly twoFactorEnabled: boolean
  readonly emailVerified: boolean
  readonly createdAt: string
}

/**
 * Users, and that no two have one e-mail address. Their keys lie in different slots, so a user is made in steps: claim
 * the address, write what the user consists of, make the claim last. Whoever dies between leaves a claim that lapses.
 */
export class Users extends Context.Service<
  Users,
  {
    /** Claims an address for a user to be, for two minutes; false when another has it. Asked again, it answers alike. */
    readonly claimEmail: (email: string, userId: string) => Effect.Effect<boolean, StoreUnavailable>
    readonly save: (user: StoredUser) => Effect.Effect<void, StoreUnavailable>
    /** Makes a claim last; false when it had lapsed. Asked again, it answers alike. */
    readonly confirmEmail: (email: string, userId: string) => Effect.Effect<boolean, StoreUnavailable>
  }
>()("corrente/accounts/Users") {}

const flag = (value: boolean): string => (value ? "1" : "0")

const fieldsOf = (user: StoredUser): ReadonlyArray<string> => [
  ...["email", user.email, "name", user.name, "role", user.role, "seller_id", user.sellerId],
  ...["password_hash", user.passwordHash, "totp_secret", user.totpSecret],
  ...["two_factor_enabled", flag(user.twoFactorEnabled), "email_verified", flag(user.emailVerified)],
  ...["created_at", user.createdAt],
]

export const UsersLive = Layer.effect(
  Users,
  Effect.gen(function* () {
    const client = yield* RedisClient
    return Users.of({
      claimEmail: (email, userId) =>
        client
          .call("SET", [userEmailKey(email), userId, "NX", "GET", "PX", limits.emailClaimMillis])
          .pipe(Effect.map((holder) => holder === null || holder === userId)),
      save: (user) => Effect.asVoid(client.call("HSET", [userKey(user.id), ...fieldsOf(user)])),
      confirmEmail: (email, userId) =>
        client
          .call("GETEX", [userEmailKey(email), "PERSIST"])
          .pipe(Effect.map((holder) => holder === userId)),
    })
  }),
)
