import { transactionEventType } from "../../schema/events.ts"
import type { Transaction, TransactionStatus } from "../../schema/resources/transaction.ts"
import type { ChargeOutcome } from "../ports/acquirer.ts"
import type { StoredTransaction, Timer, TransitionCommit } from "../ports/transactionStore.ts"

/** The timers of a charge: `expire` at its time limit, `ask` when the acquirer should be asked what became of it. */
export const timerNames = { expire: "expire", ask: "ask" } as const

/** decisions 2: these transitions and no others; a late payment after expiry moved money, so it counts. */
const allowed: Readonly<Record<TransactionStatus, ReadonlyArray<TransactionStatus>>> = {
  pending: ["paid", "expired", "failed"],
  expired: ["paid"],
  paid: ["refunded", "chargeback"],
  failed: [],
  refunded: [],
  chargeback: [],
}

/** Whether a charge may go from one status to another. */
export const isAllowed = (from: TransactionStatus, to: TransactionStatus): boolean =>
  allowed[from].includes(to)

/** What a transition adds to the charge besides its status and time. */
export interface TransitionFacts {
  readonly endToEndId?: string
  readonly failureReason?: string
  /** When to ask the acquirer again, in ms from now. */
  readonly askAfterMillis?: number | undefined
}

const timestampField = {
  paid: "paid_at",
  expired: "expired_at",
  failed: "failed_at",
  refunded: "refunded_at",
  chargeback: "chargeback_at",
} as const

/**
 * The commit that takes a charge to another status, or undefined where that is a repeat or a regress.
 * The event is named after the new status and carries the whole charge (spec 6).
 */
export const decideTransition = (
  stored: StoredTransaction,
  to: Exclude<TransactionStatus, "pending">,
  facts: TransitionFacts,
  nowMillis: number,
): TransitionCommit | undefined => {
  if (!isAllowed(stored.status, to)) return undefined
  const before = JSON.parse(stored.document) as Transaction
  const after: Transaction = {
    ...before,
    status: to,
    end_to_end_id: facts.endToEndId ?? before.end_to_end_id,
    failure_reason: facts.failureReason ?? before.failure_reason,
    [timestampField[to]]: new Date(nowMillis).toISOString(),
  }
  const timers: Array<Timer> = []
  if (facts.askAfterMillis !== undefined) {
    timers.push({
      name: timerNames.ask,
      resourceId: stored.id,
      dueMillis: nowMillis + facts.askAfterMillis,
    })
  }
  return {
    sellerId: stored.sellerId,
    mode: stored.mode,
    transactionId: stored.id,
    expectedVersion: stored.version,
    from: stored.status,
    to,
    document: JSON.stringify(after),
    eventType: transactionEventType(to),
    postback: before.postback_url === null ? undefined : { url: before.postback_url },
    timers,
    timersDone:
      to === "expired"
        ? [timerNames.expire]
        : [timerNames.expire, ...(timers.length === 0 ? [timerNames.ask] : [])],
  }
}

/** The transition that the acquirer's word calls for, or undefined where nothing changes. */
export const decideOutcome = (
  stored: StoredTransaction,
  outcome: ChargeOutcome,
  nowMillis: number,
): TransitionCommit | undefined => {
  switch (outcome.status) {
    case "paid":
      return decideTransition(
        stored,
        "paid",
        { endToEndId: outcome.endToEndId, askAfterMillis: outcome.askAfterMillis },
        nowMillis,
      )
    case "failed":
      return decideTransition(stored, "failed", { failureReason: outcome.reason }, nowMillis)
    case "refunded":
    case "chargeback":
      return decideTransition(stored, outcome.status, {}, nowMillis)
    case "unchanged":
      return undefined
  }
}
