import {
  type EventType,
  partiallyRefundedEventType,
  transactionEventType,
} from "../../../../schema/events.ts"
import type { Delivery } from "../../../../schema/resources/delivery.ts"
import type { Refund } from "../../../../schema/resources/refund.ts"
import type { Transaction } from "../../../../schema/resources/transaction.ts"

/** Something that happened to a charge. */
export interface ChargeStep {
  /** The type of its event. */
  readonly type: string
  readonly at: string
  /** Centavos that it is about; undefined where none are. */
  readonly amount?: number
  /** Whether they came in, went out, or stayed where they were. */
  readonly moves?: "in" | "out"
  /** Its event, while that is kept. */
  readonly eventId?: string
}

/** An event, as far as a timeline needs it. */
interface KnownEvent {
  readonly id: string
  readonly type: string
  readonly created_at: string
}

const returnsOf = ({ amount, refunds, status }: Transaction): ReadonlyArray<ChargeStep> => {
  let returned = 0
  return refunds.map((refund) => {
    const isLast = returned < amount && returned + refund.amount >= amount
    returned += refund.amount
    const isOver = isLast && (status === "refunded" || status === "chargeback")
    const type = isOver ? transactionEventType(status) : partiallyRefundedEventType
    return { type, at: refund.created_at, amount: refund.amount, moves: "out" }
  })
}

/** What the charge itself and its refunds tell, which outlives their events. */
const ownSteps = (charge: Transaction, refunds: ReadonlyArray<Refund>): ReadonlyArray<ChargeStep> => {
  const { amount } = charge
  const at = (
    type: EventType,
    moment: string | null,
    rest: Partial<ChargeStep> = {},
  ): ReadonlyArray<ChargeStep> => (moment === null ? [] : [{ type, at: moment, ...rest }])
  return [
    ...at("transaction.created", charge.created_at, { amount }),
    ...at("transaction.expired", charge.expired_at),
    ...at("transaction.failed", charge.failed_at),
    ...at("transaction.paid", charge.paid_at, { amount, moves: "in" }),
    // What begins at the bank is over when it is known.
    ...refunds
      .filter(({ origin }) => origin !== "partner")
      .flatMap((refund) => [
        ...at("refund.created", refund.created_at, { amount: refund.amount }),
        ...(refund.status === "failed"
          ? at("refund.failed", refund.completed_at, { amount: refund.amount })
          : []),
      ]),
    ...returnsOf(charge),
  ]
}

/** The charge says it itself: `transaction.refunded` and the like. */
const saidTwice: ReadonlySet<string> = new Set<EventType>(["refund.succeeded"])

/**
 * What happened to a charge, in order: what it tells itself, each with its event, and events of other kinds. The first step of a type has
 * the first event of that type, and so on. `events` come newest first, as lists do.
 */
export const chargeSteps = (
  charge: Transaction,
  refunds: ReadonlyArray<Refund>,
  events: ReadonlyArray<KnownEvent>,
): ReadonlyArray<ChargeStep> => {
  const own = ownSteps(charge, refunds.toReversed()).toSorted((a, b) =>
    a.at < b.at ? -1 : Number(a.at > b.at),
  )
  const left = events.filter(({ type }) => !saidTwice.has(type)).reverse()
  const steps = own.map((step) => {
    const index = left.findIndex(({ type }) => type === step.type)
    const [event] = index === -1 ? [] : left.splice(index, 1)
    return event === undefined ? step : { ...step, eventId: event.id }
  })
  const others = left.map(({ id, type, created_at }) => ({ type, at: created_at, eventId: id }))
  return [...steps, ...others].toSorted((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)))
}

/** How an event fared at its destinations. */
export interface Told {
  /** Every attempt, newest first. */
  readonly attempts: ReadonlyArray<Delivery>
  /** The newest attempt at each destination. */
  readonly newest: ReadonlyArray<Delivery>
  readonly received: number
  /** The newest attempts at destinations that have not received it. */
  readonly failing: ReadonlyArray<Delivery>
}

const destinationOf = ({ target, endpoint_id, target_host }: Delivery): string =>
  [target, endpoint_id, target_host].join(" ")

/** The attempts to deliver one event, of a list that is newest first. */
export const toldOf = (attempts: ReadonlyArray<Delivery>): Told => {
  const destinations = attempts.map(destinationOf)
  const newest = attempts.filter((_, index) => destinations.indexOf(destinations[index] ?? "") === index)
  const failing = newest.filter((attempt) => attempt.status !== "success")
  return { attempts, newest, received: newest.length - failing.length, failing }
}
