import { Clock, Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { ApiError, resourceNotFound } from "../../../schema/errors.ts"
import { makeUserStore, type UserEntity } from "../../store/users.ts"
import { askAgain } from "../askAgain.ts"
import { OperatorLog } from "../operatorLog.ts"
import { Sessions } from "../sessions/sessions.ts"
import { Users } from "./users.ts"

/** Who shuts a user out or lets it in, as the operators' log names them. */
export interface AccessAct {
  /** Undefined for a command line. */
  readonly operatorId: string | undefined
  /** The request's parameters, without secrets. */
  readonly details: Readonly<Record<string, unknown>>
}

/** What has to be done before a user is enabled, such as asking a second operator. */
export type BeforeEnabling<E> = (user: UserEntity) => Effect.Effect<void, E>

/**
 * Shuts users out, and lets them in again (docs/contract/admin.md#users). What a user was signed in with ends in every
 * process with the commit; its event streams end by a hint right after. Every act enters the operators' log first. Fails
 * with 404 for an unknown user.
 */
export class UserAccess extends Context.Service<
  UserAccess,
  {
    /**
     * Ends all sessions, pending sign-ins, mailed links, trusted devices and event streams of a user, and lets it sign
     * in no more. Changes nothing for a disabled user. Fails with 409 `invalid_state` for the operator who asks, and
     * for the last operator who is enabled.
     */
    readonly disable: (
      userId: string,
      act: AccessAct,
    ) => Effect.Effect<UserEntity, ApiError<"invalid_state" | "resource_not_found"> | StoreUnavailable>
    /** Lets a disabled user sign in again, with the password and second factor it had. Nothing that was ended comes back. */
    readonly enable: <E>(
      userId: string,
      act: AccessAct,
      before: BeforeEnabling<E>,
    ) => Effect.Effect<UserEntity, ApiError<"resource_not_found"> | StoreUnavailable | E>
    /** Ends the same as `disable`; the user may sign in anew. */
    readonly endSessions: (
      userId: string,
      act: AccessAct,
    ) => Effect.Effect<UserEntity, ApiError<"resource_not_found"> | StoreUnavailable>
  }
>()("corrente/accounts/UserAccess") {}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const disablesSelf = (): ApiError<"invalid_state"> =>
  new ApiError({ code: "invalid_state", message: "You cannot disable yourself. Another operator can." })

const isLastOperator = (): ApiError<"invalid_state"> =>
  new ApiError({
    code: "invalid_state",
    message: "This is the last operator who is enabled. Enable or create another one first.",
  })

const make = Effect.gen(function* () {
  const store = yield* makeUserStore
  const users = yield* Users
  const sessions = yield* Sessions
  const log = yield* OperatorLog

  const find = Effect.fnUntraced(function* (userId: string) {
    const user = uuidPattern.test(userId) ? yield* users.find(userId) : undefined
    return user ?? (yield* resourceNotFound("user", userId))
  })

  /** With the seller, so that its own log has the acts on its user. */
  const append = (action: string, { id, sellerId }: UserEntity, { operatorId, details }: AccessAct) =>
    log.append({
      operatorId,
      action,
      resourceType: "user",
      resourceId: id,
      details: sellerId === undefined ? details : { ...details, seller_id: sellerId },
    })

  /** The streams end also where it fails, because it may have been done. */
  const shutOut = Effect.fnUntraced(function* (user: UserEntity, disabledAtMillis: number | undefined) {
    const ending = askAgain(store.shutOut(user.id, disabledAtMillis))
    const { kind } = yield* Effect.ensuring(
      ending,
      sessions.endStreams({ userId: user.id, sellerId: user.sellerId }),
    )
    if (kind === "missing") return yield* resourceNotFound("user", user.id)
  })

  /** Operators who could stay where another one goes: whoever asks, or for a command line all that are enabled. */
  const whoMayStay = Effect.fnUntraced(function* (userId: string, operatorId: string | undefined) {
    if (operatorId !== undefined) return [operatorId]
    const others = (yield* store.operatorIds).filter((id) => id !== userId)
    const found = yield* Effect.forEach(others, users.find)
    return found
      .filter((user) => user !== undefined)
      .filter(({ disabledAtMillis }) => disabledAtMillis === undefined)
      .map(({ id }) => id)
  })

  const keepOneOperator = Effect.fnUntraced(function* (userId: string, operatorId: string | undefined) {
    for (const otherId of yield* whoMayStay(userId, operatorId)) {
      const { kind } = yield* askAgain(store.markOperatorDisabled(userId, otherId))
      if (kind === "marked") return
    }
    return yield* isLastOperator()
  })

  const disable = Effect.fnUntraced(function* (userId: string, act: AccessAct) {
    const user = yield* find(userId)
    if (userId === act.operatorId) return yield* disablesSelf()
    if (user.disabledAtMillis !== undefined) return user
    if (user.role === "admin") yield* keepOneOperator(userId, act.operatorId)
    yield* append("user.disabled", user, act)
    yield* shutOut(user, yield* Clock.currentTimeMillis)
    return yield* find(userId)
  })

  const enable = Effect.fnUntraced(function* <E>(userId: string, act: AccessAct, before: BeforeEnabling<E>) {
    const user = yield* find(userId)
    const isDisabled = user.disabledAtMillis !== undefined
    if (isDisabled) {
      yield* before(user)
      yield* append("user.enabled", user, act)
      yield* askAgain(store.enable(userId))
    }
    // Also for one who is enabled: a process that died before this leaves the mark.
    if (user.role === "admin") yield* askAgain(store.unmarkOperator(userId))
    return isDisabled ? yield* find(userId) : user
  })

  const endSessions = Effect.fnUntraced(function* (userId: string, act: AccessAct) {
    const user = yield* find(userId)
    yield* append("user.sessions_ended", user, act)
    yield* shutOut(user, undefined)
    return yield* find(userId)
  })
  return UserAccess.of({ disable, enable, endSessions })
})

export const UserAccessLive = Layer.effect(UserAccess, make)
