import { Effect } from "effect"
import { PixKeyStore, type StoredPixKey } from "../../../actors/ports/pixKeyStore.ts"
import { shownPixKey } from "../../../actors/seller/decisions/pixKeyDecisions.ts"
import { type Principal, sessionPrincipal } from "../../../actors/values/principal.ts"
import type {
  myPixKeysGroup,
  OperatorPixKey,
  operatorPixKeysGroup,
  pixKeysGroup,
} from "../../../schema/api/pixKeys.ts"
import { isId, type Mode } from "../../../schema/ids.ts"
import type { PixKeyStatus } from "../../../schema/resources/pixKey.ts"
import { OperatorLog } from "../../accounts/operatorLog.ts"
import {
  AwaitsSecondOperator,
  awaitingSecondOperator,
  makeSecondOperator,
} from "../../accounts/secondOperator.ts"
import { SecurityNotices } from "../../accounts/securityNotices.ts"
import { SellerAudit } from "../../accounts/sellerAudit.ts"
import { makeOwnerMails } from "../../accounts/sellers/ownerMails.ts"
import { PixKeys } from "../../accounts/sellers/pixKeys.ts"
import type { Session } from "../../accounts/sessions/session.ts"
import { pixKeyDecisionMail } from "../../mail/decisionMails.ts"
import type { JsonReply } from "../server/reply.ts"
import type { GroupHandlers } from "../server/request.ts"
import { Cursors } from "./cursors.ts"
import { keyRevoked, orFail, pageOf, pageSize, withoutKey } from "./page.ts"
import { makeSellerNames } from "./sellerNames.ts"

const json = (status: number, value: unknown): JsonReply => ({ status, body: JSON.stringify(value) })

/** Routes of a seller's PIX keys. */
export const makePixKeyHandlers = Effect.gen(function* () {
  const store = yield* PixKeyStore
  const pixKeys = yield* PixKeys
  const notices = yield* SecurityNotices
  const audit = yield* SellerAudit

  const list = Effect.fnUntraced(function* (
    principal: Principal,
    isShown: (pixKey: StoredPixKey) => boolean,
  ) {
    const found = yield* store.list(principal)
    if ("kind" in found) return yield* keyRevoked()
    // Newest first, like all lists.
    return json(200, { data: found.filter(isShown).map(shownPixKey).toReversed() })
  })

  const handlers: GroupHandlers<typeof pixKeysGroup> & GroupHandlers<typeof myPixKeysGroup> = {
    listPixKeys: ({ principal }) => list(principal, ({ status }) => status === "verified"),
    listMyPixKeys: ({ principal }) => withoutKey(list(principal, () => true)),
    createPixKey: Effect.fnUntraced(function* ({ principal, payload, session }) {
      const pixKey = yield* audit.does(
        principal,
        {
          action: "pix_key.created",
          resourceType: "pix_key",
          details: { mode: principal.mode, type: payload.type },
        },
        pixKeys.register(principal, payload),
      )
      const { mode, type, maskedValue } = pixKey
      yield* notices.tell(session.userId, { kind: "pix_key_created", mode, type, maskedValue })
      return json(201, shownPixKey(pixKey))
    }),
    deletePixKey: ({ principal, params }) =>
      Effect.as(
        audit.does(
          principal,
          { action: "pix_key.removed", resourceType: "pix_key", details: { mode: principal.mode } },
          pixKeys.remove(principal, params.id),
        ),
        { status: 204, body: "" },
      ),
  }
  return handlers
})

const shownToOperator = (pixKey: StoredPixKey, names: ReadonlyMap<string, string>): OperatorPixKey => ({
  ...shownPixKey(pixKey),
  seller_id: pixKey.sellerId,
  seller_name: names.get(pixKey.sellerId) ?? null,
})

interface WantedPage {
  readonly sellerId: string | undefined
  readonly mode: Mode
  /** Undefined: any, where a seller is given. */
  readonly status: PixKeyStatus | undefined
  readonly beforeId: string | undefined
  readonly limit: number
}

/** Names of acts in the operators' log. */
const actions = { verified: "pix_key.approved", refused: "pix_key.refused" } as const

/** Routes of PIX keys, for operators. */
export const makeOperatorPixKeyHandlers = Effect.gen(function* () {
  const store = yield* PixKeyStore
  const pixKeys = yield* PixKeys
  const operatorLog = yield* OperatorLog
  const isAgreed = yield* makeSecondOperator
  const cursors = yield* Cursors
  const namesOf = yield* makeSellerNames
  const mailOwner = yield* makeOwnerMails

  /** An approval of a live key opens a way out for money, so two operators have to agree to it. The seller's owner is mailed. */
  const decide = (
    session: Session,
    id: string,
    to: "verified" | "refused",
    details: { readonly reason?: string },
  ) => {
    const entry = { operatorId: session.userId, resourceType: "pix_key", resourceId: id, details }
    const beforeWrite = Effect.fnUntraced(function* ({ mode, sellerId }: StoredPixKey) {
      const names = { askedAs: "pix_key.approval_asked", doneAs: actions.verified }
      if (to === "verified" && !(yield* isAgreed({ ...entry, ...names, mode, isSame: () => true }))) {
        return yield* new AwaitsSecondOperator()
      }
      yield* operatorLog.append({ ...entry, action: actions[to], sellerId })
    })
    return pixKeys.decide(id, to, beforeWrite).pipe(
      Effect.tap(({ sellerId, maskedValue }) =>
        mailOwner(sellerId, pixKeyDecisionMail(to === "verified", maskedValue)),
      ),
      Effect.flatMap((pixKey) =>
        Effect.map(namesOf([pixKey]), (names) => json(200, shownToOperator(pixKey, names))),
      ),
      Effect.catchTag("AwaitsSecondOperator", () => Effect.succeed(awaitingSecondOperator)),
    )
  }

  /** One seller's keys, with or without a status and without removed ones, or those of all sellers with one status. */
  const find = Effect.fnUntraced(function* ({ sellerId, mode, status, beforeId, limit }: WantedPage) {
    if (sellerId === undefined)
      return yield* store.listForOperator({ mode, status: status ?? "pending_approval", beforeId, limit })
    const found = isId("sel_", sellerId)
      ? yield* store.list(sessionPrincipal(sellerId, mode, "operator"))
      : []
    if ("kind" in found) return []
    return found
      .filter(({ id }) => beforeId === undefined || id < beforeId)
      .filter((pixKey) => status === undefined || pixKey.status === status)
      .toReversed()
      .slice(0, limit)
  })

  const handlers: GroupHandlers<typeof operatorPixKeysGroup> = {
    listPixKeysAsOperator: Effect.fnUntraced(function* ({ query }) {
      const { mode = "live", seller_id: sellerId } = query
      const { status = sellerId === undefined ? "pending_approval" : undefined } = query
      const scope = { list: "operatorPixKeys", filters: { mode, status, sellerId } }
      const beforeId = yield* orFail(cursors.decode(scope, query.cursor))
      const size = pageSize(query.limit)
      const found = yield* find({ sellerId, mode, status, beforeId, limit: size + 1 })
      const names = yield* namesOf(found)
      return pageOf(
        found,
        size,
        (pixKey) => JSON.stringify(shownToOperator(pixKey, names)),
        (last) => cursors.encode(scope, last.id),
      )
    }),
    approvePixKey: ({ session, params, payload }) => decide(session, params.id, "verified", payload),
    refusePixKey: ({ session, params, payload }) => decide(session, params.id, "refused", payload),
  }
  return handlers
})
