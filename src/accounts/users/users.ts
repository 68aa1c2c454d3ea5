import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../../actors/ports/store.ts"
import type { Role, StepUpPrefs, User } from "../../../schema/resources/account.ts"
import { accountSlotOfEmail, userEmailKey, userIdInSlot, userKey } from "../../store/keys.ts"
import { RedisClient } from "../../store/redis/redisClient.ts"
import { acceptTerms } from "../../store/users/acceptTerms.ts"
import { createUser, type UserToCreate } from "../../store/users/createUser.ts"
import { askAgain } from "../askAgain.ts"
import { makeAccountEntities, type UserEntity } from "../entities.ts"

/** Users by id or address, how they are made, and what they set of themselves. */
export class Users extends Context.Service<
  Users,
  {
    readonly find: (userId: string) => Effect.Effect<UserEntity | undefined, StoreUnavailable>
    /** By e-mail address, whatever its case. */
    readonly findByEmail: (email: string) => Effect.Effect<UserEntity | undefined, StoreUnavailable>
    /** Makes a user, its e-mail address, and where it signs up its first session, using the invite; or nothing. */
    readonly create: (
      user: UserEntity,
      signUp?: Pick<UserToCreate, "invite" | "session">,
    ) => Effect.Effect<{ readonly kind: "created" | "emailTaken" | "inviteUnusable" }, StoreUnavailable>
    /** Which changes the user wants confirmed (spec 4.6); both, for a user who is gone. */
    readonly stepUpPrefs: (userId: string) => Effect.Effect<StepUpPrefs, StoreUnavailable>
    /** Notes the version of the terms that the user accepted; false for a user who is gone. */
    readonly acceptTerms: (userId: string, version: string) => Effect.Effect<boolean, StoreUnavailable>
  }
>()("corrente/accounts/Users") {}

/** A fresh id for the user of an e-mail address: a uuid whose last digits name the address' slot. */
export const newUserId = (email: string): string => userIdInSlot(randomUUID(), accountSlotOfEmail(email))

/** What a new user begins with. */
export const newUser = (input: {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly passwordHash: string
  readonly nowMillis: number
}): UserEntity => {
  const { nowMillis, ...given } = input
  return {
    ...given,
    emailVerified: false,
    twoFactorEnabled: false,
    stepUpWebhook: true,
    stepUpAccount: true,
    createdAtMillis: nowMillis,
    updatedAtMillis: nowMillis,
  }
}

const isoOf = (millis: number): string => new Date(millis).toISOString()

/** A user as its own session sees it (spec 2), without anything secret. */
export const userResource = (user: UserEntity): User => ({
  id: user.id,
  email: user.email,
  name: user.name,
  emailVerified: user.emailVerified,
  role: user.role,
  seller_id: user.sellerId ?? null,
  twoFactorEnabled: user.twoFactorEnabled,
  image: null,
  createdAt: isoOf(user.createdAtMillis),
  updatedAt: isoOf(user.updatedAtMillis),
})

/** A read for nothing, so that an unknown address takes as many round trips as a known one. */
const nobody = "00000000-0000-4000-8000-000000000000"

export const UsersLive = Layer.effect(
  Users,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const { users } = yield* makeAccountEntities

    const find = (userId: string) => users.fetch(userKey(userId))
    return Users.of({
      find,
      findByEmail: (email) =>
        Effect.flatMap(client.call("GET", [userEmailKey(email)]), (userId) => find(String(userId ?? nobody))),
      create: (user, signUp) =>
        Effect.flatMap(users.fieldsOf(user), (fields) =>
          askAgain(
            createUser(client)({
              id: user.id,
              email: user.email,
              fields,
              invite: signUp?.invite,
              session: signUp?.session,
            }),
          ),
        ),
      stepUpPrefs: (userId) =>
        Effect.map(find(userId), (user) => ({
          webhook: user?.stepUpWebhook ?? true,
          account: user?.stepUpAccount ?? true,
        })),
      acceptTerms: (userId, version) =>
        Effect.gen(function* () {
          const nowMillis = yield* Clock.currentTimeMillis
          return (yield* askAgain(acceptTerms(client)(userId, version, nowMillis))).kind === "accepted"
        }),
    })
  }),
)
