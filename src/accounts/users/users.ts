import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { storedReader } from "../../../actors/values/storedDocuments.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { Role, StepUpPrefs } from "../../../schema/resources/account.ts"
import { SavedViews } from "../../../schema/resources/savedViews.ts"
import { accountSlotOfEmail, userIdInSlot } from "../../store/keys.ts"
import { makeUserStore, type SignUp, type UserEntity } from "../../store/users.ts"
import { askAgain } from "../askAgain.ts"

/** Users: looking them up, creating them, and the settings they change themselves. */
export class Users extends Context.Service<
  Users,
  {
    readonly find: (userId: string) => Effect.Effect<UserEntity | undefined, StoreUnavailable>
    /** By e-mail address, whatever its case. */
    readonly findByEmail: (email: string) => Effect.Effect<UserEntity | undefined, StoreUnavailable>
    /**
     * Creates the user and its e-mail address and, at sign-up, uses the invite and begins the first session: all or
     * nothing.
     */
    readonly create: (
      user: UserEntity,
      signUp?: SignUp,
    ) => Effect.Effect<{ readonly kind: "created" | "emailTaken" | "inviteUnusable" }, StoreUnavailable>
    /**
     * Which changes need a step-up (docs/contract/accounts.md#step-up-preferences); both for a user who no longer
     * exists.
     */
    readonly stepUpPrefs: (userId: string) => Effect.Effect<StepUpPrefs, StoreUnavailable>
    /** Sets which changes need a step-up; omitted ones stay. */
    readonly setStepUpPrefs: (
      userId: string,
      prefs: Partial<StepUpPrefs>,
    ) => Effect.Effect<void, StoreUnavailable>
    /** The views that the user has saved; none for a user who no longer exists. */
    readonly savedViews: (userId: string) => Effect.Effect<SavedViews, StoreUnavailable>
    /** Replaces them. */
    readonly saveViews: (userId: string, views: SavedViews) => Effect.Effect<void, StoreUnavailable>
    /** Gives the user another name; false if the user no longer exists. */
    readonly rename: (userId: string, name: string) => Effect.Effect<boolean, StoreUnavailable>
    /** Records the version of the terms that the user accepted; false if the user no longer exists. */
    readonly acceptTerms: (userId: string, version: string) => Effect.Effect<boolean, StoreUnavailable>
  }
>()("corrente/accounts/Users") {}

const parseViews = storedReader("list of saved views", SavedViews)

/** A new id for the user of an e-mail address: a uuid whose last digits name the account slot of the address. */
export const newUserId = (email: string): string => userIdInSlot(randomUUID(), accountSlotOfEmail(email))

/** The state of a new user. */
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

export const UsersLive = Layer.effect(
  Users,
  Effect.gen(function* () {
    const store = yield* makeUserStore
    return Users.of({
      find: store.find,
      findByEmail: store.findByEmail,
      create: (user, signUp) => askAgain(store.create(user, signUp)),
      stepUpPrefs: (userId) =>
        Effect.map(store.find(userId), (user) => ({
          webhook: user?.stepUpWebhook ?? true,
          account: user?.stepUpAccount ?? true,
        })),
      savedViews: (userId) =>
        Effect.map(store.find(userId), (user) =>
          user?.savedViews === undefined ? { data: [] } : parseViews(user.savedViews),
        ),
      saveViews: (userId, views) => askAgain(store.saveViews(userId, views)),
      rename: Effect.fnUntraced(function* (userId, name) {
        const nowMillis = yield* Clock.currentTimeMillis
        return (yield* askAgain(store.rename(userId, name, nowMillis))).kind === "renamed"
      }),
      acceptTerms: Effect.fnUntraced(function* (userId, version) {
        const nowMillis = yield* Clock.currentTimeMillis
        return (yield* askAgain(store.acceptTerms(userId, version, nowMillis))).kind === "accepted"
      }),
      setStepUpPrefs: (userId, prefs) => askAgain(store.setStepUpPrefs(userId, prefs)),
    })
  }),
)
