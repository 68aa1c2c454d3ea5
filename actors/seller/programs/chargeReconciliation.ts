import { Effect } from "effect"
import { timeOfId, txidOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { traceIdOf } from "../../../schema/trace.ts"
import { Acquirers, type ChargeReport } from "../../ports/acquirer.ts"
import { ExceptionStore } from "../../ports/exceptionStore.ts"
import type { SellerSettings } from "../../ports/sellerStore.ts"
import {
  type StoredTransaction,
  TransactionStore,
  type TransitionCommit,
} from "../../ports/transactionStore.ts"
import { decideAndCommit, stale } from "../../runtime/decideAndCommit.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import { acquirerSlugOf, otherAccountReason } from "../decisions/acquirerAccount.ts"
import { chargeFactOf } from "../decisions/chargeExceptions.ts"
import { decideReport, returnsOf, unlistedPayments } from "../decisions/chargeReport.ts"
import { factOf } from "../decisions/exceptionDocument.ts"
import { balanceFull } from "../decisions/movements.ts"
import type { ReconciledCharge } from "../decisions/noticeAnswer.ts"
import type { SellerTime } from "../decisions/sellerTime.ts"
import { afterCommit, readCharge } from "../decisions/transactionTransitions.ts"
import { makeAccountChanged } from "./accountChanged.ts"
import { boundedCall } from "./acquirerCalls.ts"
import { makeClaimedBy, makeNoteClaims } from "./chargeClaims.ts"
import { makeSettleOwnReturns } from "./ownReturns.ts"
import { makeOpenReturns } from "./paymentReturns.ts"
import { makeResolveReturned } from "./resolveReturned.ts"

/** The kinds of exception that a Pix which did not pay its charge may be. */
const kindsOfPix = ["double_payment", "amount_mismatch", "payment_unconfirmed"] as const

/**
 * Makes the program that records what went back of the Pix in a report which did not pay the charge, and answers the acquirer's ids of
 * these returns.
 */
const makeNoteOtherReturns = Effect.gen(function* () {
  const exceptions = yield* ExceptionStore
  const openReturns = yield* makeOpenReturns

  return Effect.fnUntraced(function* (stored: StoredTransaction, { payments }: ChargeReport) {
    const noted = new Set<string>()
    const { end_to_end_id: paidBy } = readCharge(stored)
    for (const payment of payments.filter(({ endToEndId }) => endToEndId !== paidBy)) {
      const done = payment.refunds.filter(({ status }) => status === "done")
      if (done.length === 0) continue
      for (const kind of kindsOfPix) {
        const exception = yield* exceptions.findFact(stored.id, factOf(kind, payment.endToEndId))
        if (exception !== undefined) yield* openReturns(exception, payment)
      }
      for (const { id } of done) noted.add(id)
    }
    return noted
  })
})

/**
 * Makes the program that asks the acquirer about a charge and commits what it says. Silence says nothing: the charge stays
 * as it is (docs/architecture.md#rule-7).
 */
export const makeReconcileCharge = Effect.gen(function* () {
  const store = yield* TransactionStore
  const acquirers = yield* Acquirers
  const exceptions = yield* ExceptionStore
  const settleOwnReturns = yield* makeSettleOwnReturns
  const accountChanged = yield* makeAccountChanged
  const claimedBy = yield* makeClaimedBy
  const noteOtherReturns = yield* makeNoteOtherReturns
  const claimNotes = yield* makeNoteClaims
  const resolveReturned = yield* makeResolveReturned

  const query = (stored: StoredTransaction, noticedEndToEndId: string | undefined, time: SellerTime) => {
    const { amount, end_to_end_id: endToEndId } = readCharge(stored)
    const call = acquirers[stored.mode].queryCharge({
      txid: txidOf(stored.id),
      amount,
      status: stored.status,
      endToEndId,
      noticedEndToEndId,
      ageMillis: Math.max(0, time.nowMillis - timeOfId(stored.id)),
    })
    return boundedCall("query charge", call, traceIdOf(stored.document)).pipe(
      Effect.catch(({ reason }) => Effect.succeed({ silent: reason } as const)),
    )
  }

  /** The facts of a report's payments that are recorded although the charge has no room to list them. */
  const recordedFacts = Effect.fnUntraced(function* (stored: StoredTransaction, report: ChargeReport) {
    const facts = new Set<string>()
    if (readCharge(stored).exceptions.length < limits.chargeExceptionsMax) return facts
    for (const odd of unlistedPayments(stored, report)) {
      const fact = chargeFactOf(odd)
      if ((yield* exceptions.findFact(stored.id, fact)) !== undefined) facts.add(fact)
    }
    return facts
  })

  /** Commits what a report calls for, one commit after another; `stale` where another writer came first or more is left. */
  const applyReport = Effect.fnUntraced(function* (
    known: StoredTransaction,
    report: ChargeReport,
    settings: SellerSettings,
    time: SellerTime,
    onCommit: (commit: TransitionCommit) => void,
  ) {
    const own = yield* settleOwnReturns(known, report, time)
    // Its own refunds have changed the charge.
    let stored = own.isAnySettled ? yield* store.load(known.id) : known
    if (stored === undefined) return { kind: "missing" } as const
    const recorded = yield* recordedFacts(stored, report)
    const inBooks = {
      acquirer: acquirerSlugOf(stored, acquirers),
      ownReturns: own.returns,
      recorded,
      claimedBy: yield* claimedBy(stored, report),
    }
    for (let commits = 0; commits < limits.commitsPerReportMax; commits++) {
      const commit = decideReport(stored, report, settings, time, inBooks)
      if (commit === undefined) {
        if (commits === 0) yield* claimNotes.unchanged(stored)
        return { kind: "applied", stored, recorded } as const
      }
      const { kind } = yield* store.transition(commit)
      if (kind === "stale") return stale
      if (kind !== "applied") return { kind } as const
      onCommit(commit)
      yield* claimNotes.committed(commit)
      if (commit.exception?.kind === "open") recorded.add(commit.exception.exception.fact)
      stored = afterCommit(stored, commit)
    }
    return stale
  })

  return (
    known: StoredTransaction,
    noticedEndToEndId: string | undefined,
    settings: SellerSettings,
    time: SellerTime,
  ): Effect.Effect<ReconciledCharge, StoreUnavailable> => {
    const otherAccount = otherAccountReason(known, acquirers)
    if (otherAccount !== undefined) {
      const told = Effect.logError(`${otherAccount}: the acquirer is not asked about it`)
      const silent = { kind: "silent", reason: otherAccount } as const
      return Effect.as(Effect.andThen(told, accountChanged(known.id)), silent)
    }
    const endedTimers: Array<string> = []
    return decideAndCommit({
      known,
      read: store.load(known.id),
      // What the acquirer says of a charge depends on what the charge is, so each attempt asks again.
      attempt: Effect.fnUntraced(function* (stored: StoredTransaction | undefined) {
        if (stored === undefined) return { kind: "missing" } as const
        const report = yield* query(stored, noticedEndToEndId, time)
        if ("silent" in report) return { kind: "silent", reason: report.silent, isAsked: true } as const
        const applied = yield* applyReport(stored, report, settings, time, ({ timersDone }) =>
          endedTimers.push(...timersDone),
        )
        if (applied === stale) return stale
        switch (applied.kind) {
          case "applied": {
            const { askAfterMillis } = report
            const { stored: now, recorded } = applied
            const isReturning = returnsOf(now, report).some(({ status }) => status === "processing")
            yield* resolveReturned(now, report)
            const otherReturns = yield* noteOtherReturns(now, report)
            const isConcluded = report.isConcluded === true
            const reconciled = { stored: now, askAfterMillis, isConcluded, isReturning, otherReturns }
            return { kind: "reconciled", ...reconciled, endedTimers, recorded } as const
          }
          case "missing":
            return { kind: "missing" } as const
          case "overflow":
            yield* Effect.logError(`what the acquirer says about ${known.id} is not applied: ${balanceFull}`)
            return { kind: "silent", reason: balanceFull } as const
        }
      }),
      giveUp: () => Effect.succeed({ kind: "silent", reason: "others keep changing the charge" } as const),
    })
  }
})
