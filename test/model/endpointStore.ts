import { Effect } from "effect"
import { type EndpointScope, EndpointStore, type RecoveryWindow } from "../../actors/ports/endpointStore.ts"
import { timeOfId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { oweAgain, oweNow, oweToEndpoint, waitingPage } from "./deliveries.ts"
import { appendEvent, keptEntry } from "./feeds.ts"
import { beginOutage, endOutage, missedEntries } from "./outages.ts"
import { shownMillis } from "./sellerClock.ts"
import { endpointFields } from "./sellerStore.ts"
import { atomicStep, type EndpointRecord, type MemoryState, type OwedDelivery } from "./state.ts"

const hourMillis = 60 * 60 * 1000

/** The endpoint, if it is the feed's and not deleted. */
const find = (state: MemoryState, { feed, endpointId }: EndpointScope): EndpointRecord | undefined => {
  const record = state.endpoints.get(endpointId)
  if (record === undefined || record.deleted) return undefined
  const { sellerId, mode } = record.endpoint
  return sellerId === feed.sellerId && mode === feed.mode ? record : undefined
}

const setEnabled = (state: MemoryState, record: EndpointRecord, enabled: boolean): void => {
  if (record.enabled === enabled) return
  if (enabled) endOutage(state, record)
  else beginOutage(state, record)
  record.enabled = enabled
  record.disabledReason = enabled ? undefined : "manual"
  record.autoDisabledAtMillis = undefined
  if (!enabled) return
  record.deadStreak = 0
  record.failing = undefined
}

/** What is to be owed, in the place of its event. */
interface Owing {
  readonly seq: number
  readonly owe: (nowMillis: number) => void
}

const oweInOrder = (some: ReadonlyArray<Owing>, nowMillis: number): ReadonlyArray<Owing> => {
  for (const { owe } of some.toSorted((left, right) => left.seq - right.seq)) owe(nowMillis)
  return some
}

/** The failed and dead deliveries of an enabled endpoint that had an attempt in a window. */
const failedIn = (
  state: MemoryState,
  scope: EndpointScope,
  { fromMillis, toMillis }: RecoveryWindow,
): ReadonlyArray<Owing> => {
  const destination = state.destinations.get(scope.endpointId)
  if (!find(state, scope)?.enabled || destination === undefined) return []
  const again = new Map<OwedDelivery, number>()
  for (const { destinationId, entryId, deliveryId } of state.attempts.values()) {
    const delivery = destination.deliveries.get(entryId)
    const atMillis = timeOfId(deliveryId)
    const isMeant = destinationId === scope.endpointId && atMillis >= fromMillis && atMillis <= toMillis
    if (!isMeant || (delivery?.state !== "failed" && delivery?.state !== "dead")) continue
    const entry = keptEntry(state, scope.feed, entryId)
    if (entry === undefined || entry.type === "ping") continue
    again.set(delivery, entry.seq)
  }
  return [...again].map(([delivery, seq]) => ({
    seq,
    owe: (nowMillis) => oweAgain(state, destination, delivery, nowMillis),
  }))
}

/** The events of a window that an enabled endpoint missed and that are not owed to it. */
const missedBy = (
  state: MemoryState,
  scope: EndpointScope,
  window: RecoveryWindow,
  nowMillis: number,
): ReadonlyArray<Owing> => {
  const record = find(state, scope)
  const destination = state.destinations.get(scope.endpointId)
  if (!record?.enabled || destination === undefined) return []
  return missedEntries(state, nowMillis, record, window)
    .filter(({ entryId }) => !destination.deliveries.has(entryId))
    .map((entry) => ({
      seq: entry.seq,
      owe: (at) => oweToEndpoint(state, destination, record.endpoint, entry, at),
    }))
}

/** EndpointStore over the memory state. */
export const makeEndpointStore = (state: MemoryState): EndpointStore["Service"] =>
  EndpointStore.of({
    get: (scope) =>
      atomicStep(state, () => {
        const record = find(state, scope)
        return record && endpointFields(record)
      }),

    update: (scope, { url, urlPassword, events, description, enabled, ordering }) =>
      atomicStep(state, () => {
        const record = find(state, scope)
        if (record === undefined) return undefined
        record.endpoint = {
          ...record.endpoint,
          ...(url === undefined ? {} : { url }),
          ...(urlPassword === undefined ? {} : { urlPassword }),
          ...(events === undefined ? {} : { events }),
          ...(description === undefined ? {} : { description: description || undefined }),
          ...(ordering === undefined ? {} : { ordering }),
        }
        if (enabled !== undefined) setEnabled(state, record, enabled)
        return endpointFields(record)
      }),

    delete: (scope, operation) =>
      atomicStep(state, () => {
        const record = find(state, scope)
        if (record === undefined) {
          const isOurs = state.endpoints.get(scope.endpointId)?.deletedBy === operation
          return { kind: isOurs ? "deleted" : "missing" }
        }
        record.deleted = true
        record.endpoint = { ...record.endpoint, urlPassword: undefined }
        record.enabled = false
        record.deletedBy = operation
        return { kind: "deleted" }
      }),

    rotateSecret: (scope, secret, secretPrefix) =>
      atomicStep(state, (nowMillis) => {
        const record = find(state, scope)
        if (record === undefined) return { kind: "missing" }
        const { previousSecret, endpoint } = record
        if (endpoint.secret === secret && previousSecret !== undefined) {
          return { kind: "rotated", previousUntilMillis: previousSecret.untilMillis }
        }
        const untilMillis = nowMillis + limits.rotationGraceMillis
        record.previousSecret = { secret: endpoint.secret, untilMillis }
        record.endpoint = { ...endpoint, secret, secretPrefix }
        return { kind: "rotated", previousUntilMillis: untilMillis }
      }),

    ping: (scope, { deliveryId, data }) =>
      atomicStep(state, (nowMillis) => {
        const record = find(state, scope)
        const destination = state.destinations.get(scope.endpointId)
        if (record === undefined || destination === undefined) return { kind: "missing" }
        if (record.lastPingId === deliveryId) return { kind: "queued" }
        record.lastPingId = deliveryId
        const event = { type: "ping", resourceId: scope.endpointId, data }
        const entry = appendEvent(state, nowMillis, scope.feed, event, { fansOut: false })
        oweNow(state, destination, entry, nowMillis).promisedId = deliveryId
        return { kind: "queued" }
      }),

    stats: (scope) =>
      atomicStep(state, (nowMillis) => {
        const record = find(state, scope)
        if (record === undefined) return undefined
        const oldest =
          Math.floor(shownMillis(state, scope.feed, nowMillis) / hourMillis) - limits.endpointStatsHours
        const counted = [...state.attempts.values()].filter(
          ({ destinationId, eventType, recordedAtMillis }) =>
            destinationId === scope.endpointId &&
            eventType !== "ping" &&
            Math.floor(shownMillis(state, scope.feed, recordedAtMillis) / hourMillis) >= oldest,
        )
        return {
          attempts: counted.length,
          successes: counted.filter(({ status }) => status === "success").length,
          lastPingAtMillis: record.lastPing?.atMillis,
          lastPingSucceeded: record.lastPing?.succeeded,
        }
      }),

    waiting: (scope, page) =>
      atomicStep(state, () => {
        const destination = state.destinations.get(scope.endpointId)
        if (find(state, scope) === undefined || destination === undefined) return undefined
        return waitingPage((entryId) => keptEntry(state, scope.feed, entryId)?.type, destination.turns, page)
      }),

    recover: (scope, window) =>
      atomicStep(state, (nowMillis) => oweInOrder(failedIn(state, scope, window), nowMillis).length),

    recoverMissed: Effect.fnUntraced(function* (scope, window, pause, again) {
      const failedNow = () => (again === undefined ? [] : failedIn(state, scope, again))
      const { failed, missed, upToSeq } = yield* atomicStep(state, (nowMillis) => {
        const owing = { failed: failedNow(), missed: missedBy(state, scope, window, nowMillis) }
        const lastSeq = Math.max(...owing.missed.map(({ seq }) => seq))
        oweInOrder([...owing.failed.filter(({ seq }) => seq < lastSeq), ...owing.missed], nowMillis)
        return { ...owing, upToSeq: lastSeq }
      })
      yield* pause
      // What failed after the last missed event follows, unless the endpoint was disabled meanwhile.
      const later = yield* atomicStep(state, (nowMillis) => {
        const still = new Set(failedNow().map(({ seq }) => seq))
        return oweInOrder(
          failed.filter(({ seq }) => seq > upToSeq && still.has(seq)),
          nowMillis,
        ).length
      })
      return { queued: failed.filter(({ seq }) => seq < upToSeq).length + later, missed: missed.length }
    }),
  })
