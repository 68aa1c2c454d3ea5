import { Ledger, type LedgerMovement, type SellerBalance } from "../../actors/ports/ledger.ts"
import { noBase } from "../../actors/values/ledgerBase.ts"
import type { Feed } from "../../schema/ids.ts"
import { isKeyValid } from "./access.ts"
import { watchMoney } from "./alertStore.ts"
import { compareEntryIds, entryMillis, nextEntryId } from "./feeds.ts"
import { datedEntries } from "./sellerClock.ts"
import { atomicStep, type BalanceRecord, feedName, type MemoryState } from "./state.ts"

/** A seller's money in a mode; zeros if none has ever moved. */
export const balanceOf = (state: MemoryState, { sellerId, mode }: Feed): BalanceRecord => {
  const name = feedName(sellerId, mode)
  let found = state.balances.get(name)
  if (found === undefined) {
    found = {
      amounts: { available: 0, reserve: 0, pending_withdraw: 0, pending_refund: 0, external: 0, fees: 0 },
      base: noBase,
      entries: [],
      deletedIds: new Set(),
      releases: new Map(),
      openWithdrawalId: undefined,
      days: new Map(),
    }
    state.balances.set(name, found)
  }
  return found
}

const shown = ({ amounts }: BalanceRecord): SellerBalance => ({
  available: amounts.available,
  reserve: amounts.reserve,
  pendingWithdraw: amounts.pending_withdraw,
  pendingRefund: amounts.pending_refund,
})

/** Whether a movement keeps every bucket within what it can hold. */
export const fits = (state: MemoryState, feed: Feed, movement: LedgerMovement | undefined): boolean => {
  const { amounts } = balanceOf(state, feed)
  const postings = movement?.postings ?? []
  return postings.every(({ bucket, amount }) => Math.abs(amounts[bucket] + amount) <= Number.MAX_SAFE_INTEGER)
}

/** Notes what the reserve of a charge gains. */
const noteRelease = ({ releases }: BalanceRecord, { release, postings }: LedgerMovement): void => {
  const gain = postings.find(({ bucket }) => bucket === "reserve")?.amount ?? 0
  if (release === undefined || gain === 0) return
  const before = releases.get(release.day) ?? { amount: 0, charges: 0 }
  const after = { amount: before.amount + gain, charges: before.charges + release.charges }
  if (after.amount === 0) releases.delete(release.day)
  else releases.set(release.day, after)
}

/** Writes one movement: buckets and entry. Does nothing if no money moves. */
export const moveMoney = (
  state: MemoryState,
  nowMillis: number,
  feed: Feed,
  movement: LedgerMovement | undefined,
  eventEntryId: string | undefined,
): void => {
  if (movement === undefined) return
  const record = balanceOf(state, feed)
  for (const { bucket, amount } of movement.postings) record.amounts[bucket] += amount
  state.changedMillis.set(movement.resourceId, nowMillis)
  noteRelease(record, movement)
  const { release: _, ...stored } = movement
  const newestEntryId = record.entries.at(-1)?.entryId ?? (record.base.entryId || "0-0")
  const entryId = nextEntryId(newestEntryId, nowMillis)
  record.entries.push({
    ...stored,
    entryId,
    seq: record.base.entries + record.entries.length + 1,
    eventEntryId,
    balance: shown(record),
  })
  watchMoney(state, nowMillis, feed, movement, { available: record.amounts.available, entryId })
}

/** Ledger over the memory state. */
export const makeLedger = (state: MemoryState): Ledger["Service"] =>
  Ledger.of({
    balance: (principal) =>
      atomicStep(state, (nowMillis) =>
        isKeyValid(state, nowMillis, principal) ? shown(balanceOf(state, principal)) : { kind: "keyInvalid" },
      ),

    releases: (principal) =>
      atomicStep(state, (nowMillis) => {
        if (!isKeyValid(state, nowMillis, principal)) return { kind: "keyInvalid" }
        const { amounts, releases } = balanceOf(state, principal)
        const days = [...releases].map(([day, sums]) => ({ day, ...sums }))
        return { reserve: amounts.reserve, days: days.toSorted((a, b) => (a.day < b.day ? -1 : 1)) }
      }),

    available: (feed) => atomicStep(state, () => balanceOf(state, feed).amounts.available),

    list: (principal, { beforeEntryId, fromMillis = 0, toMillis = Number.POSITIVE_INFINITY, limit }) =>
      atomicStep(state, (nowMillis) => {
        if (!isKeyValid(state, nowMillis, principal)) return { kind: "keyInvalid" }
        const found = balanceOf(state, principal)
          .entries.filter(({ entryId }) => {
            const millis = entryMillis(entryId)
            const isBelow = beforeEntryId === undefined || compareEntryIds(entryId, beforeEntryId) < 0
            return isBelow && millis >= fromMillis && millis <= toMillis
          })
          .reverse()
          .slice(0, limit)
        return datedEntries(state, principal, found)
      }),

    ofResources: (principal, resourceIds) =>
      atomicStep(state, (nowMillis) => {
        if (!isKeyValid(state, nowMillis, principal)) return { kind: "keyInvalid" }
        const found = balanceOf(state, principal)
          .entries.filter(({ resourceId }) => resourceIds.includes(resourceId))
          .reverse()
        return datedEntries(state, principal, found)
      }),

    readSpan: (principal, { afterEntryId, fromMillis, toMillis, entriesMax }) =>
      atomicStep(state, (nowMillis) => {
        if (!isKeyValid(state, nowMillis, principal)) return { kind: "keyInvalid" }
        const found = balanceOf(state, principal)
          .entries.filter(({ entryId }) => {
            const millis = entryMillis(entryId)
            const isAbove = afterEntryId === undefined || compareEntryIds(entryId, afterEntryId) > 0
            return isAbove && millis >= fromMillis && millis <= toMillis
          })
          .slice(0, entriesMax)
        return datedEntries(state, principal, found)
      }),

    readAfter: (feed, afterEntryId, entriesMax) =>
      atomicStep(state, () =>
        balanceOf(state, feed)
          .entries.filter(({ entryId }) => compareEntryIds(entryId, afterEntryId) > 0)
          .slice(0, entriesMax),
      ),
  })
