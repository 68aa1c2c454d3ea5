import { pingEventType } from "../../../../schema/events.ts"
import type { AttemptFault } from "../../../../schema/names.ts"
import type { Delivery } from "../../../../schema/resources/delivery.ts"
import type { Endpoint } from "../../../../schema/resources/endpoint.ts"

/** Headers of a tracker as people type them: `Name: value`, one a line; undefined where a line is none. */
export const parseHeaders = (text: string): Readonly<Record<string, string>> | undefined => {
  const headers: Record<string, string> = {}
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue
    const match = /^\s*(?<name>[^\s:]+)\s*:(?<value>.*)$/.exec(line)
    if (match?.groups?.name === undefined) return undefined
    headers[match.groups.name] = (match.groups.value ?? "").trim()
  }
  return headers
}

/** An entry of `GET /v1/me/event-types`, as far as a form needs it. */
export interface EventTypeInfo {
  readonly type: string
  readonly subscribable: boolean
  readonly description: string
}

/** Types of one family, such as `transaction`. */
export interface Family {
  readonly name: string
  readonly types: ReadonlyArray<EventTypeInfo>
}

/** The types that can be subscribed to, by family, in the catalog's order. */
export const familiesOf = (catalog: ReadonlyArray<EventTypeInfo>): ReadonlyArray<Family> => {
  const families = new Map<string, Array<EventTypeInfo>>()
  for (const info of catalog) {
    if (!info.subscribable) continue
    const name = info.type.slice(0, Math.max(0, info.type.indexOf(".")))
    families.set(name, [...(families.get(name) ?? []), info])
  }
  return [...families].map(([name, types]) => ({ name, types }))
}

/** A subscription after a type was turned on or off: `*` is every type, so it stands alone. */
export const toggled = (
  events: ReadonlyArray<string>,
  type: string,
  isOn: boolean,
): ReadonlyArray<string> => {
  const others = events.filter((name) => name !== type)
  if (!isOn) return others
  return type === "*" ? ["*"] : [...others.filter((name) => name !== "*"), type]
}

/** A subscription after a whole family was turned on or off. */
export const familyToggled = (
  events: ReadonlyArray<string>,
  { types }: Family,
  isOn: boolean,
): ReadonlyArray<string> => types.reduce((chosen, { type }) => toggled(chosen, type, isOn), events)

/** How the delivery of an event to a destination stands: `trying` has another attempt to come. */
export const deliveryStates = ["received", "trying", "failed"] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** Failures after which nothing is tried again (`docs/contract/deliveries.md#outcomes`). */
const finalFaults: ReadonlySet<string> = new Set<AttemptFault>([
  "endpoint_disabled",
  "blocked_destination",
  "missing_secret",
])

/** How a delivery stands by its newest attempt. Pings and test events are sent once. */
export const stateOf = ({ status, error, event_type, test_event }: Delivery): DeliveryState => {
  if (status === "success") return "received"
  const isOnce = event_type === pingEventType || test_event === true
  return status === "dead" || isOnce || finalFaults.has(error ?? "") ? "failed" : "trying"
}

/** The newest attempt to which the destination answered badly or not at all: those that were never sent tell nothing of it. */
export const lastFailureOf = (attempts: ReadonlyArray<Delivery>): Delivery | undefined =>
  attempts.find(({ status, error }) => status !== "success" && !finalFaults.has(error ?? ""))

/** One event owed to one destination. */
export interface EventDelivery {
  readonly key: string
  /** Its number tells how many attempts there were, and all before it failed: a delivery that was received is not sent again. */
  readonly newest: Delivery
  readonly state: DeliveryState
}

const keyOf = ({ event_id, endpoint_id, target, target_host }: Delivery): string =>
  [event_id, endpoint_id ?? target, target_host].join(" ")

/** The deliveries that attempts belong to, in the order of their newest attempts. `attempts` are newest first. */
export const deliveriesOf = (attempts: ReadonlyArray<Delivery>): ReadonlyArray<EventDelivery> => {
  const byKey = new Map<string, EventDelivery>()
  for (const attempt of attempts) {
    const key = keyOf(attempt)
    const known = byKey.get(key)
    // Attempts under way at once may end in another order.
    if (known === undefined || known.newest.attempt < attempt.attempt)
      byKey.set(key, { key, newest: attempt, state: stateOf(attempt) })
  }
  return [...byKey.values()]
}

/** Whether a delivery may be sent again with others: it failed for good, and a real event is in it. */
export const isResendable = ({ newest, state }: EventDelivery): boolean =>
  state === "failed" && newest.event_type !== pingEventType && newest.test_event !== true

/** The deliveries, by their attempts, newest first, that a recovery sends again. */
export const failedOf = (attempts: ReadonlyArray<Delivery>): ReadonlyArray<EventDelivery> =>
  deliveriesOf(attempts).filter(isResendable)

/** When the first attempt of those that a recovery sends again was made; undefined where there are none. */
export const firstFailureAt = (attempts: ReadonlyArray<Delivery>): string | undefined => {
  const failed = new Set(failedOf(attempts).map(({ key }) => key))
  return attempts.findLast((attempt) => failed.has(keyOf(attempt)))?.created_at
}

/** How many deliveries a recovery of a period sends again: those that failed, of which any attempt was made in it. */
export const failedIn = (
  attempts: ReadonlyArray<Delivery>,
  { since, until }: { readonly since: string; readonly until: string | undefined },
): number => {
  const tried = new Set(
    attempts
      .filter(({ created_at }) => created_at >= since && (until === undefined || created_at <= until))
      .map(keyOf),
  )
  return failedOf(attempts).filter(({ key }) => tried.has(key)).length
}

/** Why sending again would record a failure and send nothing: the endpoint is disabled, or deleted. */
export type Obstacle = "off" | "gone"

/** What keeps a delivery from being sent; undefined: nothing. Postbacks and trackers are never disabled. `endpoints` are all of the mode. */
export const obstacleOf = (
  { endpoint_id }: Pick<Delivery, "endpoint_id">,
  endpoints: ReadonlyArray<Endpoint>,
): Obstacle | undefined => {
  if (endpoint_id === null) return undefined
  const endpoint = endpoints.find(({ id }) => id === endpoint_id)
  if (endpoint === undefined) return "gone"
  return endpoint.enabled ? undefined : "off"
}

/** Deliveries by whether their destinations take any now. */
export interface Sendable {
  readonly sendable: ReadonlyArray<EventDelivery>
  readonly disabled: ReadonlyArray<{
    readonly endpoint: Endpoint
    readonly deliveries: ReadonlyArray<EventDelivery>
  }>
  /** Those of deleted endpoints. */
  readonly gone: ReadonlyArray<EventDelivery>
}

/** Tells deliveries that can be sent from those that would only be recorded as failed. `endpoints` are all of the mode. */
export const sendableTo = (
  deliveries: ReadonlyArray<EventDelivery>,
  endpoints: ReadonlyArray<Endpoint>,
): Sendable => {
  const of = ({ id }: Endpoint) => deliveries.filter(({ newest }) => newest.endpoint_id === id)
  const withObstacle = (obstacle: Obstacle | undefined) =>
    deliveries.filter(({ newest }) => obstacleOf(newest, endpoints) === obstacle)
  return {
    sendable: withObstacle(undefined),
    disabled: endpoints
      .filter((endpoint) => !endpoint.enabled)
      .map((endpoint) => ({ endpoint, deliveries: of(endpoint) }))
      .filter((each) => each.deliveries.length > 0),
    gone: withObstacle("gone"),
  }
}

/** What {@link narrowed} looks for; undefined: all. */
export interface DeliveryFilters {
  readonly state?: DeliveryState | undefined
  /** The HTTP status of the newest answer; `none` for no answer. */
  readonly code?: string | undefined
}

/** The answer of a delivery's newest attempt as {@link DeliveryFilters} names it. */
export const codeOf = ({ newest }: EventDelivery): string => String(newest.status_code ?? "none")

/** The deliveries in a state and with an answer. */
export const narrowed = (
  deliveries: ReadonlyArray<EventDelivery>,
  { state, code }: DeliveryFilters,
): ReadonlyArray<EventDelivery> =>
  deliveries.filter(
    (delivery) =>
      (state === undefined || delivery.state === state) && (code === undefined || codeOf(delivery) === code),
  )

/** Subscriptions that are offered by name. */
export const presets = ["payments", "all", "choose"] as const
export type Preset = (typeof presets)[number]

/** The types of a named subscription: those of charges, or all. */
export const presetEvents = (
  preset: Exclude<Preset, "choose">,
  catalog: ReadonlyArray<EventTypeInfo>,
): ReadonlyArray<string> =>
  preset === "all"
    ? ["*"]
    : (familiesOf(catalog).find(({ name }) => name === "transaction")?.types ?? []).map(({ type }) => type)

/** The name of a subscription; `choose` for one that no other name has. */
export const presetOf = (events: ReadonlyArray<string>, catalog: ReadonlyArray<EventTypeInfo>): Preset =>
  (["payments", "all"] as const).find((preset) => {
    const named = presetEvents(preset, catalog)
    return named.length === events.length && named.every((type) => events.includes(type))
  }) ?? "choose"
