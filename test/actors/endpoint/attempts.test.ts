import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { DeliveryQueue } from "../../../actors/ports/deliveryQueue.ts"
import { EventLog } from "../../../actors/ports/eventLog.ts"
import { limits } from "../../../schema/limits.ts"
import { MemoryStore } from "../../model/state.ts"
import { specDelaysMillis, startProcess } from "../support/process.ts"
import { down, hangs, ok, type Reception } from "../support/scriptedSender.ts"
import { pass } from "../support/settle.ts"
import { attemptsOf, createCharge, openEndpoint, openShop, type Shop } from "../support/shop.ts"
import { onStore } from "../support/store.ts"

const postbackUrl = "https://shop.example/postback"
const postback = { body: { postback_url: postbackUrl } }
/** How long after their creation charges are paid, which is their one delivered event. */
const paidAfterMillis = 3_000

const open = (reception: Reception = ok) =>
  Effect.gen(function* () {
    const shop = yield* openShop()
    const endpoint = yield* openEndpoint(shop.test)
    const process = yield* startProcess()
    process.receivers.script(endpoint.url, reception)
    return { shop, endpoint, process, receivers: process.receivers }
  })

/** Changes what is stored of an endpoint, as its seller does. */
const changeEndpoint = (id: string, changes: { readonly enabled?: boolean; readonly deleted?: boolean }) =>
  Effect.map(MemoryStore, ({ endpoints }) => {
    const record = endpoints.get(id)
    if (record !== undefined) Object.assign(record, changes)
  })

/** Number, status, error and target of each attempt. */
const outcomesOf = (shop: Shop) =>
  Effect.map(attemptsOf(shop.test), (rows) =>
    rows.map(({ attempt, status, error, target }) => ({ attempt, status, error, target })),
  )

/** Lets twice the first retry delay pass. */
const pastFirstRetry = pass(2 * (specDelaysMillis[0] ?? 0))
/** Lets the second retry delay pass, and a little more. */
const pastSecondRetry = pass((specDelaysMillis[1] ?? 0) + 10_000)

describe("an attempt", () => {
  it.effect("an attempt carries the event with its document restored, and the endpoint's own secret", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, endpoint, process, receivers } = yield* open()
        const charge = yield* createCharge(process, shop.test)
        yield* pass(paidAfterMillis)
        const [sent] = receivers.sentTo(endpoint.url)
        const body = JSON.parse(sent?.body ?? "{}")

        assert.deepInclude(sent, {
          secrets: [`secret-of-${endpoint.id}`],
          secretRequired: true,
          eventType: "transaction.paid",
          attempt: 1,
        })
        assert.deepInclude(body, {
          id: sent?.eventId,
          object: "event",
          type: "transaction.paid",
          mode: "test",
        })
        assert.notProperty(body, "internal")
        assert.strictEqual(body.data.object.id, charge.id)
        assert.strictEqual(body.data.object.customer.document, "52998224725")
        assert.match(sent?.deliveryId ?? "", /^whd_/)
      }),
    ),
  )

  it.effect("a postback's attempt uses the seller's secret and is independent of the endpoint's", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, endpoint, process, receivers } = yield* open(hangs)
        yield* createCharge(process, shop.test, postback)
        yield* pass(paidAfterMillis)
        const [toPostback] = receivers.sentTo(postbackUrl)
        const [toEndpoint] = receivers.sentTo(endpoint.url)

        assert.deepStrictEqual(toPostback?.secrets, ["secret-of-postbacks"])
        assert.strictEqual(toPostback?.eventId, toEndpoint?.eventId)
        assert.notStrictEqual(toPostback?.deliveryId, toEndpoint?.deliveryId)
        assert.deepStrictEqual(yield* outcomesOf(shop), [
          { attempt: 1, status: "success", error: null, target: "postback" },
        ])
      }),
    ),
  )

  it.effect("an event goes only to endpoints that subscribe to it, and an internal event to none", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const all = yield* openEndpoint(shop.test)
        const paid = yield* openEndpoint(shop.test, ["transaction.paid"])
        const expired = yield* openEndpoint(shop.test, ["transaction.expired"])
        const live = yield* openEndpoint(shop.live)
        const process = yield* startProcess()
        yield* createCharge(process, shop.test)
        yield* pass(60_000)
        const typesAt = ({ url }: { readonly url: string }) =>
          process.receivers.sentTo(url).map(({ eventType }) => eventType)

        assert.deepStrictEqual(typesAt(all), ["transaction.paid"])
        assert.deepStrictEqual(typesAt(paid), ["transaction.paid"])
        assert.deepStrictEqual(typesAt(expired), [])
        assert.deepStrictEqual(typesAt(live), [])
        assert.strictEqual((yield* (yield* EventLog).readAfter(shop.test, "0", 10)).length, 2)
      }),
    ),
  )

  it.effect("an attempt is recorded with the receiver's answer and the request's headers", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* open({ outcome: 503, takesMillis: 120 })
        yield* createCharge(process, shop.test)
        yield* pass(paidAfterMillis + 120)
        const [row] = yield* attemptsOf(shop.test)
        const stored = yield* (yield* DeliveryQueue).get(shop.test, row?.id ?? "")
        if (stored === undefined || "kind" in stored) return assert.fail("no attempt")

        assert.deepInclude(row, { status: "failed", status_code: 503, response_ms: 120, error: "http_503" })
        assert.deepStrictEqual(JSON.parse(stored.detail), {
          request_headers: { "X-Attempt": "1" },
          response_body_excerpt: "answer 503",
          path: "/",
        })
      }),
    ),
  )

  for (const [outcome, error] of [
    [404, "http_404"],
    [500, "http_500"],
    ["redirect_not_followed", "redirect_not_followed"],
    ["timeout", "timeout"],
    ["connection_error", "connection_error"],
  ] as const) {
    it.effect(`an attempt is made again after ${error}`, () =>
      onStore(
        Effect.gen(function* () {
          const { shop, process, receivers } = yield* open({ outcome })
          yield* createCharge(process, shop.test)
          yield* pass(paidAfterMillis + 60_000)

          assert.deepStrictEqual(
            (yield* outcomesOf(shop)).map((row) => [row.attempt, row.status, row.error]),
            [
              [1, "failed", error],
              [2, "failed", error],
            ],
          )
          assert.strictEqual(receivers.sent.length, 2)
        }),
      ),
    )
  }

  for (const status of [200, 201, 204, 299]) {
    it.effect(`an attempt that is answered ${status} is a success and the last`, () =>
      onStore(
        Effect.gen(function* () {
          const { shop, process, receivers } = yield* open({ outcome: status })
          yield* createCharge(process, shop.test)
          yield* pass(paidAfterMillis)
          yield* pastFirstRetry

          assert.deepStrictEqual(yield* outcomesOf(shop), [
            { attempt: 1, status: "success", error: null, target: "endpoint" },
          ])
          assert.strictEqual(receivers.sent.length, 1)
        }),
      ),
    )
  }
})

describe("a delivery that cannot be made", () => {
  for (const [what, changes] of [
    ["disabled", { enabled: false }],
    ["deleted", { deleted: true }],
  ] as const) {
    it.effect(`a retry ends unsent as endpoint_disabled when its endpoint was ${what} after the event`, () =>
      onStore(
        Effect.gen(function* () {
          const { shop, endpoint, process, receivers } = yield* open(down)
          yield* createCharge(process, shop.test)
          yield* pass(paidAfterMillis)
          yield* changeEndpoint(endpoint.id, changes)
          yield* pastFirstRetry
          yield* pastSecondRetry

          assert.strictEqual(receivers.sent.length, 1)
          assert.deepStrictEqual(yield* outcomesOf(shop), [
            { attempt: 1, status: "failed", error: "http_500", target: "endpoint" },
            { attempt: 2, status: "failed", error: "endpoint_disabled", target: "endpoint" },
          ])
          const last = (yield* attemptsOf(shop.test)).at(-1)
          assert.deepInclude(last, {
            status_code: null,
            response_ms: null,
            target_host: new URL(endpoint.url).host,
          })
        }),
      ),
    )
  }

  it.effect("a delivery to a blocked destination ends as blocked_destination and is not retried", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* open({ outcome: "blocked_destination" })
        yield* createCharge(process, shop.test)
        yield* pass(paidAfterMillis)
        yield* pastFirstRetry

        assert.deepStrictEqual(yield* outcomesOf(shop), [
          { attempt: 1, status: "failed", error: "blocked_destination", target: "endpoint" },
        ])
      }),
    ),
  )

  it.effect("a postback of a seller without a postback secret ends as missing_secret, without a retry", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop({ hasPostbackSecret: false })
        const process = yield* startProcess()
        yield* createCharge(process, shop.test, postback)
        yield* pass(paidAfterMillis)
        yield* pastFirstRetry

        assert.deepStrictEqual(yield* outcomesOf(shop), [
          { attempt: 1, status: "failed", error: "missing_secret", target: "postback" },
        ])
      }),
    ),
  )
})

describe("an endpoint's actor", () => {
  it.effect("an endpoint's actor leaves memory while nothing is due and returns when its retry is", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, receivers } = yield* open(down)
        yield* createCharge(process, shop.test)
        yield* pass(paidAfterMillis + 60_000)
        // It looks once more when its claim's lease would have ended.
        const leavesAfterMillis = limits.deliveryLeaseMillis + limits.actorIdleMillis
        yield* pass(leavesAfterMillis - 1)
        assert.strictEqual(process.endpoints.size(), 1)
        yield* pass(1)
        assert.strictEqual(process.endpoints.size(), 0)
        yield* pass(300_000 - leavesAfterMillis - 1)
        assert.strictEqual(receivers.sent.length, 2)
        yield* pass(1)

        assert.strictEqual(receivers.sent.length, 3)
      }),
    ),
  )
})
