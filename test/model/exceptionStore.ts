import {
  type ExceptionChange,
  type ExceptionCommit,
  type ExceptionCredit,
  type ExceptionEffect,
  type ExceptionPage,
  ExceptionStore,
  type NewException,
  type StoredException,
} from "../../actors/ports/exceptionStore.ts"
import { raiseAlert } from "./alertStore.ts"
import { appendEvent } from "./feeds.ts"
import { fits, moveMoney } from "./ledger.ts"
import { atomicStep, type MemoryState, partitionOf } from "./state.ts"
import { dropTimer, setTimers } from "./timerQueue.ts"

/** The name of a fact in the partition of an id. */
const factName = (state: MemoryState, idOfPartition: string, fact: string): string =>
  `${partitionOf(state, idOfPartition)}:${fact}`

const open = (
  state: MemoryState,
  nowMillis: number,
  exception: NewException,
): { readonly kind: "opened" | "exists"; readonly id: string } => {
  const name = factName(state, exception.id, exception.fact)
  const known = state.exceptionFacts.get(name)
  if (known !== undefined) return { kind: "exists", id: known }
  state.exceptionFacts.set(name, exception.id)
  state.exceptions.set(exception.id, { ...exception, state: "open", version: 1, pending: "" })
  const { kind, mode, sellerId } = exception
  if (kind === "payout_stuck" && sellerId !== undefined) {
    raiseAlert(state, nowMillis, { sellerId, mode }, "payout_stuck", exception.id)
  }
  return { kind: "opened", id: exception.id }
}

/** Whether an exception is as a change of it was decided on. */
const guardOf = (state: MemoryState, { exception }: ExceptionChange): "missing" | "stale" | undefined => {
  const found = state.exceptions.get(exception.id)
  if (found === undefined) return "missing"
  return found.version === exception.version ? undefined : "stale"
}

const write = (state: MemoryState, { exception, to, document, pending }: ExceptionChange): void => {
  const found = state.exceptions.get(exception.id)
  if (found === undefined) return
  state.exceptions.set(exception.id, {
    ...found,
    ...{ state: to, document, pending, version: found.version + 1 },
  })
}

/** Whether what a resource's commit does to an exception was decided on another version of it. */
export const isStale = (
  state: MemoryState,
  resourceId: string,
  effect: ExceptionEffect | undefined,
): boolean => {
  if (effect === undefined) return false
  const { id } = effect.kind === "open" ? effect.exception : effect.change.exception
  if (partitionOf(state, id) !== partitionOf(state, resourceId)) {
    throw new RangeError(`${id} is not in the partition of ${resourceId}`)
  }
  return effect.kind === "change" && guardOf(state, effect.change) !== undefined
}

/** Writes what a commit does to an exception besides. */
export const writeException = (
  state: MemoryState,
  nowMillis: number,
  effect: ExceptionEffect | undefined,
): void => {
  if (effect?.kind === "open") open(state, nowMillis, effect.exception)
  if (effect?.kind === "change") write(state, effect.change)
}

const commit = (
  state: MemoryState,
  { change, timers, timersDone }: ExceptionCommit,
): { readonly kind: "applied" | "stale" | "missing" } => {
  const refused = guardOf(state, change)
  if (refused !== undefined) return { kind: refused }
  write(state, change)
  // Dropped before set: a commit may set a timer anew that it ends.
  for (const name of timersDone) dropTimer(state, change.exception.id, name)
  setTimers(state, timers)
  return { kind: "applied" }
}

const credit = (
  state: MemoryState,
  nowMillis: number,
  { exceptionId, feed, movement, eventType, resourceId, document }: ExceptionCredit,
): { readonly kind: "applied" | "overflow" | "missing" } => {
  const name = factName(state, feed.sellerId, `credited:${exceptionId}`)
  if (state.exceptionFacts.has(name)) return { kind: "applied" }
  if (!state.sellers.has(feed.sellerId)) return { kind: "missing" }
  if (!fits(state, feed, movement)) return { kind: "overflow" }
  state.exceptionFacts.set(name, exceptionId)
  const { entryId } = appendEvent(state, nowMillis, feed, { type: eventType, resourceId, data: document })
  moveMoney(state, nowMillis, feed, movement, entryId)
  return { kind: "applied" }
}

const page = (
  state: MemoryState,
  { state: inState, kind, beforeId, limit }: ExceptionPage,
): ReadonlyArray<StoredException> =>
  [...state.exceptions.values()]
    .filter((found) => inState === undefined || found.state === inState)
    .filter((found) => kind === undefined || found.kind === kind)
    .filter(({ id }) => beforeId === undefined || id < beforeId)
    .sort((left, right) => (left.id < right.id ? 1 : -1))
    .slice(0, limit)

/** ExceptionStore over the memory state. */
export const makeExceptionStore = (state: MemoryState): ExceptionStore["Service"] =>
  ExceptionStore.of({
    open: (exception) => atomicStep(state, (nowMillis) => open(state, nowMillis, exception)),
    load: (id) => atomicStep(state, () => state.exceptions.get(id)),
    findFact: (idOfPartition, fact) =>
      atomicStep(state, () => {
        const id = state.exceptionFacts.get(factName(state, idOfPartition, fact))
        return id === undefined ? undefined : state.exceptions.get(id)
      }),
    commit: (change) => atomicStep(state, () => commit(state, change)),
    credit: (change) => atomicStep(state, (nowMillis) => credit(state, nowMillis, change)),
    list: (query) => atomicStep(state, () => page(state, query)),
    countOpen: (kinds) =>
      atomicStep(
        state,
        () =>
          [...state.exceptions.values()].filter(
            (found) => found.state === "open" && found.mode === "live" && kinds.includes(found.kind),
          ).length,
      ),
  })
