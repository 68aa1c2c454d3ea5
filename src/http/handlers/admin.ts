import { Effect } from "effect"
import { SellerStore, type StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { shownSettings } from "../../../actors/seller/decisions/newSeller.ts"
import { removesControl } from "../../../actors/seller/decisions/sellerControls.ts"
import {
  type DecideSeller,
  decideKyc,
  lockPayouts,
  patchSettings,
  setStatus,
} from "../../../actors/seller/decisions/sellerDecisions.ts"
import type { adminGroup } from "../../../schema/api/admin.ts"
import type { ApiError } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import type { AuditEntry } from "../../../schema/resources/operator.ts"
import type { SellerProfile } from "../../../schema/resources/seller.ts"
import { settings as allSettings, type SettingName } from "../../../schema/settings.ts"
import { operatorColumns } from "../../accounts/auditColumns.ts"
import { OperatorLog } from "../../accounts/operatorLog.ts"
import {
  AwaitsSecondOperator,
  awaitingSecondOperator,
  makeSecondOperator,
} from "../../accounts/secondOperator.ts"
import { makeOwnerMails } from "../../accounts/sellers/ownerMails.ts"
import { type BeforeWrite, SellerChanges } from "../../accounts/sellers/sellerChanges.ts"
import { SellerSearches } from "../../accounts/sellers/sellerSearch.ts"
import type { Session } from "../../accounts/sessions/session.ts"
import { sellerDecisionMail } from "../../mail/decisionMails.ts"
import type { JsonReply } from "../server/reply.ts"
import type { GroupHandlers } from "../server/request.ts"
import { actionTest, auditReply } from "./auditLogs.ts"
import { isCsvWanted } from "./csvReply.ts"
import { type CursorScope, Cursors } from "./cursors.ts"
import { orFail, pageReply, pageSize, windowOf } from "./page.ts"

const settingNames = Object.keys(allSettings) as ReadonlyArray<SettingName>

interface SellerAct<Refusal extends ApiError> {
  /** As the operators' log names it. */
  readonly action: string
  readonly details: Readonly<Record<string, unknown>>
  readonly decide: DecideSeller<Refusal>
  /** What the act replaces, for the logs. */
  readonly previousOf?: (before: StoredSeller) => Readonly<Record<string, unknown>>
  /** Whether another call asked for the same, by the details of both. */
  readonly isSame: (other: AuditEntry["details"], mine: AuditEntry["details"]) => boolean
}

/** The details of a call that waits: what is approved is the seller as it was then. */
const detailsOf = (details: SellerAct<never>["details"], { version }: StoredSeller) => ({
  ...details,
  version,
})

/** Whether two calls have the same details, but for some. */
const isSameBut =
  (...but: ReadonlyArray<string>): SellerAct<never>["isSame"] =>
  (other, mine) =>
    [...new Set([...Object.keys(other), ...Object.keys(mine)])]
      .filter((name) => !but.includes(name))
      .every((name) => other[name] === mine[name])

const shown = (profile: SellerProfile): JsonReply => ({ status: 200, body: JSON.stringify(profile) })

/** Routes of sellers and the operators' log, for operators. */
export const makeAdminHandlers = Effect.gen(function* () {
  const sellers = yield* SellerChanges
  const store = yield* SellerStore
  const searches = yield* SellerSearches
  const operatorLog = yield* OperatorLog
  const isAgreed = yield* makeSecondOperator
  const cursors = yield* Cursors
  const mailOwner = yield* makeOwnerMails

  /**
   * Changes a seller. The act is logged before the change, and only if there is one
   * (`docs/contract/admin.md#audit-log`). What removes a control on live money needs two operators. The seller's owner is mailed.
   */
  const act = <Refusal extends ApiError = never>(
    session: Session,
    sellerId: string,
    { action, details, decide, isSame, previousOf }: SellerAct<Refusal>,
  ) => {
    const entry = { operatorId: session.userId, resourceType: "seller", resourceId: sellerId, details }
    let isAgreedTo = false
    let decisionMail: ReturnType<typeof mailOwner> = Effect.void
    const beforeWrite: BeforeWrite<AwaitsSecondOperator> = Effect.fnUntraced(function* (change) {
      const { before, after, nowMillis, attempt } = change
      if (!isAgreedTo && removesControl(before, after, nowMillis)) {
        const asked = { ...entry, details: detailsOf(details, before), mode: "live" as const }
        const names = { askedAs: `${action}_asked`, doneAs: action }
        const askedForMillis = limits.sellerActAskedForMillis
        const isOfSame = (other: AuditEntry["details"]) => isSame(other, asked.details)
        isAgreedTo = yield* isAgreed({ ...asked, ...names, isSame: isOfSame, askedForMillis })
        if (!isAgreedTo) return yield* new AwaitsSecondOperator()
      }
      const mail = sellerDecisionMail(before, after, nowMillis)
      decisionMail = mail === undefined ? Effect.void : mailOwner(sellerId, mail)
      if (attempt > 0) return
      const previous = previousOf === undefined ? {} : { previous: previousOf(before) }
      yield* operatorLog.append({ ...entry, details: { ...details, ...previous }, action, sellerId })
    })
    return sellers.change(sellerId, decide, beforeWrite).pipe(
      Effect.tap(() => decisionMail),
      Effect.map(shown),
      Effect.catchTag("AwaitsSecondOperator", () => Effect.succeed(awaitingSecondOperator)),
    )
  }

  const listSellers = Effect.fnUntraced(function* (
    query: Parameters<GroupHandlers<typeof adminGroup>["listSellers"]>[0]["query"],
  ) {
    const { status, kyc_status: kycStatus, q } = query
    const scope: CursorScope = { list: "sellers", filters: { status, kycStatus, q } }
    const beforeId = yield* orFail(cursors.decode(scope, query.cursor))
    const limit = pageSize(query.limit)
    const page =
      q === undefined
        ? yield* store.list({ status, kycStatus, beforeId, limit })
        : yield* searches.find({ q, status, kycStatus, after: beforeId, limit })
    const profiles = yield* Effect.forEach(page.sellers, sellers.render)
    const { nextBeforeId } = page
    return pageReply(
      profiles.map((profile) => JSON.stringify(profile)),
      nextBeforeId === undefined ? undefined : cursors.encode(scope, nextBeforeId),
    )
  })

  const listAudit = Effect.fnUntraced(function* (
    query: Parameters<GroupHandlers<typeof adminGroup>["listAudit"]>[0]["query"],
    accept: string | undefined,
  ) {
    const { limit, cursor, ...filters } = query
    const scope: CursorScope = { list: "audit", filters }
    const beforeId = yield* orFail(cursors.decode(scope, cursor))
    const isOfAction = actionTest(query.action)
    const { actor } = query
    const found = yield* operatorLog.list({
      beforeId,
      limit: pageSize(limit),
      ...windowOf(query),
      matches: ({ action, operator_id }) =>
        isOfAction(action) && (actor === undefined || (operator_id ?? "command_line") === actor),
    })
    const csv = isCsvWanted(accept) ? { columns: operatorColumns, file: "operators-log.csv" } : undefined
    return auditReply(found, csv, (position) => cursors.encode(scope, position))
  })

  const handlers: GroupHandlers<typeof adminGroup> = {
    listSellers: ({ query }) => listSellers(query),
    getSellerAsOperator: ({ params }) => Effect.map(sellers.profile(params.id), shown),
    decideKyc: ({ session, params: { id }, payload }) =>
      act(session, id, {
        action: `seller.kyc_${payload.status}`,
        details: payload,
        decide: decideKyc(payload.status, payload.legal_name),
        isSame: isSameBut("reason"),
      }),
    setSellerStatus: ({ session, params: { id }, payload }) =>
      act(session, id, {
        action: "seller.status_set",
        details: payload,
        decide: setStatus(payload.status),
        isSame: isSameBut("reason", "version"),
      }),
    lockPayouts: ({ session, params: { id }, payload }) => {
      const untilMillis = payload.until === null ? undefined : Date.parse(payload.until)
      const action = untilMillis === undefined ? "seller.payouts_unlocked" : "seller.payouts_locked"
      return act(session, id, {
        action,
        details: payload,
        decide: lockPayouts(untilMillis),
        // Whoever asked for an earlier end asked for this one, too.
        isSame: ({ until }) => untilMillis === undefined || Date.parse(String(until)) <= untilMillis,
      })
    },
    patchSellerSettings: ({ session, params: { id }, payload }) =>
      act(session, id, {
        action: "seller.settings_changed",
        details: payload,
        decide: patchSettings(payload),
        // The call that waits has none.
        isSame: isSameBut("version", "previous"),
        previousOf: ({ settings }) => {
          const shownBefore = shownSettings(settings)
          return Object.fromEntries(
            settingNames.flatMap((name) => (name in payload ? [[name, shownBefore[name]]] : [])),
          )
        },
      }),
    listAudit: (request) => listAudit(request.query, request.header("accept")),
  }
  return handlers
})
