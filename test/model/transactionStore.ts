import {
  type CreateTransactionCommit,
  type StoredTransaction,
  type TransactionPage,
  TransactionStore,
  type TransitionCommit,
  type TransitionOutcome,
} from "../../actors/ports/transactionStore.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { timeOfId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { isKeyValid } from "./access.ts"
import { oweToPostback } from "./deliveries.ts"
import { appendEvent } from "./feeds.ts"
import { checkRequest, recordOf, writeRecord } from "./idempotency.ts"
import { fits, moveMoney } from "./ledger.ts"
import { atomicStep, type MemoryState, partitionOf } from "./state.ts"
import { dropTimer, setTimers } from "./timerQueue.ts"

const isOf = (principal: Principal, transaction: StoredTransaction): boolean =>
  transaction.sellerId === principal.sellerId && transaction.mode === principal.mode

const writeCreation = (state: MemoryState, nowMillis: number, commit: CreateTransactionCommit): void => {
  const { principal, transaction } = commit
  partitionOf(state, transaction.id)
  state.transactions.set(transaction.id, { ...transaction, version: 1 })
  const event = { type: commit.eventType, resourceId: transaction.id, data: transaction.document }
  appendEvent(state, nowMillis, principal, event)
  setTimers(state, commit.timers)
  writeRecord(state, nowMillis, principal, commit.idempotency, {
    kind: "done",
    status: 201,
    body: transaction.document,
  })
}

const transition = (state: MemoryState, nowMillis: number, commit: TransitionCommit): TransitionOutcome => {
  const found = state.transactions.get(commit.transactionId)
  if (found?.sellerId !== commit.sellerId || found.mode !== commit.mode) return { kind: "missing" }
  if (found.status !== commit.from || found.version !== commit.expectedVersion) return { kind: "stale" }
  const { sellerId, mode, transactionId, document } = commit
  if (!fits(state, { sellerId, mode }, commit.movement)) return { kind: "overflow" }
  const version = found.version + 1
  state.transactions.set(transactionId, { ...found, status: commit.to, version, document })
  const feed = { sellerId, mode }
  let entryId: string | undefined
  if (commit.eventType !== undefined) {
    const event = { type: commit.eventType, resourceId: transactionId, data: document }
    const entry = appendEvent(state, nowMillis, feed, event)
    oweToPostback(state, nowMillis, feed, entry, commit.postback)
    entryId = entry.entryId
  }
  moveMoney(state, nowMillis, feed, commit.movement, entryId)
  // Dropped before set: a transition may set a timer anew that it ends.
  for (const name of commit.timersDone) dropTimer(state, transactionId, name)
  setTimers(state, commit.timers)
  return { kind: "applied" }
}

const page = (
  state: MemoryState,
  principal: Principal,
  { status, fromMillis = 0, toMillis = Number.POSITIVE_INFINITY, beforeId, limit }: TransactionPage,
): ReadonlyArray<StoredTransaction> =>
  [...state.transactions.values()]
    .filter((transaction) => {
      const millis = timeOfId(transaction.id)
      return (
        isOf(principal, transaction) &&
        (status === undefined || transaction.status === status) &&
        (beforeId === undefined || transaction.id < beforeId) &&
        millis >= fromMillis &&
        millis <= toMillis
      )
    })
    .sort((left, right) => (left.id < right.id ? 1 : -1))
    .slice(0, limit)

/** TransactionStore over the memory state. */
export const makeTransactionStore = (state: MemoryState): TransactionStore["Service"] =>
  TransactionStore.of({
    create: (commit) =>
      atomicStep(state, (nowMillis) => {
        const answer = checkRequest(state, nowMillis, commit.principal, commit.idempotency)
        if (answer !== undefined) return answer.kind === "doneByUs" ? { kind: "created" } : answer
        writeCreation(state, nowMillis, commit)
        return { kind: "created" }
      }),

    claim: (principal, idempotency, transactionId) =>
      atomicStep(state, (nowMillis) => {
        const answer = checkRequest(state, nowMillis, principal, idempotency)
        if (answer !== undefined) return answer.kind === "doneByUs" ? { ...answer, kind: "replay" } : answer
        const stored = recordOf(state, nowMillis, principal, idempotency)?.state
        const claimedId = stored?.kind === "leased" ? stored.transactionId : transactionId
        writeRecord(state, nowMillis, principal, idempotency, {
          kind: "leased",
          leaseUntilMillis: nowMillis + limits.idempotencyLeaseMillis,
          transactionId: claimedId,
        })
        return { kind: "claimed", transactionId: claimedId }
      }),

    peek: (principal, idempotency) =>
      atomicStep(state, (nowMillis) => {
        const answer = checkRequest(state, nowMillis, principal, idempotency)
        if (answer === undefined) return { kind: "none" }
        return answer.kind === "doneByUs" ? { ...answer, kind: "replay" } : answer
      }),

    saveAnswer: (principal, idempotency, status, body) =>
      atomicStep(state, (nowMillis) => {
        const answer = checkRequest(state, nowMillis, principal, idempotency)
        if (answer !== undefined) return answer.kind === "doneByUs" ? { kind: "saved" } : answer
        writeRecord(state, nowMillis, principal, idempotency, { kind: "done", status, body })
        return { kind: "saved" }
      }),

    transition: (commit) => atomicStep(state, (nowMillis) => transition(state, nowMillis, commit)),

    get: (principal, transactionId) =>
      atomicStep(state, (nowMillis) => {
        if (!isKeyValid(state, nowMillis, principal)) return { kind: "keyInvalid" }
        const found = state.transactions.get(transactionId)
        return found !== undefined && isOf(principal, found) ? found : undefined
      }),

    load: (transactionId) => atomicStep(state, () => state.transactions.get(transactionId)),

    list: (principal, query) =>
      atomicStep(state, (nowMillis) =>
        isKeyValid(state, nowMillis, principal) ? page(state, principal, query) : { kind: "keyInvalid" },
      ),
  })
