import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { renderDeliveryEvent, renderFeedEvent } from "../../actors/event/envelope.ts"
import { eventCatalog, partiallyRefundedEventType } from "../../schema/events.ts"
import { Event } from "../../schema/resources/event.ts"
import { isRefundOver, Refund } from "../../schema/resources/refund.ts"
import { SellerProfile } from "../../schema/resources/seller.ts"
import { Transaction } from "../../schema/resources/transaction.ts"
import { isWithdrawalOver, Withdrawal, withdrawalStatuses } from "../../schema/resources/withdrawal.ts"
import { eventTypesBody } from "../../src/http/handlers/eventTypes.ts"

interface Listed {
  readonly type: string
  readonly resource_type: string
  readonly schema: { readonly properties: { readonly data: { readonly properties: { object: object } } } }
  readonly internal: boolean
  readonly feed_example: Listed["example"]
  readonly example: { readonly type: string; readonly data: { readonly object: Record<string, unknown> } }
}

const { data: listed } = JSON.parse(eventTypesBody) as { readonly data: ReadonlyArray<Listed> }
const ofResource = (resourceType: string) =>
  listed.filter(({ resource_type }) => resource_type === resourceType)

describe("the list of event types", () => {
  it("the list of event types has the types of the catalog, in its order", () => {
    expect(listed.map(({ type }) => type)).toEqual(eventCatalog.map(({ type }) => type))
    for (const { type, example } of listed) expect(example.type).toBe(type)
  })

  it("the list of event types shows each event as it is delivered and as the feed shows it", () => {
    for (const { type, internal, example, feed_example } of listed) {
      expect(Schema.is(Event)(feed_example), type).toBe(true)
      const entry = {
        ...{ entryId: "1795348980000-0", seq: 2, type, resourceId: "", internal },
        data: JSON.stringify(example.data.object),
      }
      const feed = { sellerId: "sel_01KA0000000700000000000000", mode: "test" } as const
      const asIs = (text: string) => text
      const keysOf = (rendered: string) => Object.keys(JSON.parse(rendered))
      expect(Object.keys(example)).toEqual(keysOf(renderDeliveryEvent(feed, entry, asIs)))
      expect(Object.keys(feed_example)).toEqual(keysOf(renderFeedEvent(feed, entry, asIs)))
      expect(feed_example).toEqual({ ...example, internal })
    }
  })

  it("every example of a seller's event holds the whole profile", () => {
    for (const { type, example } of ofResource("seller")) {
      expect(Schema.is(SellerProfile)(example.data.object), type).toBe(true)
    }
  })

  it.each([
    ["transaction", Transaction],
    ["withdrawal", Withdrawal],
    ["refund", Refund],
  ] as const)(
    "every example of a %s's event holds the whole resource, in the status that the event names",
    (resourceType, resource) => {
      for (const { type, example, schema } of ofResource(resourceType)) {
        const { object } = example.data
        expect(Schema.is<Schema.Schema<unknown>>(resource)(object), type).toBe(true)
        expect(Object.keys(object), type).toEqual(Object.keys(resource.fields))
        const name = type.slice(type.indexOf(".") + 1)
        const statuses: Readonly<Record<string, string>> = { created: "pending", partially_refunded: "paid" }
        expect(object.status).toBe(statuses[name] ?? name)
        expect(JSON.stringify(schema.properties.data.properties.object)).toContain("failure_reason")
      }
    },
  )

  it("there is one example for each status of a withdrawal, with the times that fit it", () => {
    const examples = ofResource("withdrawal").map(
      ({ example }) => example.data.object as unknown as Withdrawal,
    )
    expect(examples.map(({ status }) => status).sort()).toEqual([...withdrawalStatuses].sort())
    for (const shown of examples) {
      expect(shown.completed_at !== null, shown.status).toBe(isWithdrawalOver(shown.status))
      const last = shown.completed_at ?? shown.processing_at ?? shown.approved_at ?? shown.created_at
      expect(shown.updated_at, shown.status).toBe(last)
    }
  })

  it("the example of a charge's refund lists what went back, and keeps the charge paid where it is a part", () => {
    const shownIn = (type: string) =>
      listed.find((entry) => entry.type === type)?.example.data.object as unknown as Transaction
    const part = shownIn(partiallyRefundedEventType)
    expect(part).toMatchObject({ status: "paid", refunded_at: null })
    const whole = shownIn("transaction.refunded")
    expect(whole).toMatchObject({ status: "refunded", refunded_at: expect.any(String) })
    for (const shown of [part, whole]) {
      const sum = shown.refunds.reduce((total, { amount }) => total + amount, 0)
      expect(shown.refunded_amount).toBe(sum)
    }
    expect(part.refunded_amount).toBeLessThan(part.amount)
    expect(whole.refunded_amount).toBe(whole.amount)
  })

  it("the example of a refund has its end where it is over, and what ended it", () => {
    for (const { type, example } of ofResource("refund")) {
      const shown = example.data.object as unknown as Refund
      expect(shown.completed_at !== null, type).toBe(isRefundOver(shown.status))
      expect(shown.return_id !== null, type).toBe(shown.status === "succeeded")
      expect(shown.failure_code !== null, type).toBe(shown.status === "failed")
    }
  })
})
