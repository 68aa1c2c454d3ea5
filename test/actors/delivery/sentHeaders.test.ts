import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sentHeaders, storedHeaders } from "../../../actors/delivery/sentHeaders.ts"
import { makeId } from "../../../schema/ids.ts"
import type { Delivery } from "../../../schema/resources/delivery.ts"
import { attemptHeaders } from "../../../src/delivery/sender/headers.ts"

const millis = Date.parse("2026-11-21T00:07:35.123Z")
const row: Delivery = {
  id: makeId("whd_", millis, 0, new Uint8Array(14)),
  event_id: "evt_01KA0000000700000000000000",
  event_type: "transaction.paid",
  endpoint_id: null,
  target: "tracker",
  attempt: 3,
  status: "success",
  status_code: 200,
  response_ms: 12,
  error: null,
  created_at: new Date(millis).toISOString(),
  target_host: "shop.example",
}
const secrets = [
  "whsec_K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN0000",
  "whsec_M5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN0000",
]

/** What an attempt of the row may send: signed or not, once or twice, traced or not, with headers of a tracker. */
const anyHeaders = fc
  .record({
    signed: fc.nat(2),
    traceId: fc.constantFrom(undefined, "0af7651916cd43dd8448eb211c80319c"),
    extraHeaders: fc.dictionary(
      fc.constantFrom("X-Api-Key", "authorization", "toString", "1", "X-Signature", "Content-Type"),
      fc.constantFrom("", "3f6d2c", "***"),
    ),
  })
  .map(({ signed, ...rest }) =>
    attemptHeaders(
      {
        url: "https://shop.example/",
        body: "{}",
        secrets: secrets.slice(0, signed),
        secretRequired: false,
        eventId: row.event_id,
        eventType: row.event_type,
        deliveryId: row.id,
        attempt: row.attempt,
        ...rest,
      },
      Buffer.from("{}"),
      Math.floor(millis / 1_000),
    ),
  )

const throughJson = <A>(value: A): A => JSON.parse(JSON.stringify(value))

describe("the headers of an attempt as they are stored", () => {
  it("whatever headers an attempt sent are read back from what is stored, in the same order", () => {
    fc.assert(
      fc.property(anyHeaders, (sent) => {
        const stored = throughJson(storedHeaders(row, sent))

        expect(Object.entries(sentHeaders(row, stored))).toEqual(Object.entries(sent))
      }),
    )
  })

  it("headers that follow from an attempt's row or its signature are not stored", () => {
    fc.assert(
      fc.property(anyHeaders, (sent) => {
        const stored = storedHeaders(row, sent)

        for (const value of [row.id, row.event_id, row.event_type, "application/json"]) {
          expect(Object.values(stored)).not.toContain(value)
        }
        expect("webhook-timestamp" in stored).toBe(!("X-Signature" in sent))
      }),
    )
  })

  it("headers are stored whole where one is not what the row says, and an attempt that was not made has none", () => {
    const whole = (headers: Record<string, string>) => {
      expect(storedHeaders(row, headers)).toEqual(headers)
      expect(sentHeaders(row, headers)).toEqual(headers)
    }
    whole({})
    whole({ "X-Attempt": "3" })
    const [sent = {}] = fc.sample(anyHeaders, 1)
    for (const name of ["Content-Type", "User-Agent", "X-Event-Type", "X-Attempt", "webhook-id"]) {
      whole({ ...sent, [name]: "another" })
    }
  })

  it("the headers of an attempt that an earlier commit stored whole are shown as they are", () => {
    fc.assert(
      fc.property(anyHeaders, ({ "webhook-id": _, ...earlier }) => {
        expect(Object.entries(sentHeaders(row, earlier))).toEqual(Object.entries(earlier))
      }),
    )
  })
})
