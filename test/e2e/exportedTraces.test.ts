import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hexOfId } from "../../schema/ids.ts"
import type { Refund } from "../../schema/resources/refund.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { isSampledId, spanIdOfCreation } from "../../schema/trace.ts"
import { parseExposition, valueOf } from "../support/exposition.ts"
import { type CollectedSpan, type OtlpCollector, startOtlpCollector } from "../support/otlpCollector.ts"
import { behaviours, startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { until } from "../support/until.ts"
import { openApiPixStage } from "./support/apiPix.ts"
import { chargeBody, chargeWhen, freshKey, getCharge } from "./support/charges.ts"
import { type Client, makeClient } from "./support/client.ts"
import { requestsOn, rowsWhen } from "./support/deliveries.ts"
import { openStage, receiverSettings, type Stage } from "./support/stage.ts"

const callerSpan = "00f067aa0ba902b7"
let begun = 0
/** A trace that no other test has begun. */
const newTrace = (flags = "01") => {
  const traceId = (0xabc_000 + begun++).toString(16).padStart(32, "7")
  return { traceId, traceparent: `00-${traceId}-${callerSpan}-${flags}` }
}

let receiver: TlsReceiver
let collector: OtlpCollector
beforeAll(async () => {
  receiver = await startTlsReceiver({ behaviour: () => behaviours.respond(200) })
  collector = await startOtlpCollector()
})
afterAll(async () => {
  await receiver?.close()
  await collector?.close()
})

const settings = (ratio: string): Record<string, string> => ({
  SIMULATOR_DELAY_MS: "20",
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
  OTEL_TRACES_SAMPLER_ARG: ratio,
  ...receiverSettings(receiver),
})

const create = async (client: Client, traceparent?: string, changes = {}): Promise<Transaction> => {
  const headers = { "Idempotency-Key": freshKey(), ...(traceparent === undefined ? {} : { traceparent }) }
  const answer = await client.post<Transaction>("/v1/transactions", { body: chargeBody(changes), headers })
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body
}

const spansOf = (traceId: string | undefined) => collector.spans().filter((span) => span.traceId === traceId)

/** The tree of a trace: each span's name behind those above it. */
const pathsOf = (spans: ReadonlyArray<CollectedSpan>) => {
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const pathOf = (span: CollectedSpan): string => {
    const parent = byId.get(span.parentSpanId ?? "")
    return parent === undefined ? span.name : `${pathOf(parent)} > ${span.name}`
  }
  return new Map(spans.map((span) => [pathOf(span), span]))
}

/** The spans of a trace by their paths, once these are there. */
const traceWhen = async (traceId: string | undefined, ...paths: ReadonlyArray<string>) => {
  const found = () => pathsOf(spansOf(traceId))
  const missing = () => `${paths.join(", ")} of trace ${traceId}, which has ${[...found().keys()].join(", ")}`
  await until(missing, () => paths.every((path) => found().has(path)), 60_000)
  return pathsOf(spansOf(traceId))
}

const request = "POST /v1/transactions"
const creation = `${request} > seller createTransaction`

describe("with every request traced", () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage({ ...settings("1"), OTEL_SERVICE_NAME: "pagamentos" })
  })
  afterAll(() => stage?.close())

  it("a charge that is paid and delivered is one trace, from the request to the delivery", async () => {
    const path = "/paid?token=of-the-url"
    const seller = await stage.newSeller({
      endpoints: [{ url: receiver.origin + path, events: ["transaction.paid"] }],
    })
    const charge = await create(seller.test)
    const delivery = `${creation} > deliver transaction.paid`
    const spans = await traceWhen(charge.trace_id, `${delivery} > FCALL deliveries_record`)
    expect([...spans.keys()].filter((path) => !path.endsWith("HMGET")).toSorted()).toEqual([
      request,
      creation,
      `${creation} > FCALL charges_create`,
      delivery,
      `${delivery} > FCALL deliveries_record`,
      `${creation} > timer ask`,
      `${creation} > timer ask > FCALL charges_transition`,
      `${creation} > timer ask > acquirer query charge`,
    ])
    // The contract of trace ids holds: without a traceparent, it is the charge's own id.
    expect([charge.trace_id, isSampledId(charge.id)]).toEqual([hexOfId(charge.id), true])
    expect(spans.get(request)).toMatchObject({
      parentSpanId: undefined,
      kind: 2,
      attributes: {
        "http.request.method": "POST",
        "http.route": "/v1/transactions",
        "http.response.status_code": 201,
        "corrente.seller.id": seller.id,
        "corrente.mode": "test",
      },
    })
    expect(spans.get(creation)).toMatchObject({
      spanId: spanIdOfCreation(charge.id),
      attributes: { "corrente.resource.id": charge.id },
    })
    const [row] = await rowsWhen(seller.test, (found) => found.length === 1)
    expect(spans.get(delivery)?.attributes).toMatchObject({
      "corrente.delivery.id": row?.id,
      "corrente.destination.id": seller.endpoints[0]?.id,
      "corrente.outcome": "success",
      "http.response.status_code": 200,
    })
    // What the receiver does hangs below the span of its attempt.
    const [sent] = requestsOn(receiver, path)
    expect(sent?.headers.traceparent).toBe(`00-${charge.trace_id}-${spans.get(delivery)?.spanId}-01`)
    for (const span of spans.values()) {
      expect(span.resource["service.name"]).toBe("pagamentos")
      expect(span.endNanos).toBeGreaterThanOrEqual(span.startNanos)
    }
  })

  it("a request that its caller traces is in the caller's trace, below the caller's span", async () => {
    const { test } = await stage.newSeller()
    await getCharge(test, "txn_none")
    const { traceId, traceparent } = newTrace()
    const charge = await create(test, traceparent)
    const spans = await traceWhen(traceId, request, `${creation} > timer ask`)
    expect(spans.get(request)?.parentSpanId).toBe(callerSpan)
    expect(charge.trace_id).toBe(traceId)

    const path = `/v1/transactions/${charge.id}`
    const read = newTrace()
    await test.request("GET", path, { headers: { traceparent: read.traceparent } })
    const readSpans = await traceWhen(read.traceId, "GET /v1/transactions/:id")
    expect(readSpans.get("GET /v1/transactions/:id")?.parentSpanId).toBe(callerSpan)
  })

  it("a request that its caller does not trace is not traced, whatever the ratio", async () => {
    const { test } = await stage.newSeller()
    await getCharge(test, "txn_none")
    const { traceId, traceparent } = newTrace("00")
    const charge = await create(test, traceparent)
    await chargeWhen(test, charge.id, "paid")
    expect(isSampledId(charge.id)).toBe(false)
    // Spans are sent in order: those of a later request come last.
    const later = await create(test)
    await traceWhen(later.trace_id, `${creation} > timer ask`)
    expect(spansOf(traceId)).toEqual([])
  })

  it("a refund has a trace of its own, with its timer and what the acquirer was asked", async () => {
    const { test } = await stage.newSeller()
    const charge = await create(test)
    await chargeWhen(test, charge.id, "paid")
    const { traceId, traceparent } = newTrace()
    const { body } = await test.post<Refund>(`/v1/transactions/${charge.id}/refunds`, {
      body: { amount: 500 },
      headers: { traceparent, "Idempotency-Key": freshKey() },
    })
    expect(body.trace_id).toBe(traceId)
    const refund = "POST /v1/transactions/:id/refunds > seller createRefund"
    const spans = await traceWhen(traceId, `${refund} > seller fireRefundTimer > acquirer refund`)
    expect(spans.get(refund)?.attributes).toEqual({ "corrente.resource.id": body.id })
  })

  it("a refusal has its code, and is no error; nothing of its text leaves", async () => {
    const { test } = await stage.newSeller()
    await getCharge(test, "txn_none")
    const { traceId, traceparent } = newTrace()
    await test.post("/v1/transactions", {
      body: chargeBody({ amount: -1 }),
      headers: { traceparent, "Idempotency-Key": freshKey() },
    })
    const spans = await traceWhen(traceId, request)
    expect(spans.get(request)).toMatchObject({
      attributes: { "http.response.status_code": 400, "error.type": "validation_failed" },
      events: [],
    })
    expect(spans.get(request)?.status.code ?? 0).toBe(0)
  })

  it("no customer, secret, amount or URL is in what the collector got", async () => {
    const customer = { name: "Zuleica Quadros", email: "zuleica@exemplo.com.br", document: "390.533.447-05" }
    const path = "/forbidden?token=of-the-url"
    const seller = await stage.newSeller({
      endpoints: [{ url: receiver.origin + path, events: ["transaction.paid"] }],
    })
    const item = { name: "Violoncelo", quantity: 1, unit_amount: 7_654_321 }
    const charge = await create(seller.test, undefined, {
      ...{ amount: 7_654_321, customer, items: [item], metadata: { note: "Viola" } },
      ...{ postback_url: `${receiver.origin}/postback?token=of-the-url` },
    })
    const deliveries = `${creation} > deliver transaction.paid > FCALL deliveries_record`
    await traceWhen(charge.trace_id, deliveries)
    const forbidden = [
      ...["Zuleica", "zuleica@", "39053344705", "390.533", "Violoncelo", "Viola", "7654321", "76543.21"],
      ...[seller.keys.test, seller.keys.live, seller.endpoints[0]?.secret ?? "none", "of-the-url"],
      ...[receiver.origin, charge.pix.txid, charge.pix.payload, "Bearer"],
    ]
    const sent = collector.bytes()
    expect(sent).toContain(charge.id)
    expect(forbidden.filter((text) => sent.includes(text))).toEqual([])
    expect(collector.spans().flatMap(({ events }) => events)).toEqual([])
  })
})

describe("with no request traced but those of known callers who trace them", () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(settings("0"))
  })
  afterAll(() => stage?.close())

  it("only a request that a valid key's caller traces is traced, and so is what follows from it", async () => {
    const { test } = await stage.newSeller()
    const plain = await create(test)
    const [stranger, known] = [newTrace(), newTrace()]
    const wrong = makeClient(stage.service.url, `sk_test_00${"x".repeat(41)}`)
    const refused = await wrong.post("/v1/transactions", {
      body: chargeBody(),
      headers: { traceparent: stranger.traceparent, "Idempotency-Key": freshKey() },
    })
    expect(refused.status).toBe(401)
    const before = collector.spans().length
    const charge = await create(test, known.traceparent)
    await traceWhen(known.traceId, `${creation} > timer ask`)
    expect([isSampledId(plain.id), isSampledId(charge.id)]).toEqual([false, true])
    expect(spansOf(stranger.traceId)).toEqual([])
    expect(
      collector
        .spans()
        .slice(before)
        .every(({ traceId }) => traceId === known.traceId),
    ).toBe(true)
  })
})

describe("several processes", () => {
  it("what another process does with a charge is in the same trace", async ({ onTestFinished }) => {
    const stage = await openStage({ ...settings("1"), PROCESSES: "2" })
    onTestFinished(stage.close)
    // The timers of a seller are one process's; requests come to either.
    let isShared = false
    for (let tries = 0; tries < 40 && !isShared; tries++) {
      const { test } = await stage.newSeller()
      const charge = await create(test)
      const spans = await traceWhen(charge.trace_id, request, `${creation} > timer ask`)
      const pidOf = (path: string) => spans.get(path)?.resource["process.pid"]
      isShared = pidOf(request) !== pidOf(`${creation} > timer ask`)
    }
    expect(isShared).toBe(true)
  })
})

describe("a bank's calls", () => {
  it("each call to the bank has a span, whose id the bank gets as its parent", async ({ onTestFinished }) => {
    const stage = await openApiPixStage(settings("1"))
    onTestFinished(stage.close)
    const { live } = await stage.newSeller()
    const charge = await create(live)
    const bank = `${creation} > acquirer create charge > PUT createCharge`
    stage.psp.pay(charge.pix.txid)
    const [payment] = stage.psp.requestsOf(`PUT /cob/${charge.pix.txid}`)
    const spans = await traceWhen(charge.trace_id, bank, `${creation} > FCALL idempotency_claim`)
    expect(payment?.headers.traceparent).toBe(`00-${charge.trace_id}-${spans.get(bank)?.spanId}-01`)
    const sent = collector.bytes()
    expect([charge.pix.txid, "Ana Souza", "52998224725"].filter((text) => sent.includes(text))).toEqual([])
  })
})

describe("a collector that is away", () => {
  it("the service serves as ever, counts what it drops, says so once, and ends in time", async ({
    onTestFinished,
  }) => {
    const away = await startOtlpCollector()
    onTestFinished(away.close)
    away.behave(503)
    const stage = await openStage({ ...settings("1"), OTEL_EXPORTER_OTLP_ENDPOINT: away.endpoint })
    onTestFinished(stage.close)
    const { test } = await stage.newSeller()
    const dropped = async () => {
      const families = parseExposition(await (await fetch(`${stage.service.url}/metrics`)).text())
      return valueOf(families, "corrente_trace_spans_total", { outcome: "dropped" }) ?? 0
    }
    await until("spans to be dropped", async () => {
      expect((await chargeWhen(test, (await create(test)).id, "paid")).status).toBe("paid")
      return (await dropped()) > 0
    })
    const first = await dropped()
    await create(test)
    await until("more to be dropped", async () => (await dropped()) > first)
    expect(stage.service.log().match(/traces are dropped/g)).toHaveLength(1)
    expect((await stage.service.terminate()).code).toBe(0)
  })
})

describe("the end of a process", () => {
  it("spans that wait are sent before the process ends", async ({ onTestFinished }) => {
    const stage = await openStage(settings("1"))
    onTestFinished(stage.close)
    const { test } = await stage.newSeller()
    const { traceId, traceparent } = newTrace()
    await getCharge(test, "txn_none")
    await create(test, traceparent)
    expect((await stage.service.terminate()).code).toBe(0)
    expect([...pathsOf(spansOf(traceId)).keys()]).toContain(`${creation} > FCALL charges_create`)
  })
})

describe("without a collector", () => {
  it("nothing is traced: ids have no mark, and the metrics no spans", async ({ onTestFinished }) => {
    const stage = await openStage({ SIMULATOR_DELAY_MS: "20", OTEL_TRACES_SAMPLER_ARG: "1" })
    onTestFinished(stage.close)
    const { test } = await stage.newSeller()
    const charge = await create(test, newTrace().traceparent)
    expect(isSampledId(charge.id)).toBe(false)
    const metrics = await (await fetch(`${stage.service.url}/metrics`)).text()
    expect(metrics).not.toContain("corrente_trace_spans_total")
  })
})
