import { assert } from "@effect/vitest"
import { Effect } from "effect"
import {
  type AttemptPage,
  type AttemptRecord,
  type ClaimedDelivery,
  DeliveryQueue,
} from "../../actors/ports/deliveryQueue.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { eventIdOf } from "../../schema/ids.ts"
import type { Delivery } from "../../schema/resources/delivery.ts"
import { freshIdBeside } from "./fixtures.ts"

/** How an attempt ended, and whether there is a next one. */
export interface Outcome {
  readonly status: AttemptRecord["status"]
  readonly retryInMillis?: number
  readonly disablingEvent?: AttemptRecord["disablingEvent"]
}
export const succeeded: Outcome = { status: "success" }
export const failedForGood: Outcome = { status: "failed" }
export const failedToRetry: Outcome = { status: "failed", retryInMillis: 0 }
export const dead: Outcome = { status: "dead" }

/** The record of a claimed attempt, under the id promised to it or a fresh one. */
export const recordOf = (claimed: ClaimedDelivery, outcome: Outcome): Effect.Effect<AttemptRecord> =>
  Effect.map(freshIdBeside("whd_", claimed.destination.sellerId), (freshId) => {
    const { destination, entry, fence, attempt } = claimed
    const deliveryId = claimed.deliveryId ?? freshId
    const row: Delivery = {
      id: deliveryId,
      event_id: eventIdOf(destination, entry.entryId),
      event_type: entry.type,
      endpoint_id: destination.target === "endpoint" ? destination.id : null,
      target: destination.target,
      attempt,
      status: outcome.status,
      status_code: outcome.status === "success" ? 204 : 500,
      response_ms: 12,
      error: outcome.status === "success" ? null : "http_500",
      created_at: "2026-11-21T00:07:35.123Z",
      target_host: "shop.example",
    }
    return {
      ...{ destination, entry, fence, attempt, deliveryId },
      status: outcome.status,
      row: JSON.stringify(row),
      detail: JSON.stringify({
        request_headers: { "x-attempt": `${attempt}` },
        response_body_excerpt: `"ok"\n`,
      }),
      retryInMillis: outcome.retryInMillis,
      disablingEvent: outcome.disablingEvent,
    }
  })

/** Records a claimed attempt and returns its delivery id; the record must be accepted. */
export const record = (claimed: ClaimedDelivery, outcome: Outcome) =>
  Effect.gen(function* () {
    const attempt = yield* recordOf(claimed, outcome)
    const { kind } = yield* (yield* DeliveryQueue).record(attempt)
    assert.notStrictEqual(kind, "stale")
    return attempt.deliveryId
  })

/** Claims what is due at a destination. */
export const claimAll = (destinationId: string, deliveriesMax = 100) =>
  Effect.map(
    Effect.flatMap(DeliveryQueue, (queue) => queue.claim(destinationId, deliveriesMax)),
    (answer) => answer.claimed,
  )

/** Claims the one delivery that is due at a destination. */
export const claimOne = (destinationId: string) =>
  Effect.map(claimAll(destinationId), (claimed) => {
    assert.strictEqual(claimed.length, 1, "deliveries due")
    return claimed[0] as ClaimedDelivery
  })

/** The first page of all rows. */
export const everyAttempt: AttemptPage = {
  endpointId: undefined,
  eventId: undefined,
  eventType: undefined,
  status: undefined,
  fromMillis: undefined,
  toMillis: undefined,
  beforeId: undefined,
  limit: 100,
}

/** One page of the delivery list. */
export const attemptPage = (owner: Principal, page: Partial<AttemptPage>) =>
  Effect.gen(function* () {
    const answer = yield* (yield* DeliveryQueue).list(owner, { ...everyAttempt, ...page })
    if ("kind" in answer) return yield* Effect.die(new Error(answer.kind))
    return { ...answer, rows: answer.rows.map((row): Delivery => JSON.parse(row)) }
  })

/** All rows that a filter finds, page by page. */
export const allAttempts = (owner: Principal, page: Partial<AttemptPage> = {}) =>
  Effect.gen(function* () {
    const rows: Array<Delivery> = []
    let beforeId = page.beforeId
    do {
      const answer = yield* attemptPage(owner, { ...page, beforeId })
      assert.isAtMost(answer.rows.length, page.limit ?? everyAttempt.limit)
      rows.push(...answer.rows)
      beforeId = answer.nextBeforeId
    } while (beforeId !== undefined)
    return rows
  })
