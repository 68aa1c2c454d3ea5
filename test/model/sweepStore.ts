import { Clock } from "effect"
import {
  type AcceptedItem,
  type SweepLease,
  type SweepState,
  SweepStore,
  type UnconfirmedItem,
  type UnreadItem,
} from "../../actors/ports/sweepStore.ts"
import { keyOfItem } from "../../actors/values/listedItem.ts"
import { limits } from "../../schema/limits.ts"
import { atomicStep, type MemoryState, type SweepRecord } from "./state.ts"

const unswept: SweepState = {
  ...{ beganMillis: 0, completedToMillis: 0, longBeganMillis: 0, wantedMillis: 0, unreadableCount: 0 },
}

/** The sweeps of an account; none where there has been none. */
const recordOf = (state: MemoryState, account: string): SweepRecord =>
  state.sweeps.get(account) ?? {
    ...{ state: unswept, holder: undefined, leaseUntilMillis: 0, fence: 0 },
    ...{ unread: { open: [], accepted: [] }, unconfirmed: [] },
  }

const claim = (
  state: MemoryState,
  nowMillis: number,
  account: string,
  holder: string,
  leaseMillis: number,
): SweepLease | undefined => {
  const found = recordOf(state, account)
  const isHeld = found.leaseUntilMillis > nowMillis
  if (isHeld && found.holder !== holder) return undefined
  // A renewed lease keeps its fence; one that has expired may have had another sweep since.
  const fence = isHeld ? found.fence : found.fence + 1
  state.sweeps.set(account, { ...found, holder, leaseUntilMillis: nowMillis + leaseMillis, fence })
  return { account, fence }
}

const complete = (
  state: MemoryState,
  { account, fence }: SweepLease,
  sweep: { readonly beganMillis: number; readonly toMillis: number; readonly isLong: boolean },
): { readonly kind: "applied" | "stale" } => {
  const found = recordOf(state, account)
  if (found.fence !== fence) return { kind: "stale" }
  state.sweeps.set(account, {
    ...found,
    state: {
      ...found.state,
      beganMillis: sweep.beganMillis,
      completedToMillis: sweep.toMillis,
      ...(sweep.isLong ? { longBeganMillis: sweep.beganMillis } : {}),
    },
  })
  return { kind: "applied" }
}

const isNot =
  ({ digest }: UnreadItem) =>
  (other: UnreadItem): boolean =>
    other.digest !== digest

const recordUnread = (
  state: MemoryState,
  { account, fence }: SweepLease,
  { items, more }: { readonly items: ReadonlyArray<UnreadItem>; readonly more: number },
) => {
  const found = recordOf(state, account)
  if (found.fence !== fence) return { kind: "stale" } as const
  const open = items.filter((item) => found.unread.accepted.every(isNot(item)))
  const openCount = open.length + more
  state.sweeps.set(account, {
    ...found,
    state: { ...found.state, unreadableCount: openCount },
    unread: { ...found.unread, open: open.slice(0, limits.sweepUnreadableMax) },
  })
  return { kind: "applied", openCount } as const
}

const accept = (
  state: MemoryState,
  nowMillis: number,
  account: string,
  item: UnreadItem,
  reason: string,
): { readonly kind: "applied" | "full" | "unknown" } => {
  const found = recordOf(state, account)
  const { open, accepted } = found.unread
  if (!accepted.every(isNot(item))) return { kind: "applied" }
  if (open.every(isNot(item))) return { kind: "unknown" }
  const isReached = ({ acceptedMillis }: AcceptedItem) =>
    acceptedMillis > nowMillis - limits.sweepAcceptedMillis
  const kept = accepted.length < limits.sweepAcceptedMax ? accepted : accepted.filter(isReached)
  if (kept.length >= limits.sweepAcceptedMax) return { kind: "full" }
  state.sweeps.set(account, {
    ...found,
    state: { ...found.state, unreadableCount: Math.max(0, found.state.unreadableCount - 1) },
    unread: {
      open: open.filter(isNot(item)),
      accepted: [...kept, { ...item, acceptedMillis: nowMillis, reason }],
    },
  })
  return { kind: "applied" }
}

/** Writes items in place of others; those that are neither stay. */
const writeUnconfirmed = (
  state: MemoryState,
  account: string,
  items: ReadonlyArray<UnconfirmedItem>,
  insteadOf: ReadonlyArray<UnconfirmedItem>,
): void => {
  const record = recordOf(state, account)
  const gone = new Set([...insteadOf, ...items].map(({ item }) => keyOfItem(item)))
  const stays = record.unconfirmed.filter(({ item }) => !gone.has(keyOfItem(item)))
  const unconfirmed: ReadonlyArray<UnconfirmedItem> = JSON.parse(JSON.stringify([...stays, ...items]))
  state.sweeps.set(account, { ...record, unconfirmed })
}

/** SweepStore over the memory state. */
export const makeSweepStore = (state: MemoryState): SweepStore["Service"] =>
  SweepStore.of({
    load: (account) => atomicStep(state, () => recordOf(state, account).state),
    now: Clock.currentTimeMillis,
    request: (account) =>
      atomicStep(state, (nowMillis) => {
        const found = recordOf(state, account)
        state.sweeps.set(account, { ...found, state: { ...found.state, wantedMillis: nowMillis } })
      }),
    claim: (account, holder, leaseMillis) =>
      atomicStep(state, (nowMillis) => claim(state, nowMillis, account, holder, leaseMillis)),
    complete: (lease, sweep) => atomicStep(state, () => complete(state, lease, sweep)),
    accounts: atomicStep(state, () =>
      [...state.sweeps].flatMap(([account, { fence }]) => (fence > 0 ? [account] : [])).toSorted(),
    ),
    recordUnread: (lease, met) => atomicStep(state, () => recordUnread(state, lease, met)),
    // As texts keep it: without what is undefined.
    unconfirmed: (account) => atomicStep(state, () => recordOf(state, account).unconfirmed),
    keepUnconfirmed: (account, items, before) =>
      atomicStep(state, () => writeUnconfirmed(state, account, items, before)),
    noteUnconfirmed: (account, entry) =>
      atomicStep(state, () => writeUnconfirmed(state, account, [entry], [entry])),
    unread: (account) => atomicStep(state, () => recordOf(state, account).unread),
    accept: (account, item, reason) =>
      atomicStep(state, (nowMillis) => accept(state, nowMillis, account, item, reason)),
  })
