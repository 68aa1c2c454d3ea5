import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { renderDeliveryEvent, renderFeedEvent } from "../../actors/event/envelope.ts"
import { eventCatalog, partiallyRefundedEventType } from "../../schema/events.ts"
import { catalogEvents } from "../../schema/resources/catalogEvent.ts"
import { Event } from "../../schema/resources/event.ts"
import { Exception } from "../../schema/resources/exception.ts"
import { isRefundOver, Refund } from "../../schema/resources/refund.ts"
import { SellerProfile } from "../../schema/resources/seller.ts"
import { Transaction } from "../../schema/resources/transaction.ts"
import { isWithdrawalOver, Withdrawal, withdrawalStatuses } from "../../schema/resources/withdrawal.ts"
import { eventTypesBody } from "../../src/http/handlers/eventTypes.ts"

interface Listed {
  readonly type: string
  readonly resource_type: string
  readonly schema: {
    readonly properties: { readonly data: { readonly properties: { object: object } } }
    readonly $defs: Readonly<Record<string, object>>
  }
  readonly internal: boolean
  readonly feed_example: Listed["example"]
  readonly example: { readonly type: string; readonly data: { readonly object: Record<string, unknown> } }
}

const { data: listed } = JSON.parse(eventTypesBody()) as { readonly data: ReadonlyArray<Listed> }
const ofResource = (resourceType: string) =>
  listed.filter(({ resource_type }) => resource_type === resourceType)

/** Reads the JSON Schema of a type as receivers do. */
const validators = new Map<string, ValidateFunction>()
const validatorOf = (type: string): ValidateFunction => {
  const { schema = {} } = listed.find((entry) => entry.type === type) ?? {}
  const made = validators.get(type) ?? new Ajv2020({ strict: false, validateFormats: false }).compile(schema)
  validators.set(type, made)
  return made
}

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

  it("the schema of each type stands alone: its references lead into itself", () => {
    for (const { type, schema } of listed) {
      const refs = [...JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/(\w+)"/g)].map(([, name]) => name)
      expect(JSON.stringify(schema).match(/"\$ref"/g)?.length ?? 0, type).toBe(refs.length)
      for (const name of refs) expect(schema.$defs, type).toHaveProperty(name ?? "")
    }
    const { schema } = listed.find(({ type }) => type === "transaction.paid") ?? {}
    expect(schema?.properties.data.properties.object).toMatchObject({ $ref: "#/$defs/Transaction" })
  })

  it("every example is valid against its JSON Schema, in both forms and as a test event, and only with its own type", () => {
    for (const { type, example, feed_example } of listed) {
      const isValid = validatorOf(type)
      for (const event of [example, feed_example, { ...example, test_event: true }]) {
        expect([type, isValid(event), isValid.errors]).toEqual([type, true, null])
      }
      const others = [
        { ...example, type: "other" },
        { ...example, data: {} },
        { ...example, test_event: false },
      ]
      for (const event of others) expect([type, isValid(event)]).toEqual([type, false])
    }
  })

  it("a ping that holds a test event is an event of the feed, and is delivered as the event it holds", () => {
    const ping = listed.find(({ type }) => type === "ping")?.example
    const isPing = validatorOf("ping")
    for (const { type, example } of listed) {
      const { object } = example.data
      const data = JSON.stringify({ ...ping?.data.object, test_event: { type, object } })
      const entry = {
        entryId: "1795348980000-0",
        seq: 7,
        type: "ping",
        resourceId: "",
        internal: false,
        data,
      }
      const feed = { sellerId: "sel_01KA0000000700000000000000", mode: "live" } as const
      const asIs = (text: string) => text
      const shown = JSON.parse(renderFeedEvent(feed, entry, asIs))
      expect([type, shown.type, shown.mode, isPing(shown)]).toEqual([type, "ping", "live", true])
      const delivered = JSON.parse(renderDeliveryEvent(feed, entry, asIs))
      expect([type, validatorOf(type)(delivered)]).toEqual([type, true])
      expect(delivered).toEqual({
        ...{ ...example, id: shown.id, created_at: shown.created_at },
        ...{ mode: "test", seq: 7, test_event: true },
      })
    }
  })

  it("every example is an event of its type, as a delivery and in the feed", () => {
    for (const { type, schema } of catalogEvents) {
      const shown = listed.find((entry) => entry.type === type)
      const isEvent = Schema.is(schema as unknown as Schema.Schema<unknown>)
      expect([type, isEvent(shown?.example), isEvent(shown?.feed_example)]).toEqual([type, true, true])
    }
  })

  it("the example of a disabled endpoint names it", () => {
    const disabled = listed.find(({ type }) => type === "seller.webhook_endpoint_disabled")
    expect(disabled?.example.data.object.webhook_endpoint).toMatchObject({ mode: "test" })
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
        const shown = Object.keys(object)
        // In wire order; only what may be absent is.
        expect(shown, type).toEqual(Object.keys(resource.fields).filter((name) => name in object))
        const name = type.slice(type.indexOf(".") + 1)
        const statuses: Readonly<Record<string, string>> = {
          ...{ created: "pending", partially_refunded: "paid", exception: "paid" },
          ...{ returned: "successful", debited: "failed" },
        }
        expect(object.status).toBe(statuses[name] ?? name)
        expect(JSON.stringify(schema.$defs)).toContain("failure_reason")
      }
    },
  )

  it("there is one example for each status of a withdrawal, with the times that fit it", () => {
    const examples = ofResource("withdrawal")
      .filter(({ type }) => !["withdrawal.returned", "withdrawal.debited"].includes(type))
      .map(({ example }) => example.data.object as unknown as Withdrawal)
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

  it("the examples of what happens after a withdrawal's end show it: when and how much came back, or the transfer", () => {
    const shownIn = (type: string) =>
      listed.find((entry) => entry.type === type)?.example.data.object as unknown as Withdrawal
    const returned = shownIn("withdrawal.returned")
    expect(returned).toMatchObject({ status: "successful", returned_amount: returned.amount })
    expect(returned.returned_at).toBe(returned.updated_at)
    expect(shownIn("withdrawal.debited")).toMatchObject({
      status: "failed",
      end_to_end_id: expect.any(String),
    })
  })

  it("the example of a charge's exception lists it, and that of a credit is the resolved exception", () => {
    const charge = listed.find(({ type }) => type === "transaction.exception")?.example.data.object
    expect(charge?.exceptions).toMatchObject([{ kind: "double_payment" }])
    const [credited] = ofResource("exception")
    expect(Schema.is(Exception)(credited?.example.data.object)).toBe(true)
    expect(credited?.example.data.object).toMatchObject({ state: "resolved", act: "credit", reason: null })
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
