import type { Event } from "../../../../client/src/types.ts"
import type { Mode } from "../../../../schema/ids.ts"
import type { Refund } from "../../../../schema/resources/refund.ts"

/**
 * The share of a period's charges that is paid, 0 to 1, without those that may still be paid; undefined where none has ended. Charges
 * of earlier periods that are paid in this one do not exceed it.
 */
export const conversionOf = (created: number, paid: number, pending: number): number | undefined => {
  const ended = Math.max(paid, created - pending)
  return ended === 0 ? undefined : paid / ended
}

/** Newest first, each once, at most `limit`: what the feed brought, and what was read. */
export const mergedEvents = (
  newer: ReadonlyArray<Event>,
  older: ReadonlyArray<Event>,
  limit: number,
): ReadonlyArray<Event> => {
  const byId = new Map([...newer, ...older].map((event) => [event.id, event]))
  return [...byId.values()].sort((a, b) => b.seq - a.seq).slice(0, limit)
}

/** Whether the payer's bank took the money back, which is listed as a refund (`docs/contract/refunds.md#fields`). */
export const isChargeback = ({ origin, reason }: Pick<Refund, "origin" | "reason">): boolean =>
  origin === "partner" && reason !== null && reason.startsWith("MED_")

/** Whom an event names: who pays a charge; undefined where it names nobody. */
export const payerOfEvent = ({ data }: Pick<Event, "data">): string | undefined =>
  data.object.object === "transaction" ? data.object.customer.name : undefined

/** The page of what an event is about. */
export const pageOfEvent = ({ id, type, data }: Pick<Event, "id" | "type" | "data">): string => {
  const object: Readonly<Record<string, unknown>> = { ...data.object }
  const [family] = type.split(".")
  if (family === "transaction") return `/charges/${object.id}`
  if (family === "refund") return `/charges/${object.transaction_id}`
  if (family === "withdrawal") return `/withdrawals/${object.id}`
  return `/events?id=${id}`
}

/** Centavos of what an event is about; undefined where it has none, or where they are not what moved: of a part that went back, it tells the whole charge. */
export const amountOfEvent = ({ type, data }: Pick<Event, "type" | "data">): number | undefined => {
  if (type === "transaction.partially_refunded") return undefined
  const { amount }: Readonly<Record<string, unknown>> = { ...data.object }
  return typeof amount === "number" ? amount : undefined
}

/** What a seller's first steps depend on. */
export interface StepFacts {
  readonly hasCharge: boolean
  readonly hasEndpoint: boolean
  readonly hasKey: boolean
  readonly isApproved: boolean
}

export type StepName = "charge" | "webhook" | "key" | "live"

const orders: Readonly<Record<Mode, ReadonlyArray<StepName>>> = {
  test: ["charge", "webhook", "key", "live"],
  live: ["live", "key", "webhook", "charge"],
}

/** A newcomer's steps in a mode, in order; none once all are done. */
export const stepsOf = (
  mode: Mode,
  facts: StepFacts,
): ReadonlyArray<{ readonly name: StepName; readonly isDone: boolean }> => {
  const done: Readonly<Record<StepName, boolean>> = {
    charge: facts.hasCharge,
    webhook: facts.hasEndpoint,
    key: facts.hasKey,
    live: facts.isApproved,
  }
  const steps = orders[mode].map((name) => ({ name, isDone: done[name] }))
  return steps.every(({ isDone }) => isDone) ? [] : steps
}

/** An endpoint with what its deliveries of the last days show. */
export interface EndpointHealth {
  readonly isEnabled: boolean
  readonly isAutoDisabled: boolean
  /** 0 to 1; null where nothing was sent. */
  readonly successRate: number | null
}

/** Below this share of successes an endpoint counts as failing: a retry now and then is no failure. */
const healthySuccessRate = 0.95

/** Whether an endpoint needs its seller's attention. One that its seller turned off does not. */
export const isFailing = ({ isEnabled, isAutoDisabled, successRate }: EndpointHealth): boolean =>
  isAutoDisabled || (isEnabled && successRate !== null && successRate < healthySuccessRate)
