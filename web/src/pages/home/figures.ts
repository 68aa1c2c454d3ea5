import type { Event } from "../../../../client/src/types.ts"
import type { Mode } from "../../../../schema/ids.ts"
import type { Point } from "../../ui/series.ts"

/** The sum of a series. */
export const sumOf = (points: ReadonlyArray<Point>): number =>
  points.reduce((sum, { value }) => sum + (value ?? 0), 0)

/** The share of today's charges that is paid, 0 to 1; undefined while there are none. Those of yesterday paid today do not exceed it. */
export const conversionOf = (created: number, paid: number): number | undefined =>
  created === 0 ? undefined : Math.min(1, paid / created)

/** Newest first, each once, at most `limit`: what the feed brought, and what was read. */
export const mergedEvents = (
  newer: ReadonlyArray<Event>,
  older: ReadonlyArray<Event>,
  limit: number,
): ReadonlyArray<Event> => {
  const byId = new Map([...newer, ...older].map((event) => [event.id, event]))
  return [...byId.values()].sort((a, b) => b.seq - a.seq).slice(0, limit)
}

/** The page of what an event is about. */
export const pageOfEvent = ({ id, type, data }: Pick<Event, "id" | "type" | "data">): string => {
  const object: Readonly<Record<string, unknown>> = { ...data.object }
  const [family] = type.split(".")
  if (family === "transaction") return `/charges/${object.id}`
  if (family === "refund") return `/charges/${object.transaction_id}`
  if (family === "withdrawal") return `/withdrawals/${object.id}`
  return `/events?id=${id}`
}

/** Centavos of what an event is about; undefined where it has none. */
export const amountOfEvent = ({ data }: Pick<Event, "data">): number | undefined => {
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
export const healthySuccessRate = 0.95

/** Whether an endpoint needs its seller's attention. One that its seller turned off does not. */
export const isFailing = ({ isEnabled, isAutoDisabled, successRate }: EndpointHealth): boolean =>
  isAutoDisabled || (isEnabled && successRate !== null && successRate < healthySuccessRate)
