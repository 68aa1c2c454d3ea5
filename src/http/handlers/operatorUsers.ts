import { Effect } from "effect"
import { MemberStore } from "../../../actors/ports/memberStore.ts"
import type { operatorUsersGroup } from "../../../schema/api/operatorUsers.ts"
import { validationFailed } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import type { OperatorUser } from "../../../schema/resources/operator.ts"
import {
  AwaitsSecondOperator,
  awaitingSecondOperator,
  makeSecondOperator,
} from "../../accounts/secondOperator.ts"
import { SecurityLog } from "../../accounts/securityLog.ts"
import { UserAccess } from "../../accounts/users/userAccess.ts"
import { Users } from "../../accounts/users/users.ts"
import type { UserEntity } from "../../store/users.ts"
import type { JsonReply } from "../server/reply.ts"
import type { GroupHandlers } from "../server/request.ts"

const isoOf = (millis: number): string => new Date(millis).toISOString()

const disabledAt = ({ disabledAtMillis }: UserEntity): string | null =>
  disabledAtMillis === undefined ? null : isoOf(disabledAtMillis)

const resourceOf = (user: UserEntity): OperatorUser => ({
  id: user.id,
  email: user.email,
  name: user.name,
  role: user.role,
  seller_id: user.sellerId ?? null,
  status: user.disabledAtMillis === undefined ? "active" : "disabled",
  disabled_at: disabledAt(user),
  two_factor_enabled: user.twoFactorEnabled,
  created_at: isoOf(user.createdAtMillis),
})

const shown = (user: UserEntity): JsonReply => ({ status: 200, body: JSON.stringify(resourceOf(user)) })

/** Routes of users, for operators. */
export const makeOperatorUserHandlers = Effect.gen(function* () {
  const access = yield* UserAccess
  const users = yield* Users
  const members = yield* MemberStore
  const isAgreed = yield* makeSecondOperator
  const log = yield* SecurityLog

  /** The owner first, then the members of its team. */
  const usersOfSeller = Effect.fnUntraced(function* (sellerId: string) {
    const team = yield* members.load(sellerId)
    const ids = team === undefined ? [] : [team.ownerId, ...team.members.map(({ userId }) => userId)]
    const wanted = new Set(ids.filter((id) => id !== undefined))
    const found = yield* Effect.forEach(wanted, users.find, { concurrency: "unbounded" })
    return found.filter((user) => user !== undefined)
  })

  const find = Effect.fnUntraced(function* (sellerId: string | undefined, email: string | undefined) {
    const named = email === undefined ? undefined : yield* users.findByEmail(email)
    if (sellerId === undefined) return named === undefined ? [] : [named]
    const found = yield* usersOfSeller(sellerId)
    return email === undefined ? found : found.filter(({ id }) => id === named?.id)
  })

  /** Whoever was shut out may be so for good reason, so two operators have to agree that they come back. */
  const askSecond = (operatorId: string, details: { readonly reason?: string }) =>
    Effect.fnUntraced(function* (user: UserEntity) {
      const disabled_at = disabledAt(user)
      const { sellerId: seller_id } = user
      const isDone = yield* isAgreed({
        mode: "live",
        operatorId,
        askedAs: "user.enabled_asked",
        doneAs: "user.enabled",
        ...{ resourceType: "user", resourceId: user.id, details: { ...details, seller_id, disabled_at } },
        // What another operator agreed to is the end of this one, not of a later one.
        isSame: (other) => other.disabled_at === disabled_at,
        askedForMillis: limits.sellerActAskedForMillis,
      })
      if (!isDone) return yield* new AwaitsSecondOperator()
    })

  const handlers: GroupHandlers<typeof operatorUsersGroup> = {
    listUsers: Effect.fnUntraced(function* ({ query: { seller_id, email } }) {
      if (seller_id === undefined && email === undefined) {
        return yield* validationFailed("email", "Name the user by email or seller_id.")
      }
      const found = yield* find(seller_id, email)
      return { status: 200, body: JSON.stringify({ data: found.map(resourceOf) }) }
    }),
    disableUser: Effect.fnUntraced(function* ({ session, params: { id }, payload }) {
      const user = yield* access.disable(id, { operatorId: session.userId, details: payload })
      yield* log.revoked("all sessions", { userId: id }, "disabled by an operator")
      return shown(user)
    }),
    enableUser: ({ session, params: { id }, payload }) => {
      const act = { operatorId: session.userId, details: payload }
      return access.enable(id, act, askSecond(session.userId, payload)).pipe(
        Effect.map(shown),
        Effect.catchTag("AwaitsSecondOperator", () => Effect.succeed(awaitingSecondOperator)),
      )
    },
    endUserSessions: Effect.fnUntraced(function* ({ session, params: { id }, payload }) {
      const user = yield* access.endSessions(id, { operatorId: session.userId, details: payload })
      yield* log.revoked("all sessions", { userId: id }, "ended by an operator")
      return shown(user)
    }),
  }
  return handlers
})
