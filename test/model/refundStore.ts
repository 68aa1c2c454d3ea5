import {
  type CreateRefundCommit,
  type RefundedCharge,
  type RefundPage,
  type RefundPreconditions,
  RefundStore,
  type RefundTransition,
  type StoredRefund,
} from "../../actors/ports/refundStore.ts"
import type { TransitionOutcome } from "../../actors/ports/transactionStore.ts"
import type { IdempotencyScope } from "../../actors/values/idempotency.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { timeOfId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { isRefundOver } from "../../schema/resources/refund.ts"
import { isKeyValid } from "./access.ts"
import { countCustomer } from "./customerStore.ts"
import { isStale, writeException } from "./exceptionStore.ts"
import { appendEvent } from "./feeds.ts"
import { checkRequest, expireRecord, writeRecord } from "./idempotency.ts"
import { balanceOf, fits, moveMoney } from "./ledger.ts"
import { atomicStep, type MemoryState, partitionOf } from "./state.ts"
import { dropTimer, setTimers } from "./timerQueue.ts"
import { guardOf, writeCharge } from "./transactionStore.ts"

const isOf = (principal: Principal, found: { readonly sellerId: string; readonly mode: string }): boolean =>
  found.sellerId === principal.sellerId && found.mode === principal.mode

const refundsOf = (state: MemoryState, transactionId: string): ReadonlyArray<StoredRefund> =>
  [...state.refunds.values()].filter((refund) => refund.transactionId === transactionId)

const preconditionsOf = (
  state: MemoryState,
  principal: Principal,
  transactionId: string,
): RefundPreconditions | undefined => {
  const seller = state.sellers.get(principal.sellerId)?.seller
  const transaction = state.transactions.get(transactionId)
  if (seller === undefined || transaction === undefined || !isOf(principal, transaction)) return undefined
  return {
    seller,
    transaction,
    refunding: state.refunding.get(transactionId) ?? 0,
    refunds: refundsOf(state, transactionId).length,
    available: balanceOf(state, principal).amounts.available,
    reserve: balanceOf(state, principal).amounts.reserve,
  }
}

/** Whether the reserve covers what `available` lacks after the hold. */
const isDebtCovered = (state: MemoryState, { principal, movement }: CreateRefundCommit): boolean => {
  const { amounts } = balanceOf(state, principal)
  const after = (wanted: "available" | "reserve"): number =>
    movement.postings.reduce(
      (sum, { bucket, amount }) => (bucket === wanted ? sum + amount : sum),
      amounts[wanted],
    )
  return after("available") >= 0 || after("available") + after("reserve") >= 0
}

/** Whether everything is still as it was decided on, and enough is available. */
const isAsDecided = (state: MemoryState, commit: CreateRefundCommit): boolean => {
  const { principal, decidedOn, charge, heldFromAvailable, movement } = commit
  const decidedOnCharge = { ...charge.transaction, sellerId: principal.sellerId, mode: principal.mode }
  return (
    state.sellers.get(principal.sellerId)?.seller.version === decidedOn.sellerVersion &&
    guardOf(state, decidedOnCharge) === undefined &&
    balanceOf(state, principal).amounts.available >= heldFromAvailable &&
    isDebtCovered(state, commit) &&
    fits(state, principal, movement)
  )
}

/** Writes what a commit changes of the charge, after the refund's own event. */
const changeCharge = (state: MemoryState, nowMillis: number, charge: RefundedCharge): void => {
  const { id } = charge.transaction
  writeCharge(state, nowMillis, id, charge)
  countCustomer(state, id, charge.customer)
  state.refunding.set(id, (state.refunding.get(id) ?? 0) + charge.refundingChange)
}

const changeTimersOf = (state: MemoryState, resourceId: string, change: ChangedTimers): void => {
  // Dropped before set: a transition may set a timer anew that it ends.
  for (const name of change.timersDone) dropTimer(state, resourceId, name)
  setTimers(state, change.timers)
}
type ChangedTimers = Pick<RefundTransition, "timers" | "timersDone">

const writeCreation = (state: MemoryState, nowMillis: number, commit: CreateRefundCommit): void => {
  const { principal, refund, idempotency, charge } = commit
  partitionOf(state, refund.id)
  const { route, key } = idempotency
  state.refunds.set(refund.id, { ...refund, version: 1, idempotency: { route, key } })
  const event = { type: commit.eventType, resourceId: refund.id, data: refund.document }
  const { entryId } = appendEvent(state, nowMillis, principal, event)
  changeCharge(state, nowMillis, charge)
  moveMoney(state, nowMillis, principal, commit.movement, entryId)
  setTimers(state, commit.timers)
  changeTimersOf(state, charge.transaction.id, charge)
  const done = { kind: "done", status: 201, body: refund.document } as const
  writeRecord(state, nowMillis, principal, idempotency, done)
  expireRecord(state, principal, idempotency, Number.POSITIVE_INFINITY)
}

const guardOfTransition = (
  state: MemoryState,
  { refund, charge }: RefundTransition,
): "missing" | "stale" | undefined => {
  const found = state.refunds.get(refund.id)
  if (found?.sellerId !== refund.sellerId || found.mode !== refund.mode) return "missing"
  if (found.status !== refund.status || found.version !== refund.version) return "stale"
  if (charge === undefined) return undefined
  const { sellerId, mode } = refund
  return guardOf(state, { ...charge.transaction, id: refund.transactionId, sellerId, mode })
}

const transition = (state: MemoryState, nowMillis: number, change: RefundTransition): TransitionOutcome => {
  const { refund, to, document, charge, eventType } = change
  const refused = guardOfTransition(state, change)
  if (refused !== undefined) return { kind: refused }
  if (isStale(state, refund.id, change.exception)) return { kind: "stale" }
  if (!fits(state, refund, change.movement)) return { kind: "overflow" }
  const found = state.refunds.get(refund.id) ?? refund
  state.stuckRefunds.delete(refund.id)
  state.refunds.set(refund.id, { ...found, status: to, document, version: found.version + 1 })
  const entry =
    eventType === undefined
      ? undefined
      : appendEvent(state, nowMillis, refund, { type: eventType, resourceId: refund.id, data: document })
  if (charge !== undefined) changeCharge(state, nowMillis, charge)
  moveMoney(state, nowMillis, refund, change.movement, entry?.entryId)
  writeException(state, nowMillis, change.exception)
  if (isRefundOver(to) && refund.idempotency !== undefined) {
    expireRecord(state, refund, refund.idempotency, nowMillis + limits.idempotencyRetentionMillis)
  }
  changeTimersOf(state, refund.id, change)
  if (charge !== undefined) changeTimersOf(state, refund.transactionId, charge)
  return { kind: "applied" }
}

const page = (
  state: MemoryState,
  principal: Principal,
  { status, transactionId, fromMillis = 0, toMillis = Number.POSITIVE_INFINITY, beforeId, limit }: RefundPage,
): ReadonlyArray<StoredRefund> =>
  [...state.refunds.values()]
    .filter((found) => {
      const millis = timeOfId(found.id)
      return (
        isOf(principal, found) &&
        (status === undefined || found.status === status) &&
        (transactionId === undefined || found.transactionId === transactionId) &&
        (beforeId === undefined || found.id < beforeId) &&
        millis >= fromMillis &&
        millis <= toMillis
      )
    })
    .sort((left, right) => (left.id < right.id ? 1 : -1))
    .slice(0, limit)

const readPreconditions =
  (state: MemoryState) => (principal: Principal, idempotency: IdempotencyScope, transactionId: string) =>
    atomicStep(state, (nowMillis) => {
      const answer = checkRequest(state, nowMillis, principal, idempotency)
      if (answer !== undefined)
        return answer.kind === "doneByUs" ? ({ ...answer, kind: "replay" } as const) : answer
      const found = preconditionsOf(state, principal, transactionId)
      return found === undefined ? ({ kind: "missing" } as const) : ({ kind: "open", ...found } as const)
    })

/** RefundStore over the memory state. */
export const makeRefundStore = (state: MemoryState): RefundStore["Service"] =>
  RefundStore.of({
    readPreconditions: readPreconditions(state),

    create: (commit) =>
      atomicStep(state, (nowMillis) => {
        const answer = checkRequest(state, nowMillis, commit.principal, commit.idempotency)
        if (answer !== undefined) return answer.kind === "doneByUs" ? { kind: "created" } : answer
        if (!isAsDecided(state, commit)) return { kind: "stale" }
        writeCreation(state, nowMillis, commit)
        return { kind: "created" }
      }),

    transition: (change) => atomicStep(state, (nowMillis) => transition(state, nowMillis, change)),

    get: (principal, id) =>
      atomicStep(state, (nowMillis) => {
        if (!isKeyValid(state, nowMillis, principal)) return { kind: "keyInvalid" }
        const found = state.refunds.get(id)
        return found !== undefined && isOf(principal, found) ? found : undefined
      }),

    load: (id) => atomicStep(state, () => state.refunds.get(id)),

    noteStuck: ({ id }, sinceMillis) =>
      atomicStep(state, () => {
        if (state.refunds.get(id)?.status !== "processing") return "ended"
        if (state.stuckRefunds.has(id)) return "known"
        state.stuckRefunds.set(id, sinceMillis)
        return "noted"
      }),

    stuck: () =>
      atomicStep(state, () => {
        const [oldest] = [...state.stuckRefunds].sort(([, left], [, right]) => left - right)
        return {
          count: state.stuckRefunds.size,
          oldest: oldest && { id: oldest[0], sinceMillis: oldest[1] },
        }
      }),

    list: (principal, query) =>
      atomicStep(state, (nowMillis) =>
        isKeyValid(state, nowMillis, principal) ? page(state, principal, query) : { kind: "keyInvalid" },
      ),
  })
