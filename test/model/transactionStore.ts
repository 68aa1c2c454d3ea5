import { Effect } from "effect"
import {
  type CreateTransactionCommit,
  type StoredTransaction,
  type TransactionPage,
  TransactionStore,
  type TransitionCommit,
  type TransitionOutcome,
} from "../../actors/ports/transactionStore.ts"
import { isFoundBy, paymentLinkOfCharge } from "../../actors/values/chargeLookups.ts"
import { type IndexedPlaces, searchTermsOf } from "../../actors/values/chargeSearch.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { timeOfId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { isKeyValid } from "./access.ts"
import { countCustomer } from "./customerStore.ts"
import { oweToPostback } from "./deliveries.ts"
import { isStale, writeException } from "./exceptionStore.ts"
import { appendEvent } from "./feeds.ts"
import { checkRequest, recordOf, writeRecord } from "./idempotency.ts"
import { fits, moveMoney } from "./ledger.ts"
import { holdPlace, linkRefusal, settleLink } from "./paymentLinkStore.ts"
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
  holdPlace(state, commit.paymentLinkId)
}

/** Whether a charge is as a change of it was decided on. */
export const guardOf = (
  state: MemoryState,
  decidedOn: Pick<StoredTransaction, "id" | "sellerId" | "mode" | "status" | "version">,
): "missing" | "stale" | undefined => {
  const found = state.transactions.get(decidedOn.id)
  if (found?.sellerId !== decidedOn.sellerId || found.mode !== decidedOn.mode) return "missing"
  return found.status === decidedOn.status && found.version === decidedOn.version ? undefined : "stale"
}

/** What any commit changes of a charge. */
type ChargeChange = Pick<TransitionCommit, "to" | "document" | "eventType" | "postback">

/** Writes a charge and appends its event; returns the event's entry id, if it has one. */
export const writeCharge = (
  state: MemoryState,
  nowMillis: number,
  transactionId: string,
  { to, document, eventType, postback }: ChargeChange,
): string | undefined => {
  const found = state.transactions.get(transactionId)
  if (found === undefined) return undefined
  state.transactions.set(transactionId, { ...found, status: to, version: found.version + 1, document })
  if (eventType === undefined) return undefined
  const feed = { sellerId: found.sellerId, mode: found.mode }
  const entry = appendEvent(state, nowMillis, feed, {
    type: eventType,
    resourceId: transactionId,
    data: document,
  })
  oweToPostback(state, nowMillis, feed, entry, postback)
  return entry.entryId
}

/** Creates the refund that a charge's commit books. */
const writeBooked = (state: MemoryState, nowMillis: number, commit: TransitionCommit): void => {
  const { refund, sellerId, mode, transactionId } = commit
  if (refund === undefined) return
  const account = state.transactions.get(transactionId)?.account
  state.refunds.set(refund.id, {
    ...{ id: refund.id, sellerId, mode, transactionId, status: "succeeded", version: 1 },
    ...{ document: refund.document, heldFromReserve: 0, ...(account === undefined ? {} : { account }) },
  })
  const event = { type: refund.eventType, resourceId: refund.id, data: refund.document }
  appendEvent(state, nowMillis, { sellerId, mode }, event)
}

const transition = (state: MemoryState, nowMillis: number, commit: TransitionCommit): TransitionOutcome => {
  const { sellerId, mode, transactionId } = commit
  const feed = { sellerId, mode }
  const decidedOn = { ...feed, id: transactionId, status: commit.from, version: commit.expectedVersion }
  const refused = guardOf(state, decidedOn)
  if (refused !== undefined) return { kind: refused }
  if (isStale(state, transactionId, commit.exception)) return { kind: "stale" }
  if (!fits(state, feed, commit.movement)) return { kind: "overflow" }
  writeBooked(state, nowMillis, commit)
  const entryId = writeCharge(state, nowMillis, transactionId, commit)
  moveMoney(state, nowMillis, feed, commit.movement, entryId)
  writeException(state, nowMillis, commit.exception)
  // Dropped before set: a transition may set a timer anew that it ends.
  for (const name of commit.timersDone) dropTimer(state, transactionId, name)
  setTimers(state, commit.timers)
  countCustomer(state, transactionId, commit.customer)
  settleLink(state, nowMillis, commit)
  return { kind: "applied" }
}

const page = (
  state: MemoryState,
  principal: Principal,
  {
    status,

    fromMillis = 0,
    toMillis = Number.POSITIVE_INFINITY,
    beforeId,
    limit,
  }: TransactionPage,
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

/** The id, as often as the index would have the charge for a word. */
const entriesOf = (id: string, document: string, word: IndexedPlaces): ReadonlyArray<string> => {
  if (word.kind === "end_to_end_id") return isFoundBy(document, word) ? [id] : []
  const terms = searchTermsOf(document)
  return word.prefixes.flatMap((prefix) => terms.filter((term) => term.startsWith(prefix)).map(() => id))
}

/** TransactionStore over the memory state. */
export const makeTransactionStore = (state: MemoryState): TransactionStore["Service"] =>
  TransactionStore.of({
    lookUp: (principal, words, countMax) =>
      atomicStep(state, (nowMillis) => {
        if (!isKeyValid(state, nowMillis, principal)) return { kind: "keyInvalid" }
        const own = [...state.transactions.values()].filter((charge) => isOf(principal, charge))
        const found = words.map((word) => own.flatMap(({ id, document }) => entriesOf(id, document, word)))
        const [fewest = []] = found.toSorted((one, other) => one.length - other.length)
        return fewest.length > countMax ? undefined : [...new Set(fewest)].toSorted().toReversed()
      }),

    find: (principal, by, countMax) =>
      Effect.sync(() =>
        [...state.transactions.values()]
          .filter((charge) => isOf(principal, charge) && isFoundBy(charge.document, by))
          .sort((left, right) => (left.id < right.id ? 1 : -1))
          .slice(0, countMax),
      ),

    create: (commit) =>
      atomicStep(state, (nowMillis) => {
        const answer = checkRequest(state, nowMillis, commit.principal, commit.idempotency)
        if (answer !== undefined) return answer.kind === "doneByUs" ? { kind: "created" } : answer
        const closed = linkRefusal(state, commit.paymentLinkId)
        if (closed !== undefined) return closed
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

    loadMany: (ids) => atomicStep(state, () => ids.flatMap((id) => state.transactions.get(id) ?? [])),

    list: (principal, query) =>
      atomicStep(state, (nowMillis) =>
        isKeyValid(state, nowMillis, principal) ? page(state, principal, query) : { kind: "keyInvalid" },
      ),

    listOfTerms: (principal, terms, query) =>
      atomicStep(state, (nowMillis) => {
        if (!isKeyValid(state, nowMillis, principal)) return { kind: "keyInvalid" }
        const all = page(state, principal, {
          ...query,
          status: undefined,
          limit: Number.POSITIVE_INFINITY,
        })
        return all
          .filter(({ document, customer }) =>
            [customer, paymentLinkOfCharge(document)].some(
              (term) => term !== undefined && terms.includes(term),
            ),
          )
          .slice(0, query.limit)
      }),
  })
