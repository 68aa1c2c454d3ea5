import { Schema } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { attemptTexts, endpointDisabled, hostOf, judge } from "../../../actors/endpoint/attemptPlan.ts"
import type { ClaimedDelivery } from "../../../actors/ports/deliveryQueue.ts"
import type { AttemptResult } from "../../../actors/ports/sender.ts"
import { eventIdOf, makeId } from "../../../schema/ids.ts"
import { Delivery } from "../../../schema/resources/delivery.ts"
import { specDelaysMillis } from "../support/process.ts"

const retriable = { outcome: "failed", retriable: true } as const
const final = { outcome: "failed", retriable: false } as const
const success = { outcome: "success", retriable: false } as const

describe("the verdict on an attempt", () => {
  it.each([
    [1, 60_000],
    [2, 300_000],
    [3, 1_800_000],
    [4, 7_200_000],
    [5, 43_200_000],
  ])("an attempt that fails as number %i is retried after %i ms", (attempt, retryInMillis) => {
    expect(judge(retriable, attempt, specDelaysMillis)).toEqual({ status: "failed", retryInMillis })
  })

  it.each([6, 7, 12])("an attempt that fails as number %i leaves the delivery dead", (attempt) => {
    expect(judge(retriable, attempt, specDelaysMillis)).toEqual({ status: "dead", retryInMillis: undefined })
  })

  it("an attempt that succeeds or fails for good is the last, whatever its number", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), (attempt) => {
        expect(judge(success, attempt, specDelaysMillis)).toEqual({
          status: "success",
          retryInMillis: undefined,
        })
        expect(judge(final, attempt, specDelaysMillis)).toEqual({
          status: "failed",
          retryInMillis: undefined,
        })
      }),
    )
  })

  it("a delivery is retried once per delay of any schedule and is then dead", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 8 }), (delaysMillis) => {
        const verdicts = [...delaysMillis, 0].map((_, index) => judge(retriable, index + 1, delaysMillis))

        expect(verdicts.slice(0, -1)).toEqual(
          delaysMillis.map((retryInMillis) => ({ status: "failed", retryInMillis })),
        )
        expect(verdicts.at(-1)?.status).toBe("dead")
      }),
    )
  })
})

const millis = Date.parse("2026-11-21T00:07:35.123Z")
const sellerId = makeId("sel_", millis, 0, new Uint8Array(14))
const endpointId = makeId("we_", millis, 0, new Uint8Array(14))
const deliveryId = makeId("whd_", millis, 0, new Uint8Array(14))

const claimed = (target: "endpoint" | "postback" | "tracker"): ClaimedDelivery => ({
  destination: {
    id: target === "endpoint" ? endpointId : "pb_00abc",
    sellerId,
    mode: "live",
    target,
    url: "https://shop.example/hooks",
    enabled: true,
    isDeleted: false,
    headers: undefined,
    urlPassword: undefined,
    secrets: [],
  },
  entry: {
    entryId: `${millis}-0`,
    seq: 1,
    type: "transaction.paid",
    resourceId: "txn_1",
    internal: false,
    data: "{}",
  },
  attempt: 3,
  deliveryId: undefined,
  fence: 1,
  manual: false,
})

const answered: AttemptResult = {
  outcome: "failed",
  retriable: true,
  error: "http_503",
  statusCode: 503,
  responseMillis: 42,
  responseBodyExcerpt: 'come "back"\nlater',
  requestHeaders: { "X-Attempt": "3" },
  requestPath: "/webhooks?of=shop",
  targetHost: "shop.example",
}

describe("the row and the detail of an attempt", () => {
  const textsOf = (
    target: "endpoint" | "postback" | "tracker",
    outcome: Parameters<typeof attemptTexts>[2],
  ) => attemptTexts(claimed(target), deliveryId, outcome, { status: "failed", retryInMillis: 1 })

  it("an attempt's row is the contract's; its detail adds the request's path and headers, and the response's body", () => {
    const { row, detail } = textsOf("endpoint", answered)

    expect(JSON.parse(row)).toEqual({
      id: deliveryId,
      event_id: eventIdOf({ sellerId, mode: "live" }, `${millis}-0`),
      event_type: "transaction.paid",
      endpoint_id: endpointId,
      target: "endpoint",
      attempt: 3,
      status: "failed",
      status_code: 503,
      response_ms: 42,
      error: "http_503",
      created_at: "2026-11-21T00:07:35.123Z",
      target_host: "shop.example",
    })
    expect(Schema.decodeUnknownSync(Delivery)(JSON.parse(row))).toEqual(JSON.parse(row))
    expect(JSON.parse(detail)).toEqual({
      request_headers: { "X-Attempt": "3" },
      response_body_excerpt: 'come "back"\nlater',
      path: "/webhooks?of=shop",
    })
  })

  it.each(["postback", "tracker"] as const)("the row of a %s attempt names no endpoint", (target) => {
    expect(JSON.parse(textsOf(target, answered).row)).toMatchObject({ endpoint_id: null, target })
  })

  it("the row of an attempt that was not made has its error, and its detail no request", () => {
    const outcome = endpointDisabled("shop.example")
    const { row, detail } = textsOf("endpoint", outcome)

    expect(judge(outcome, 1, specDelaysMillis)).toEqual({ status: "failed", retryInMillis: undefined })
    expect(JSON.parse(row)).toMatchObject({
      error: "endpoint_disabled",
      status_code: null,
      response_ms: null,
      target_host: "shop.example",
    })
    expect(JSON.parse(detail)).toEqual({ request_headers: {}, response_body_excerpt: null, path: null })
  })
})

describe("the host of a URL", () => {
  it.each([
    ["https://shop.example/hooks?a=1", "shop.example"],
    ["https://shop.example:443/", "shop.example"],
    ["https://shop.example:8443/", "shop.example:8443"],
    ["not a url", ""],
    ["", ""],
  ])("the host of the URL %j is %j", (url, host) => {
    expect(hostOf(url)).toBe(host)
  })
})
