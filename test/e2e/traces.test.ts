import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hexOfId } from "../../schema/ids.ts"
import type { Refund } from "../../schema/resources/refund.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import type { Withdrawal } from "../../schema/resources/withdrawal.ts"
import type { PspRequest } from "../support/psp.ts"
import { behaviours, startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { type ApiPixStage, auditVerify, openApiPixStage, payCharge, soundBooks } from "./support/apiPix.ts"
import { approve, openPayee, amount as payoutAmount, type Requested } from "./support/apiPixPayouts.ts"
import { chargeBody, chargeWhen, eventsOf, freshKey, getCharge } from "./support/charges.ts"
import type { Answer, Client } from "./support/client.ts"
import { detailOf, requestsOn, rowsWhen, verify } from "./support/deliveries.ts"
import { refundWhen } from "./support/refunds.ts"
import { receiverSettings } from "./support/stage.ts"
import { getWithdrawal, withdrawalEvents, withdrawalWhen } from "./support/withdrawals.ts"

const parentId = "00f067aa0ba902b7"
let traces = 0
/** A trace that no other test has begun. */
const newTrace = () => {
  const traceId = (0xabc_000 + traces++).toString(16).padStart(32, "9")
  return { traceId, traceparent: `00-${traceId}-${parentId}-01` }
}

let receiver: TlsReceiver
let stage: ApiPixStage
beforeAll(async () => {
  receiver = await startTlsReceiver({
    behaviour: ({ headers }) => behaviours.respond(headers["x-attempt"] === "1" ? 500 : 200),
  })
  stage = await openApiPixStage({
    SIMULATOR_DELAY_MS: "20",
    RETRY_SCHEDULE_SECONDS: "0.05,60,60,60,60",
    ...receiverSettings(receiver),
  })
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

const create = <T>(
  client: Pick<Client, "post">,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer<T>> => client.post(path, { body, headers: { "Idempotency-Key": freshKey(), ...headers } })

const createCharge = async (client: Client, headers: Readonly<Record<string, string>> = {}, changes = {}) => {
  const answer = await create<Transaction>(client, "/v1/transactions", chargeBody(changes), headers)
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body
}

/** Expects requests of ours to continue a trace, each with a parent id of its own. */
const expectTraced = (requests: ReadonlyArray<Pick<PspRequest, "headers">>, traceId: string | undefined) => {
  expect(requests.length).toBeGreaterThan(0)
  const sent = requests.map(({ headers }) => headers.traceparent)
  for (const one of sent) expect(one).toMatch(new RegExp(`^00-${traceId}-(?!0{16})[0-9a-f]{16}-01$`))
  expect(new Set([...sent, `00-${traceId}-${parentId}-01`]).size).toBe(sent.length + 1)
}

describe("a charge's trace", () => {
  it("a charge and its events have the trace id of the request that created it, whatever later requests bring", async () => {
    const seller = await stage.newSeller()
    const { traceId, traceparent } = newTrace()
    const made = await createCharge(seller.test, { traceparent }, { amount: 2_004 })
    expect(Object.keys(made).slice(0, 4)).toEqual(["id", "object", "trace_id", "mode"])
    const charge = await chargeWhen(seller.test, made.id, "refunded")
    expect([made.trace_id, charge.trace_id]).toEqual([traceId, traceId])
    const events = await eventsOf(seller.test, made.id)
    expect(events.map(({ type, trace_id }) => [type, trace_id])).toEqual([
      ["transaction.created", traceId],
      ["transaction.paid", traceId],
      ["transaction.refunded", traceId],
    ])
    // No request began the refund: it is of its charge's trace.
    expect((await getCharge(seller.test, made.id)).body.refunds).toHaveLength(1)
    const refundId = charge.refunds[0]?.id ?? ""
    expect((await refundWhen(seller.test, refundId, "succeeded")).trace_id).toBe(traceId)
  })

  it.each([
    ["no traceparent", undefined],
    ["an invalid one", "00-xyz-1-01"],
    ["an all-zero one", `00-${"0".repeat(32)}-${parentId}-01`],
  ])("a charge created with %s begins a trace of its own, by its id", async (_, traceparent) => {
    const seller = await stage.newSeller()
    const made = await createCharge(seller.test, traceparent === undefined ? {} : { traceparent })
    expect(made.trace_id).toMatch(/^[0-9a-f]{32}$/)
    expect(made.trace_id).toBe(hexOfId(made.id))
    expect((await eventsOf(seller.test, made.id))[0]?.trace_id).toBe(made.trace_id)
  })

  it("a replay has the first request's trace id, byte for byte", async () => {
    const seller = await stage.newSeller()
    const key = freshKey()
    const send = (traceparent: string) =>
      create<Transaction>(seller.test, "/v1/transactions", chargeBody(), {
        traceparent,
        "Idempotency-Key": key,
      })
    const { traceId, traceparent } = newTrace()
    const first = await send(traceparent)
    const again = await send(newTrace().traceparent)
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(again.body.trace_id).toBe(traceId)
  })

  it("each attempt to deliver an event continues its trace under another parent id, and says so in its detail", async () => {
    const path = "/traced"
    const seller = await stage.newSeller({
      endpoints: [{ url: receiver.origin + path, events: ["transaction.paid"] }],
    })
    const { traceId, traceparent } = newTrace()
    await createCharge(seller.test, { traceparent })
    const rows = await rowsWhen(seller.test, (found) => found.length === 2)
    const requests = requestsOn(receiver, path)
    expectTraced(requests, traceId)
    expect(requests.map(({ body }) => JSON.parse(body).trace_id)).toEqual([traceId, traceId])
    for (const [i, request] of requests.entries()) {
      verify(request, seller.endpoints[0]?.secret ?? "")
      const { body } = await detailOf(seller.test, rows[i]?.id ?? "")
      expect(body.request_headers.traceparent).toBe(request.headers.traceparent)
      expect(body.payload.trace_id).toBe(traceId)
    }
  })

  it("calls to the acquirer about a charge and about its refund continue the trace of each", async () => {
    const { live } = await stage.newSeller()
    const [ofCharge, ofRefund] = [newTrace(), newTrace()]
    const made = await createCharge(live, { traceparent: ofCharge.traceparent })
    const endToEndId = stage.psp.pay(made.pix.txid)
    await stage.tell({ endToEndId })
    await chargeWhen(live, made.id, "paid")
    expectTraced(stage.psp.requestsOf(`PUT /cob/${made.pix.txid}`), ofCharge.traceId)
    expectTraced(stage.psp.requestsOf(`GET /cob/${made.pix.txid}`), ofCharge.traceId)

    const { traceparent } = ofRefund
    const { body } = await create<Refund>(
      live,
      `/v1/transactions/${made.id}/refunds`,
      { amount: 500 },
      { traceparent },
    )
    expect(body.trace_id).toBe(ofRefund.traceId)
    await stage.psp.waitFor(`PUT /pix/${endToEndId}/devolucao/`, 1)
    expectTraced(stage.psp.requestsOf(`PUT /pix/${endToEndId}/devolucao/`), ofRefund.traceId)
    expect((await eventsOf(live, body.id)).map(({ trace_id }) => trace_id)).toContain(ofRefund.traceId)
    // Other calls are about no resource.
    for (const { path, headers } of stage.psp.requests.filter(({ path: asked }) =>
      /enviados\?|token/.test(asked),
    )) {
      expect([path, headers.traceparent]).toEqual([path, undefined])
    }
  })
})

describe("a withdrawal's trace", () => {
  it("a withdrawal, its events and the calls to its acquirer have the trace id of its request", async () => {
    const payee = await openPayee(stage)
    const { traceId, traceparent } = newTrace()
    const body = { amount: payoutAmount, pix_key_id: payee.pixKeyId, description: '"trace_id":"0"' }
    const { body: withdrawal } = await create<Withdrawal>(payee.live, "/v1/withdrawals", body, {
      traceparent,
    })
    expect(withdrawal.trace_id).toBe(traceId)
    const payoutId = withdrawal.id.slice(3)
    const requested: Requested = { ...payee, withdrawal, payoutId }
    await approve(stage, requested)
    await stage.psp.waitFor(`PUT /v3/gn/pix/${payoutId}`, 1)
    stage.psp.payoutResult(payoutId, "REALIZADO")
    await withdrawalWhen(payee.live, withdrawal.id, "successful")
    expect((await getWithdrawal(payee.live, withdrawal.id)).trace_id).toBe(traceId)
    const events = await withdrawalEvents(payee.live, withdrawal.id)
    expect(new Set(events.map(({ trace_id }) => trace_id))).toEqual(new Set([traceId]))
    expectTraced(stage.psp.requestsOf(`PUT /v3/gn/pix/${payoutId}`), traceId)
    expectTraced(stage.psp.requestsOf(`GET /v2/gn/pix/enviados/id-envio/${payoutId}`), traceId)
  })

  it("a withdrawal without a traceparent begins a trace of its own", async () => {
    const payee = await openPayee(stage)
    const body = { amount: payoutAmount, pix_key_id: payee.pixKeyId }
    const { body: withdrawal } = await create<Withdrawal>(payee.live, "/v1/withdrawals", body)
    expect(withdrawal.trace_id).toBe(hexOfId(withdrawal.id))
  })
})

describe("the books", () => {
  it("the books of traced charges, refunds and withdrawals are sound", async () => {
    const { live } = await stage.newSeller()
    await payCharge(stage, live)
    expect(await auditVerify(stage)).toEqual(soundBooks)
  })
})
