import { Effect } from "effect"
import type { Transaction } from "../../../schema/resources/transaction.ts"
import { Acquirers, type ChargeReport } from "../../ports/acquirer.ts"
import { PartitionCount } from "../../ports/partitionCount.ts"
import { PixClaimStore } from "../../ports/pixClaimStore.ts"
import type { StoredTransaction, TransitionCommit } from "../../ports/transactionStore.ts"
import { unlistedPayments } from "../decisions/chargeReport.ts"
import { factOf, readException, unknownPixPlace } from "../decisions/exceptionDocument.ts"
import { isAllowed, readCharge } from "../decisions/transactionTransitions.ts"
import { makeClaimForNameless } from "./claimForNameless.ts"
import { makeClaimPix } from "./claimPix.ts"
import { makeResolveByItself } from "./resolveByItself.ts"

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
 * Makes the programs that follow a live commit: an exception holds its Pix as long as nobody else does, so that a list which does not
 * name the charge is none the wiser; what was unknown of its Pix, and unknown or unconfirmed of the Pix that paid the charge, is resolved.
 */
export const makeNoteClaims = Effect.gen(function* () {
  const acquirers = yield* Acquirers
  const claims = yield* PixClaimStore
  const { partitions } = yield* PartitionCount
  const resolveByItself = yield* makeResolveByItself

  const resolveUnknown = (endToEndId: string, reason: string) => {
    const { id, fact } = unknownPixPlace(endToEndId, partitions)
    return resolveByItself(id, fact, reason)
  }

  /** Resolves what was unknown or unconfirmed of the Pix that paid a charge. */
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
        yield* claims.claim({ account, endToEndId }, id)
        yield* resolveUnknown(endToEndId, `It is in exception ${id} of ${transactionId}`)
      }
    }
    if (to === "paid" && from !== "paid") yield* paid(transactionId, JSON.parse(document))
  })

  /** For a charge that was as reported already: whoever committed it may have died before the rest. */
  const unchanged = (stored: StoredTransaction) =>
    stored.mode === "live" && stored.status === "paid" ? paid(stored.id, readCharge(stored)) : Effect.void

  return { committed, unchanged }
})
