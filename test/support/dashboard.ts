import { randomUUID } from "node:crypto"
import { Effect, Layer } from "effect"
import { sessionCookieName } from "../../schema/api/security.ts"
import { Sessions, SessionsLive } from "../../src/accounts/sessions/sessions.ts"
import { newUser, newUserId, Users, UsersLive } from "../../src/accounts/users/users.ts"
import { ApiKeyStoreLive } from "../../src/store/apiKeys.ts"
import { RedisClientLive } from "../../src/store/redis/redisClient.ts"

export interface SignInOptions {
  /** Whether a second factor was verified just now. Default: true. */
  readonly isSteppedUp?: boolean
}

/** A session written directly to the store, which saves the 80 ms of hashing a password. */
export interface DashboardSession {
  readonly userId: string
  readonly email: string
  readonly token: string
  /** The value of the `Cookie` header. */
  readonly cookie: string
}

type SignedInService = { readonly redisUrl: string }

/** Makes a user with a session in the Redis of a running service. */
const signIn = async (
  service: SignedInService,
  sellerId: string | undefined,
  { isSteppedUp = true }: SignInOptions,
): Promise<DashboardSession> => {
  const email = `user-${randomUUID()}@example.com`
  const program = Effect.gen(function* () {
    const user = {
      ...newUser({
        id: newUserId(email),
        email,
        name: "Ana Souza",
        role: sellerId === undefined ? "admin" : "seller",
        passwordHash: "no password has this hash",
        nowMillis: Date.now(),
      }),
      ...(sellerId === undefined ? {} : { sellerId }),
    }
    yield* (yield* Users).create(user)
    const origin = { ipAddress: "127.0.0.1", userAgent: "vitest" }
    const options = { rememberMe: false, mfaVerified: isSteppedUp }
    const session = yield* (yield* Sessions).begin(user, origin, options)
    if (session === undefined) throw new Error("the session was not written")
    return { userId: user.id, email, token: session.token }
  })
  const layer = Layer.mergeAll(UsersLive, SessionsLive).pipe(
    Layer.provide(ApiKeyStoreLive),
    Layer.provideMerge(RedisClientLive(service.redisUrl)),
  )
  const signedIn = await Effect.runPromise(Effect.scoped(Effect.provide(program, layer)))
  return { ...signedIn, cookie: `${sessionCookieName}=${signedIn.token}` }
}

/** Makes a user for a seller, with a session. */
export const signInAsSeller = (service: SignedInService, sellerId: string, options: SignInOptions = {}) =>
  signIn(service, sellerId, options)

/** Makes an operator, with a session. */
export const signInAsOperator = (service: SignedInService, options: SignInOptions = {}) =>
  signIn(service, undefined, options)
