import type { TrimmedTestStep } from "../../actors/ports/retention.ts"
import {
  isChargeEnded,
  isWithdrawalEnded,
  mayHaveHeld,
  mayHaveMoved,
} from "../../actors/seller/decisions/endedResources.ts"
import { readException } from "../../actors/seller/decisions/exceptionDocument.ts"
import { customerSumsOf } from "../../actors/values/customerSums.ts"
import { baseAfter } from "../../actors/values/ledgerBase.ts"
import { dayEndMillis } from "../../actors/values/saoPauloDays.ts"
import { parseCharge } from "../../actors/values/storedDocuments.ts"
import { type Feed, partitionOfId } from "../../schema/ids.ts"
import { leaveCustomer } from "./customerStore.ts"
import { entryMillis } from "./feeds.ts"
import { balanceOf } from "./ledger.ts"
import type { MemoryState } from "./state.ts"

const testFeed = (sellerId: string): Feed => ({ sellerId, mode: "test" })

/** What is left to happen to a partition's resources, by their ids: an open exception, a timer, an event still in the feed. */
const awaited = (state: MemoryState): ReadonlySet<string> =>
  new Set([
    ...[...state.exceptions.values()]
      .filter((exception) => exception.state === "open")
      .map((exception) => readException(exception).resource_id ?? ""),
    ...[...state.timers.values()].map(({ resourceId }) => resourceId),
    ...[...state.feeds.values()].flatMap(({ entries }) => entries.map(({ resourceId }) => resourceId)),
  ])

/** Deletes a resource; its id is noted where entries may name it. */
const forget = (
  state: MemoryState,
  sellerId: string,
  from: Map<string, unknown>,
  id: string,
  isInLedger: boolean,
): void => {
  from.delete(id)
  state.changedMillis.delete(id)
  const { entries, deletedIds } = balanceOf(state, testFeed(sellerId))
  if (isInLedger && entries.length > 0) deletedIds.add(id)
}

const deleteCharges = (state: MemoryState, sellerId: string, isPast: (id: string) => boolean): number => {
  let deleted = 0
  for (const charge of [...state.transactions.values()]) {
    if (charge.sellerId !== sellerId || charge.mode !== "test") continue
    const refunds = [...state.refunds.values()].filter(({ transactionId }) => transactionId === charge.id)
    const arePast = [charge, ...refunds].every(({ id }) => isPast(id))
    if (!arePast || !isChargeEnded(charge, refunds)) continue
    if (charge.customer !== undefined)
      leaveCustomer(state, charge, customerSumsOf(parseCharge(charge.document)))
    forget(state, sellerId, state.transactions, charge.id, mayHaveMoved(charge))
    state.refunding.delete(charge.id)
    state.notes.delete(charge.id)
    for (const refund of refunds) forget(state, sellerId, state.refunds, refund.id, mayHaveHeld(refund))
    deleted += 1 + refunds.length
  }
  return deleted
}

const deleteWithdrawals = (state: MemoryState, sellerId: string, isPast: (id: string) => boolean): number => {
  let deleted = 0
  for (const withdrawal of [...state.withdrawals.values()]) {
    if (withdrawal.sellerId !== sellerId || withdrawal.mode !== "test") continue
    if (!isPast(withdrawal.id) || !isWithdrawalEnded(withdrawal)) continue
    forget(state, sellerId, state.withdrawals, withdrawal.id, true)
    deleted += 1
  }
  return deleted
}

/** Deletes entries from the old end of a test ledger, up to the first that must stay. */
const trimLedger = (state: MemoryState, sellerId: string, beforeMillis: number): number => {
  const record = balanceOf(state, testFeed(sellerId))
  const closed = state.closings.wholes.get("test")?.at(-1)
  const endMillis = Math.min(beforeMillis, closed === undefined ? 0 : dayEndMillis(closed.day) + 1)
  let trimmed = 0
  for (const entry of record.entries) {
    const isNamed = entry.resourceType !== "exception" && !record.deletedIds.has(entry.resourceId)
    const base =
      isNamed || entryMillis(entry.entryId) >= endMillis ? undefined : baseAfter(record.base, entry)
    if (base === undefined) break
    record.base = base
    trimmed += 1
  }
  record.entries.splice(0, trimmed)
  if (record.entries.length === 0) record.deletedIds.clear()
  return trimmed
}

/** Deletes what ended in a partition's test mode longer ago than its retention, all in one step. */
export const trimTestData = (state: MemoryState, nowMillis: number, partition: number): TrimmedTestStep => {
  const { testRetentionMillis } = state.options
  const sums = { resources: 0, ledgerEntries: 0 }
  if (testRetentionMillis === undefined) return { ...sums, next: undefined }
  const beforeMillis = nowMillis - testRetentionMillis
  const kept = awaited(state)
  const isPast = (id: string) =>
    !kept.has(id) && (state.changedMillis.get(id) ?? Number.POSITIVE_INFINITY) < beforeMillis
  for (const sellerId of state.sellers.keys()) {
    if (partitionOfId(sellerId) !== partition) continue
    sums.resources += deleteCharges(state, sellerId, isPast) + deleteWithdrawals(state, sellerId, isPast)
    sums.ledgerEntries += trimLedger(state, sellerId, beforeMillis)
  }
  return { ...sums, next: undefined }
}
