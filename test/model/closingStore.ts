import { Effect } from "effect"
import { ClosingStore, type DayMovements } from "../../actors/ports/closingStore.ts"
import type { Mode } from "../../schema/ids.ts"
import { atomicStep, feedName, type MemoryState, type PartRecord, partitionOf } from "./state.ts"

const applied = { kind: "applied" } as const
const stale = { kind: "stale" } as const

const newest = <D extends DayMovements>(closings: ReadonlyArray<D> | undefined, day: string): D | undefined =>
  closings?.findLast((closing) => closing.day <= day)

/** Adds a closing unless its day, or a later one, is there. */
const add = <D extends DayMovements>(closings: Array<D>, closing: D): void => {
  if ((closings.at(-1)?.day ?? "") < closing.day) closings.push(closing)
}

const partOf = (state: MemoryState, partition: number): PartRecord => {
  const { parts } = state.closings
  const found = parts.get(partition) ?? { fence: 0, lastDay: {}, days: { live: [], test: [] } }
  parts.set(partition, found)
  return found
}

/** Whether a lease with this fence may write in a partition; the partition then remembers it. */
const mayWrite = (part: PartRecord, fence: number): boolean => {
  if (part.fence > fence) return false
  part.fence = fence
  return true
}

/** Closings over the memory state. */
export const makeClosingStore = (state: MemoryState): ClosingStore["Service"] => {
  const { closings } = state
  const wholes = (mode: Mode) => closings.wholes.get(mode) ?? []
  return ClosingStore.of({
    claim: (holder, leaseMillis) =>
      atomicStep(state, (nowMillis) => {
        const { lease } = closings
        const isOver = lease === undefined || lease.untilMillis <= nowMillis
        if (!isOver && lease.holder !== holder) return undefined
        const fence = (lease?.fence ?? 0) + (isOver ? 1 : 0)
        closings.lease = { holder, fence, untilMillis: nowMillis + leaseMillis }
        return { fence, nowMillis }
      }),

    sellers: (partition, afterId, sellersMax) =>
      Effect.sync(() =>
        [...state.sellers.keys()]
          .filter((id) => partitionOf(state, id) === partition && id > afterId)
          .toSorted()
          .slice(0, sellersMax),
      ),

    closeSeller: ({ fence }, { sellerId, mode }, movements) =>
      atomicStep(state, () => {
        if (!mayWrite(partOf(state, partitionOf(state, sellerId)), fence)) return stale
        const name = feedName(sellerId, mode)
        const days = closings.sellers.get(name) ?? []
        closings.sellers.set(name, days)
        add(days, movements)
        return applied
      }),

    closePart: ({ fence }, partition, mode, movements) =>
      atomicStep(state, () => {
        const part = partOf(state, partition)
        if (!mayWrite(part, fence)) return stale
        if ((part.lastDay[mode] ?? "") >= movements.day) return applied
        if (Object.keys(movements.movements).length > 0) add(part.days[mode], movements)
        part.lastDay[mode] = movements.day
        return applied
      }),

    closeWhole: ({ fence }, mode, closing) =>
      atomicStep(state, (createdAtMillis) => {
        if (closings.lease?.fence !== fence) return stale
        const days = wholes(mode)
        closings.wholes.set(mode, days)
        add(days, { ...closing, createdAtMillis })
        return applied
      }),

    ofSeller: ({ sellerId, mode }, day) =>
      Effect.sync(() => newest(closings.sellers.get(feedName(sellerId, mode)), day)),
    ofPart: (partition, mode, day) =>
      Effect.sync(() => newest(closings.parts.get(partition)?.days[mode], day)),
    lastOfPart: (partition, mode) => Effect.sync(() => closings.parts.get(partition)?.lastDay[mode]),
    get: (mode, day) => Effect.sync(() => wholes(mode).find((closing) => closing.day === day)),
    list: (mode, beforeDay, limit) =>
      Effect.sync(() =>
        wholes(mode)
          .filter(({ day }) => beforeDay === undefined || day < beforeDay)
          .toReversed()
          .slice(0, limit),
      ),
  })
}
