import type { TransitionOutcome } from "../../actors/ports/transactionStore.ts"
import {
  type CreateWithdrawalCommit,
  type StoredWithdrawal,
  type WithdrawalPage,
  type WithdrawalPreconditions,
  WithdrawalStore,
  type WithdrawalTransition,
} from "../../actors/ports/withdrawalStore.ts"
import type { IdempotencyScope } from "../../actors/values/idempotency.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { timeOfId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { isWithdrawalOver } from "../../schema/resources/withdrawal.ts"
import { isKeyValid } from "./access.ts"
import { isStale, writeException } from "./exceptionStore.ts"
import { appendEvent } from "./feeds.ts"
import { checkRequest, expireRecord, writeRecord } from "./idempotency.ts"
import { balanceOf, fits, moveMoney } from "./ledger.ts"
import { atomicStep, type MemoryState, partitionOf } from "./state.ts"
import { dropTimer, setTimers } from "./timerQueue.ts"

const isOf = (principal: Principal, found: { readonly sellerId: string; readonly mode: string }): boolean =>
  found.sellerId === principal.sellerId && found.mode === principal.mode

const preconditionsOf = (
  state: MemoryState,
  principal: Principal,
  pixKeyId: string,
  day: string,
): WithdrawalPreconditions | undefined => {
  const seller = state.sellers.get(principal.sellerId)?.seller
  if (seller === undefined) return undefined
  const pixKey = state.pixKeys.get(pixKeyId)
  const { amounts, days, openWithdrawalId } = balanceOf(state, principal)
  return {
    seller,
    pixKey: pixKey !== undefined && isOf(principal, pixKey) ? pixKey : undefined,
    available: amounts.available,
    openWithdrawalId,
    day: { ...(days.get(day) ?? { value: 0, count: 0 }) },
  }
}

/** Whether everything is still as it was decided on, and enough is available. */
const isAsDecided = (state: MemoryState, commit: CreateWithdrawalCommit): boolean => {
  const { decidedOn, principal, withdrawal, total } = commit
  const now = preconditionsOf(state, principal, decidedOn.pixKeyId, withdrawal.day)
  return (
    now !== undefined &&
    now.seller.version === decidedOn.sellerVersion &&
    now.pixKey?.version === decidedOn.pixKeyVersion &&
    now.pixKey.status === "verified" &&
    now.day.value === decidedOn.day.value &&
    now.day.count === decidedOn.day.count &&
    now.openWithdrawalId === undefined &&
    now.available >= total &&
    fits(state, principal, commit.movement)
  )
}

const writeCreation = (state: MemoryState, nowMillis: number, commit: CreateWithdrawalCommit): void => {
  const { principal, withdrawal, idempotency } = commit
  partitionOf(state, withdrawal.id)
  state.withdrawals.set(withdrawal.id, { ...withdrawal, version: 1 })
  const event = { type: commit.eventType, resourceId: withdrawal.id, data: withdrawal.document }
  const { entryId } = appendEvent(state, nowMillis, principal, event)
  const balance = balanceOf(state, principal)
  const day = balance.days.get(withdrawal.day) ?? { value: 0, count: 0 }
  balance.days.set(withdrawal.day, { value: day.value + commit.amount, count: day.count + 1 })
  moveMoney(state, nowMillis, principal, commit.movement, entryId)
  balance.openWithdrawalId = withdrawal.id
  setTimers(state, commit.timers)
  const done = { kind: "done", status: 201, body: withdrawal.document } as const
  writeRecord(state, nowMillis, principal, idempotency, done)
  expireRecord(state, principal, idempotency, Number.POSITIVE_INFINITY)
}

const endWithdrawal = (state: MemoryState, nowMillis: number, change: WithdrawalTransition): void => {
  const { withdrawal, dayValueBack } = change
  const balance = balanceOf(state, withdrawal)
  if (balance.openWithdrawalId === withdrawal.id) balance.openWithdrawalId = undefined
  const day = balance.days.get(withdrawal.day)
  if (day !== undefined) day.value -= dayValueBack
  expireRecord(state, withdrawal, withdrawal.idempotency, nowMillis + limits.idempotencyRetentionMillis)
}

const transition = (
  state: MemoryState,
  nowMillis: number,
  change: WithdrawalTransition,
): TransitionOutcome => {
  const { withdrawal, to, document } = change
  const found = state.withdrawals.get(withdrawal.id)
  if (found === undefined) return { kind: "missing" }
  if (found.status !== withdrawal.status || found.version !== withdrawal.version) return { kind: "stale" }
  const seller = state.sellers.get(withdrawal.sellerId)?.seller
  if (change.sellerVersion !== undefined && seller?.version !== change.sellerVersion) return { kind: "stale" }
  const { available } = balanceOf(state, withdrawal).amounts
  if (change.availableMin !== undefined && available < change.availableMin) return { kind: "stale" }
  if (isStale(state, withdrawal.id, change.exception)) return { kind: "stale" }
  if (!fits(state, withdrawal, change.movement)) return { kind: "overflow" }
  state.withdrawals.set(withdrawal.id, { ...found, status: to, document, version: found.version + 1 })
  const event = { type: change.eventType, resourceId: withdrawal.id, data: document }
  const { entryId } = appendEvent(state, nowMillis, withdrawal, event)
  moveMoney(state, nowMillis, withdrawal, change.movement, entryId)
  writeException(state, nowMillis, change.exception)
  // What happens to one that is over ends nothing.
  if (isWithdrawalOver(to) && !isWithdrawalOver(withdrawal.status)) endWithdrawal(state, nowMillis, change)
  // Dropped before set: a transition may set a timer anew that it ends.
  for (const name of change.timersDone) dropTimer(state, withdrawal.id, name)
  setTimers(state, change.timers)
  return { kind: "applied" }
}

const newestFirst = (left: StoredWithdrawal, right: StoredWithdrawal): number => (left.id < right.id ? 1 : -1)

const page = (
  state: MemoryState,
  principal: Principal,
  { status, fromMillis = 0, toMillis = Number.POSITIVE_INFINITY, beforeId, limit }: WithdrawalPage,
): ReadonlyArray<StoredWithdrawal> =>
  [...state.withdrawals.values()]
    .filter((found) => {
      const millis = timeOfId(found.id)
      return (
        isOf(principal, found) &&
        (status === undefined || found.status === status) &&
        (beforeId === undefined || found.id < beforeId) &&
        millis >= fromMillis &&
        millis <= toMillis
      )
    })
    .sort(newestFirst)
    .slice(0, limit)

const readPreconditions =
  (state: MemoryState) =>
  (principal: Principal, idempotency: IdempotencyScope, pixKeyId: string, day: string) =>
    atomicStep(state, (nowMillis) => {
      const answer = checkRequest(state, nowMillis, principal, idempotency)
      if (answer !== undefined) {
        return answer.kind === "doneByUs" ? ({ ...answer, kind: "replay" } as const) : answer
      }
      const found = preconditionsOf(state, principal, pixKeyId, day)
      return found === undefined
        ? ({ kind: "sellerNotAllowed" } as const)
        : ({ kind: "open", ...found } as const)
    })

/** WithdrawalStore over the memory state. */
export const makeWithdrawalStore = (state: MemoryState): WithdrawalStore["Service"] =>
  WithdrawalStore.of({
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
        const found = state.withdrawals.get(id)
        return found !== undefined && isOf(principal, found) ? found : undefined
      }),

    load: (id) => atomicStep(state, () => state.withdrawals.get(id)),

    loadMany: (ids) => atomicStep(state, () => ids.flatMap((id) => state.withdrawals.get(id) ?? [])),

    list: (principal, query) =>
      atomicStep(state, (nowMillis) =>
        isKeyValid(state, nowMillis, principal) ? page(state, principal, query) : { kind: "keyInvalid" },
      ),

    listForOperator: ({ status, mode, beforeId, limit }) =>
      atomicStep(state, () =>
        [...state.withdrawals.values()]
          .filter((found) => found.status === status && found.mode === mode)
          .filter(({ id }) => beforeId === undefined || id < beforeId)
          .sort(newestFirst)
          .slice(0, limit),
      ),

    listOldestForOperator: ({ status, mode, afterId, limit }) =>
      atomicStep(state, () =>
        [...state.withdrawals.values()]
          .filter((found) => found.status === status && found.mode === mode)
          .filter(({ id }) => afterId === undefined || id > afterId)
          .sort((left, right) => -newestFirst(left, right))
          .slice(0, limit),
      ),
  })
