import type { StoredTransaction } from "../../actors/ports/transactionStore.ts"
import type { AttemptStatus } from "../../schema/resources/delivery.ts"

/** The record of an `Idempotency-Key` in the model. */
type KeyModel =
  | { readonly body: number; readonly execution: string; readonly leasedId: string; hasLapsed: boolean }
  | { readonly body: number; readonly execution: string; readonly doneBody: string }

/** One event owed to one destination. */
export interface DeliveryModel {
  readonly destinationId: string
  readonly seq: number
  attempts: number
  state: "queued" | "leased" | "lapsed" | AttemptStatus
  fence: number
}

export interface EventModel {
  readonly type: string
  readonly resourceId: string
  readonly data: string
}

/** A movement of money: what it gave, what it left, and the `seq` of its event. */
export interface EntryModel {
  readonly resourceId: string
  readonly gained: number
  readonly available: number
  readonly eventSeq: number | undefined
}

/** A destination of the model and its event types; postbacks get what their transition names. */
export interface SubscriptionModel {
  readonly destinationId: string
  readonly wants: (type: string) => boolean
}

/** The record of each `Idempotency-Key`. */
const makeKeys = () => {
  const keys = new Map<number, KeyModel>()

  /** The answer to a request under a key; undefined: the request goes on. */
  const answerTo = (key: number, body: number, execution: string) => {
    const found = keys.get(key)
    if (found === undefined) return undefined
    if (found.body !== body) return { kind: "mismatch" } as const
    if ("doneBody" in found) {
      if (found.execution === execution) return { kind: "created" } as const
      return { kind: "replay", status: 201, body: found.doneBody } as const
    }
    return found.execution === execution || found.hasLapsed ? undefined : ({ kind: "inProgress" } as const)
  }

  return {
    answerTo,
    executionOf: (key: number): string | undefined => keys.get(key)?.execution,
    end: (key: number, body: number, execution: string, doneBody: string) =>
      keys.set(key, { body, execution, doneBody }),
    hold: (key: number, body: number, execution: string, id: string) => {
      const found = keys.get(key)
      const leasedId = found !== undefined && "leasedId" in found ? found.leasedId : id
      keys.set(key, { body, execution, leasedId, hasLapsed: false })
      return leasedId
    },
    lapse: () => {
      for (const found of keys.values()) if ("leasedId" in found) found.hasLapsed = true
    },
  }
}

/**
 * The store in its simplest form, without queues, clocks or indexes: what a sequence of commands must lead to.
 * Everything queued is due; `lapse` ends all leases.
 */
export const makeModel = (subscriptions: ReadonlyArray<SubscriptionModel>) => {
  const keys = makeKeys()
  const charges: Array<StoredTransaction> = []
  const events: Array<EventModel> = []
  const deliveries: Array<DeliveryModel> = []
  const rows = new Map<string, DeliveryModel>()
  const timers = new Map<string, "due" | "leased">()
  const entries: Array<EntryModel> = []

  const owe = (destinationId: string) =>
    deliveries.push({ destinationId, seq: events.length, attempts: 0, state: "queued", fence: 0 })

  const append = (event: EventModel, postbackId: string | undefined) => {
    events.push(event)
    if (event.type === "transaction.created") return
    for (const { destinationId, wants } of subscriptions) if (wants(event.type)) owe(destinationId)
    if (postbackId !== undefined) owe(postbackId)
  }

  return {
    ...{ charges, events, deliveries, rows, timers, entries },

    /** The execution that holds or has ended a key. */
    executionOf: keys.executionOf,

    create: (key: number, body: number, execution: string, charge: StoredTransaction) => {
      const answer = keys.answerTo(key, body, execution)
      if (answer !== undefined) return answer
      keys.end(key, body, execution, charge.document)
      charges.push(charge)
      append({ type: "transaction.created", resourceId: charge.id, data: charge.document }, undefined)
      return { kind: "created" } as const
    },

    hold: (key: number, body: number, execution: string, id: string) =>
      keys.answerTo(key, body, execution) ??
      ({ kind: "claimed", transactionId: keys.hold(key, body, execution, id) } as const),

    move: (
      index: number,
      next: StoredTransaction,
      type: string | undefined,
      postbackId: string | undefined,
      gained: number,
    ) => {
      charges[index] = next
      if (type !== undefined) append({ type, resourceId: next.id, data: next.document }, postbackId)
      if (gained === 0) return
      const available = (entries.at(-1)?.available ?? 0) + gained
      const eventSeq = type === undefined ? undefined : events.length
      entries.push({ resourceId: next.id, gained, available, eventSeq })
    },

    claimable: (destinationId: string) =>
      deliveries.filter(
        (delivery) =>
          delivery.destinationId === destinationId &&
          (delivery.state === "queued" || delivery.state === "lapsed"),
      ),

    record: (delivery: DeliveryModel, deliveryId: string, status: AttemptStatus, hasNext: boolean) => {
      delivery.attempts += 1
      delivery.state = hasNext ? "queued" : status
      rows.set(deliveryId, delivery)
    },

    retry: (delivery: DeliveryModel) => {
      if (delivery.state === "success") return "succeeded"
      if (delivery.state !== "failed" && delivery.state !== "dead") return "scheduled"
      delivery.state = "queued"
      return "queued"
    },

    lapse: () => {
      for (const delivery of deliveries) if (delivery.state === "leased") delivery.state = "lapsed"
      for (const [name, state] of timers) if (state === "leased") timers.set(name, "due")
      keys.lapse()
    },
  }
}
export type Model = ReturnType<typeof makeModel>
