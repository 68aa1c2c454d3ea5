import { Effect } from "effect"
import type { Transaction } from "../../../schema/resources/transaction.ts"
import { Acquirers, type ChargeReport } from "../../ports/acquirer.ts"
import { ExceptionStore, type StoredException } from "../../ports/exceptionStore.ts"
import { PartitionCount } from "../../ports/partitionCount.ts"
import { PixClaimStore, type ReceivedPixId } from "../../ports/pixClaimStore.ts"
import {
  type StoredTransaction,
  TransactionStore,
  type TransitionCommit,
} from "../../ports/transactionStore.ts"
import { parseCharge } from "../../values/storedDocuments.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import { unlistedPayments } from "../decisions/chargeReport.ts"
import { pixCountsElsewhere } from "../decisions/exceptionActs.ts"
import { factOf, readException, unknownPixPlace } from "../decisions/exceptionDocument.ts"
import { isAllowed, readCharge } from "../decisions/transactionTransitions.ts"
import { makeResolveByItself } from "./resolveByItself.ts"

/**
 * Makes the program that claims a received Pix for a charge or an exception, before the commit that uses it, and answers who has it:
 * the claimant, or whoever was first (docs/decisions/0101-pix-are-claimed-before-they-count.md). A claim that its holder can never use
 * any more is taken over: one of a charge that ended otherwise, or of an exception that was resolved without a credit.
 */
const makeClaimPix = Effect.gen(function* () {
  const claims = yield* PixClaimStore
  const transactions = yield* TransactionStore
  const exceptions = yield* ExceptionStore

  const isUnusable = Effect.fnUntraced(function* (holder: string, endToEndId: string) {
    if (holder.startsWith("txn_")) {
      const charge = yield* transactions.load(holder)
      if (charge === undefined || isAllowed(charge.status, "paid")) return false
      return readCharge(charge).end_to_end_id !== endToEndId
    }
    const exception = yield* exceptions.load(holder)
    return exception?.state === "resolved" && readException(exception).act !== "credit"
  })

  return (pix: ReceivedPixId, claimant: string): Effect.Effect<string, StoreUnavailable> =>
    Effect.gen(function* () {
      const holder = yield* claims.claim(pix, claimant)
      if (holder === claimant || !(yield* isUnusable(holder, pix.endToEndId))) return holder
      return yield* claims.claim(pix, claimant, holder)
    })
})

/**
 * Makes the program for Pix of a charge that the acquirer names only after an operator has credited the charge's payment without
 * knowing its Pix: the first of them that nobody has belongs to that credit, so that it does not count again
 * (docs/contract/exceptions.md#one-pix-one-use).
 */
export const makeClaimForNameless = Effect.gen(function* () {
  const exceptions = yield* ExceptionStore
  const claims = yield* PixClaimStore

  return Effect.fnUntraced(function* (
    transactionId: string,
    account: string,
    endToEndIds: ReadonlyArray<string>,
  ) {
    const exception = yield* exceptions.findFact(transactionId, factOf("payment_unconfirmed", transactionId))
    if (exception?.state !== "resolved" || readException(exception).act !== "credit") return
    const holders = yield* claims.findAll(account, endToEndIds)
    if (holders.includes(exception.id)) return
    const free = endToEndIds.find((_, i) => holders[i] === undefined)
    if (free !== undefined) yield* claims.claim({ account, endToEndId: free }, exception.id)
  })
})

/**
 * Makes the program that claims the Pix of an exception before it is credited: 409 `invalid_state` where a charge or another exception
 * has it (docs/contract/exceptions.md#one-pix-one-use). A Pix that the acquirer did not name cannot be claimed.
 */
export const makeClaimForCredit = Effect.gen(function* () {
  const acquirers = yield* Acquirers
  const claimPix = yield* makeClaimPix

  return Effect.fnUntraced(function* (stored: StoredException) {
    const { end_to_end_id: endToEndId } = readException(stored).details
    if (stored.mode === "test" || typeof endToEndId !== "string") return
    const account = stored.account ?? acquirers.live.account
    const holder = yield* claimPix({ account, endToEndId }, stored.id)
    if (holder === stored.id) return
    return yield* pixCountsElsewhere(stored, "credited", holder)
  })
})

/**
 * Makes the program that claims the Pix of a report that may pay the charge, before it is committed as paid, and answers who else has
 * which of them. In test mode nobody else can: the simulator derives an end-to-end id from the charge's own id.
 */
export const makeClaimedBy = Effect.gen(function* () {
  const acquirers = yield* Acquirers
  const claims = yield* PixClaimStore
  const claimPix = yield* makeClaimPix
  const claimForNameless = yield* makeClaimForNameless

  return Effect.fnUntraced(function* (stored: StoredTransaction, report: ChargeReport) {
    const others = new Map<string, string>()
    if (stored.mode === "test") return others
    const account = stored.account ?? acquirers.live.account
    if (isAllowed(stored.status, "paid")) {
      const { amount } = readCharge(stored)
      const paying = report.payments.filter((made) => made.amount === amount)
      if (stored.status === "expired" && paying.length > 0) {
        const named = paying.map(({ endToEndId }) => endToEndId)
        yield* claimForNameless(stored.id, account, named)
      }
      for (const { endToEndId } of paying) {
        const holder = yield* claimPix({ account, endToEndId }, stored.id)
        if (holder === stored.id) break
        others.set(endToEndId, holder)
      }
    }
    const odd = unlistedPayments(stored, report).map(({ end_to_end_id }) => end_to_end_id)
    for (const [i, holder] of (yield* claims.findAll(account, odd)).entries()) {
      const endToEndId = odd[i]
      if (endToEndId !== undefined && holder !== undefined && holder !== stored.id)
        others.set(endToEndId, holder)
    }
    return others
  })
})

/**
 * Makes the programs that follow a live commit. They claim an exception's Pix for it, unless somebody holds that Pix already, so that a
 * list that does not name the charge records it no second time. They resolve the `payment_unknown` of that Pix, and what was unknown
 * or unconfirmed of the Pix that paid the charge.
 */
export const makeNoteClaims = Effect.gen(function* () {
  const acquirers = yield* Acquirers
  const claims = yield* PixClaimStore
  const exceptions = yield* ExceptionStore
  const { partitions } = yield* PartitionCount
  const resolveByItself = yield* makeResolveByItself

  const resolveUnknown = (endToEndId: string, reason: string) => {
    const { id, fact } = unknownPixPlace(endToEndId, partitions)
    return resolveByItself(id, fact, reason)
  }

  /** Resolves the exceptions, unknown and unconfirmed, of the Pix that paid a charge. */
  const paid = Effect.fnUntraced(function* (
    transactionId: string,
    { end_to_end_id: endToEndId }: Transaction,
  ) {
    if (endToEndId === null) return
    const reason = `It has paid ${transactionId}`
    yield* resolveUnknown(endToEndId, reason)
    for (const about of [endToEndId, transactionId]) {
      yield* resolveByItself(transactionId, factOf("payment_unconfirmed", about), reason)
    }
  })

  /** Notes with an exception that its Pix is another's, who was faster between the decision and the claim. */
  const noteHolder = Effect.fnUntraced(function* (id: string, holder: string) {
    const exception = yield* exceptions.load(id)
    if (exception?.state !== "open") return
    const shown = readException(exception)
    if ("claimed_by" in shown.details) return
    const document = JSON.stringify({ ...shown, details: { ...shown.details, claimed_by: holder } })
    const change = { exception, to: "open", document, pending: exception.pending } as const
    // Whoever was faster with the exception has read of the holder, or dismissed it.
    yield* exceptions.commit({ change, timers: [], timersDone: [] })
  })

  const committed = Effect.fnUntraced(function* ({
    mode,
    from,
    to,
    transactionId,
    document,
    exception,
  }: TransitionCommit) {
    if (mode === "test") return
    if (exception?.kind === "open") {
      const { id, account = acquirers.live.account } = exception.exception
      const { end_to_end_id: endToEndId } = readException(exception.exception).details
      if (typeof endToEndId === "string") {
        const holder = yield* claims.claim({ account, endToEndId }, id)
        if (holder !== id) yield* noteHolder(id, holder)
        yield* resolveUnknown(endToEndId, `It is in exception ${id} of ${transactionId}`)
      }
    }
    if (to === "paid" && from !== "paid") yield* paid(transactionId, parseCharge(document))
  })

  /** For a charge that was as reported already: whoever committed it may have died before the rest. */
  const unchanged = (stored: StoredTransaction) =>
    stored.mode === "live" && stored.status === "paid" ? paid(stored.id, readCharge(stored)) : Effect.void

  return { committed, unchanged }
})
