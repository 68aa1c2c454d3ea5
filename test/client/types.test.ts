import { describe, expect, expectTypeOf, it } from "vitest"
import type {
  Corrente,
  CorrenteError,
  CreateTransaction,
  Event,
  EventType,
  List,
  Refund,
  ReplayGap,
  Transaction,
  TransactionSummary,
  WebhookEvent,
} from "../../client/src/index.ts"
import type { operations } from "../../client/src/openapi.ts"
import { openApiDocument } from "../../schema/api/openapi.ts"

/** Whether the document tells events apart by their type; the types of the client follow it. */
const { Event: shape } = openApiDocument().components.schemas
const isToldApart = shape?.oneOf !== undefined

/** What an operation of the document answers. */
type Answer<Id extends keyof operations> = {
  [Status in keyof operations[Id]["responses"]]: operations[Id]["responses"][Status] extends {
    readonly content: { readonly "application/json": infer Body }
  }
    ? Body
    : never
}[keyof operations[Id]["responses"]]

type Of<Type extends string> = Event<Type & EventType>["data"]["object"]

describe("the types of the client", () => {
  it("the types of the client are those of the resources", () => {
    const lists = (corrente: Corrente) => ({
      whole: corrente.transactions.list({ status: "paid" }),
      short: corrente.transactions.list({ view: "summary" }),
    })
    expectTypeOf(lists).returns.toEqualTypeOf<{
      whole: List<Transaction>
      short: List<TransactionSummary>
    }>()
    expectTypeOf<Corrente["refunds"]["create"]>().returns.resolves.toEqualTypeOf<Refund>()
    expectTypeOf<Corrente["transactions"]["create"]>().returns.resolves.toEqualTypeOf<
      Answer<"createTransaction">
    >()
    expectTypeOf<Corrente["transactions"]["get"]>().returns.resolves.toEqualTypeOf<Answer<"getTransaction">>()
    expectTypeOf<Corrente["refunds"]["create"]>().returns.resolves.toEqualTypeOf<Answer<"createRefund">>()
    expectTypeOf<Corrente["withdrawals"]["create"]>().returns.resolves.toEqualTypeOf<
      Answer<"createWithdrawal">
    >()
    expectTypeOf<Corrente["withdrawals"]["cancel"]>().returns.resolves.toEqualTypeOf<
      Answer<"cancelWithdrawal">
    >()
    expectTypeOf<Corrente["balance"]["get"]>().returns.resolves.toEqualTypeOf<Answer<"getBalance">>()
    expectTypeOf<Corrente["balance"]["releases"]>().returns.resolves.toEqualTypeOf<
      Answer<"getBalanceReleases">
    >()
    expectTypeOf<Corrente["events"]["get"]>().returns.resolves.toEqualTypeOf<Answer<"getEvent">>()
    expectTypeOf<Corrente["webhookDeliveries"]["get"]>().returns.resolves.toEqualTypeOf<
      Answer<"getDelivery">
    >()
    expectTypeOf<Corrente["webhookDeliveries"]["retry"]>().returns.resolves.toEqualTypeOf<
      Answer<"retryDelivery">
    >()
    expectTypeOf<Corrente["test"]["clock"]["advance"]>().returns.resolves.toEqualTypeOf<
      Answer<"advanceTestClock">
    >()
    expectTypeOf<Transaction["status"]>().extract<"paid">().toEqualTypeOf<"paid">()
    expectTypeOf<CreateTransaction["amount"]>().toEqualTypeOf<number>()
    expectTypeOf<CorrenteError["status"]>().toEqualTypeOf<number | undefined>()
  })

  it("an event has the resource of its type, as far as the document tells events apart", () => {
    expectTypeOf<"transaction.paid">().toExtend<EventType>()
    expectTypeOf<Transaction>().toExtend<Of<"transaction.paid">>()
    expectTypeOf<Refund>().toExtend<Of<"refund.succeeded">>()
    // Told apart, an event's resource is nothing but what its type has.
    type IsToldApart = string extends EventType ? false : true
    const type: IsToldApart = isToldApart as IsToldApart
    expect(type).toBe(isToldApart)
    expectTypeOf<Refund>().exclude<Of<"refund.succeeded">>().toBeNever()
  })

  it("a delivered event is an event without `internal`, and a subscription gives gaps beside events", () => {
    expectTypeOf<keyof WebhookEvent>().toEqualTypeOf<
      "id" | "object" | "type" | "mode" | "created_at" | "seq" | "trace_id" | "test_event" | "data"
    >()
    expectTypeOf<WebhookEvent["seq"]>().toEqualTypeOf<number>()
    type Item = Awaited<ReturnType<ReturnType<Corrente["events"]["subscribe"]>["next"]>>["value"]
    expectTypeOf<Exclude<Item, void>>().toEqualTypeOf<Event | ReplayGap>()
  })
})
