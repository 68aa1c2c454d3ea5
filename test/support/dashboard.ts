import { randomBytes, randomUUID } from "node:crypto"
import { Effect, Layer } from "effect"
import { MemberStore } from "../../actors/ports/memberStore.ts"
import { sessionCookieName } from "../../schema/api/security.ts"
import { makeId, partitionOfId } from "../../schema/ids.ts"
import type { MemberRole } from "../../schema/memberRoles.ts"
import { Sessions, SessionsLive } from "../../src/accounts/sessions/sessions.ts"
import { newUser, newUserId, Users, UsersLive } from "../../src/accounts/users/users.ts"
import { ApiKeyStoreLive } from "../../src/store/apiKeys.ts"
import { MemberStoreLive } from "../../src/store/members.ts"
import { RedisClientLive } from "../../src/store/redis/redisClient.ts"

export interface SignInOptions {
  /** Whether a second factor was verified just now. Default: true. */
  readonly isSteppedUp?: boolean
  /** What the user is in the seller's team. Default: `owner`, of whom tests may make several. */
  readonly role?: MemberRole
  /** The most that one refund of the member may give back. */
  readonly refundLimit?: number
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

/** Makes a user a member of a seller's team, whoever changes the team at the same time. */
const join = Effect.fnUntraced(function* (
  sellerId: string,
  userId: string,
  { role = "owner", refundLimit }: SignInOptions,
) {
  const store = yield* MemberStore
  const memberId = makeId("mem_", Date.now(), partitionOfId(sellerId) ?? 0, randomBytes(14))
  const member = { id: memberId, role, userId, createdAt: new Date().toISOString(), refundLimit }
  for (;;) {
    const team = yield* store.load(sellerId)
    if (team === undefined) throw new Error(`no seller ${sellerId}`)
    const change = { team, operation: randomUUID(), written: [member], removed: [] }
    if ((yield* store.change(change)).kind === "changed") return { sellerId, memberId }
  }
})

/** Makes a user with a session in the Redis of a running service. */
const signIn = async (
  service: SignedInService,
  sellerId: string | undefined,
  signInOptions: SignInOptions,
): Promise<DashboardSession> => {
  const { isSteppedUp = true } = signInOptions
  const email = `user-${randomUUID()}@example.com`
  const program = Effect.gen(function* () {
    const id = newUserId(email)
    const user = {
      ...newUser({
        id,
        email,
        name: "Ana Souza",
        role: sellerId === undefined ? "admin" : "seller",
        passwordHash: "no password has this hash",
        nowMillis: Date.now(),
      }),
      ...(sellerId === undefined ? {} : yield* join(sellerId, id, signInOptions)),
    }
    yield* (yield* Users).create(user)
    const origin = { ipAddress: "127.0.0.1", userAgent: "vitest" }
    const options = { rememberMe: false, mfaVerified: isSteppedUp }
    const session = yield* (yield* Sessions).begin(user, origin, options)
    if (session === undefined) throw new Error("the session was not written")
    return { userId: user.id, email, token: session.token }
  })
  const layer = Layer.mergeAll(UsersLive, SessionsLive).pipe(
    Layer.provideMerge(Layer.merge(ApiKeyStoreLive, MemberStoreLive)),
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
