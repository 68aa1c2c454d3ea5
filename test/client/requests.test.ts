import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { Corrente, CorrenteError } from "../../client/src/index.ts"
import { errorAnswer, type Scripted, scriptedFetch } from "./support/scriptedFetch.ts"

const charge = {
  amount: 12_990,
  payment_method: "pix" as const,
  customer: { name: "Ana Souza", email: "ana@example.com", document: "529.982.247-25" },
  items: [{ name: "Assinatura", quantity: 1, unit_amount: 12_990 }],
}
const made: Scripted = { status: 201, body: { id: "txn_1" } }

/** A client of a scripted service, and what it sent. */
const clientOf = (...script: ReadonlyArray<Scripted>) => {
  const { fetch, requests } = scriptedFetch(...script)
  return { corrente: new Corrente({ apiKey: "sk_test_1", baseUrl: "https://pay.example/", fetch }), requests }
}

/** The failure of a call while timers run at once. */
const failureOf = async (call: Promise<unknown>): Promise<CorrenteError> => {
  const failed = call.then(
    () => new Error("the call did not fail"),
    (error: unknown) => error,
  )
  await vi.runAllTimersAsync()
  const error = await failed
  if (error instanceof CorrenteError) return error
  throw error
}

const answerOf = async <T>(call: Promise<T>): Promise<T> => {
  void vi.runAllTimersAsync()
  return call
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe("a call", () => {
  it("customers are read, listed by words, and found by a charge", async () => {
    const ana = { id: "cus_1", object: "customer", charges: 2, paid_amount: 25_980 }
    const one = { status: 200, body: ana }
    const page = { status: 200, body: { data: [ana], next_cursor: null } }
    const { corrente, requests } = clientOf(one, page, one)
    expect(await corrente.customers.get("cus_1")).toEqual(ana)
    for await (const customer of corrente.customers.list({ q: "ana", limit: 10 }))
      expect(customer).toEqual(ana)
    expect(await corrente.customers.ofTransaction("txn_1")).toEqual(ana)
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /v1/customers/cus_1",
      "GET /v1/customers?q=ana&limit=10",
      "GET /v1/transactions/txn_1/customer",
    ])
  })

  it("a payment link is made, read, listed and changed under its own path", async () => {
    const link = { status: 200, body: { id: "plk_1" } }
    const page = { status: 200, body: { data: [{ id: "plk_1" }], next_cursor: null } }
    const { corrente, requests } = clientOf({ ...link, status: 201 }, link, page, link)
    await corrente.paymentLinks.create({ title: "Oficina", amount: 12_000 })
    await corrente.paymentLinks.get("plk_1")
    for await (const { id } of corrente.paymentLinks.list({ active: true })) expect(id).toBe("plk_1")
    await corrente.paymentLinks.update("plk_1", { active: false })
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /v1/payment-links",
      "GET /v1/payment-links/plk_1",
      "GET /v1/payment-links?active=true",
      "PATCH /v1/payment-links/plk_1",
    ])
    expect(requests[3]?.body).toBe(JSON.stringify({ active: false }))
  })

  it("receipts are read as bytes under the path of what they are of", async () => {
    const { corrente, requests } = clientOf({ status: 200, body: { pdf: 1 } }, { status: 200, body: {} })
    const bytes = await corrente.refunds.receipt("rfd_1", { locale: "en" })
    expect(Buffer.from(bytes).toString()).toBe(JSON.stringify({ pdf: 1 }))
    await corrente.withdrawals.receipt("wd_1")
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /v1/refunds/rfd_1/receipt.pdf?locale=en",
      "GET /v1/withdrawals/wd_1/receipt.pdf",
    ])
    expect(requests[0]?.headers.get("accept")).toBe("application/pdf")
  })

  it("a receipt that may have been mailed is not mailed again", async () => {
    const { corrente, requests } = clientOf(new Error("the connection was lost"))
    const body = { email: "ana@example.com" }
    await failureOf(corrente.transactions.sendReceipt("txn_1", body))
    expect(requests.map(({ method, path, body: sent }) => [method, path, sent])).toEqual([
      ["POST", "/v1/transactions/txn_1/receipt/send", JSON.stringify(body)],
    ])
  })

  it("the release calendar is read for as many days as are asked for", async () => {
    const { corrente, requests } = clientOf({ status: 200, body: { reserve: 0, data: [] } })
    expect(await corrente.balance.releases({ days: 7 })).toEqual({ reserve: 0, data: [] })
    expect(requests[0]?.path).toBe("/v1/balance/releases?days=7")
  })

  it("a call sends its key, its JSON and an Idempotency-Key of its own", async () => {
    const { corrente, requests } = clientOf(made)
    expect(await corrente.transactions.create(charge)).toEqual({ id: "txn_1" })
    await corrente.transactions.create(charge)

    const [first, second] = requests
    expect([first?.method, first?.path, first?.body]).toEqual([
      "POST",
      "/v1/transactions",
      JSON.stringify(charge),
    ])
    expect(first?.headers.get("authorization")).toBe("Bearer sk_test_1")
    expect(first?.headers.get("content-type")).toBe("application/json")
    expect(first?.headers.get("idempotency-key")).toMatch(/^[0-9a-f]{32}$/)
    expect(second?.headers.get("idempotency-key")).not.toBe(first?.headers.get("idempotency-key"))
  })

  it("a call to create keeps the Idempotency-Key that it is given", async () => {
    const { corrente, requests } = clientOf(made)
    await corrente.refunds.create("txn_1", { amount: 100 }, { idempotencyKey: "return-31" })
    await corrente.withdrawals.create({ amount: 1, pix_key_id: "pk_1" }, { idempotencyKey: "payout-7" })
    expect(requests.map(({ path, headers }) => [path, headers.get("idempotency-key")])).toEqual([
      ["/v1/transactions/txn_1/refunds", "return-31"],
      ["/v1/withdrawals", "payout-7"],
    ])
  })

  it("a call to a test control names its act in the path", async () => {
    const { corrente, requests } = clientOf({ status: 200 })
    const { test } = corrente
    for (const act of ["pay", "expire", "fail", "refund", "chargeback"] as const) {
      await test.transactions[act]("txn_1")
    }
    for (const act of ["approve", "reject", "succeed", "fail"] as const) await test.withdrawals[act]("wd_1")
    for (const act of ["succeed", "fail"] as const) await test.refunds[act]("rfd_1")
    await test.clock.advance({ seconds: 60 })
    expect(requests.map(({ path }) => path.replace("/v1/test/", ""))).toEqual([
      ...["pay", "expire", "fail", "refund", "chargeback"].map((act) => `transactions/txn_1/${act}`),
      ...["approve", "reject", "succeed", "fail"].map((act) => `withdrawals/wd_1/${act}`),
      ...["succeed", "fail"].map((act) => `refunds/rfd_1/${act}`),
      "clock/advance",
    ])
    expect(requests.at(-1)?.body).toBe('{"seconds":60}')
  })

  it("a call with an id that is none, or a key that no header can have, is not sent", async () => {
    const { corrente, requests } = clientOf(made)
    for (const id of ["", "..", "txn_1/refunds", "txn_1?x"]) {
      expect(await failureOf(corrente.transactions.get(id))).toMatchObject({
        code: "invalid_call",
        param: "id",
      })
    }
    const idempotencyKey = "pedido-ç\n"
    expect(await failureOf(corrente.transactions.create(charge, { idempotencyKey }))).toMatchObject({
      code: "invalid_call",
      param: "idempotencyKey",
    })
    expect(requests).toEqual([])
  })

  it("a client with options that cannot be used is refused", () => {
    const fine = { apiKey: "sk_test_1", baseUrl: "https://pay.example" }
    for (const [param, options] of Object.entries({
      apiKey: { ...fine, apiKey: "sk test" },
      baseUrl: { ...fine, baseUrl: "pay.example" },
      maxRetries: { ...fine, maxRetries: -1 },
      timeoutMillis: { ...fine, timeoutMillis: Number.NaN },
    })) {
      expect(() => new Corrente(options), param).toThrow(
        expect.objectContaining({ code: "invalid_call", param }),
      )
    }
  })
})

describe("a failure", () => {
  it("a failure has the fields of the service's error", async () => {
    const fields = { param: "amount", details: { left: 500 } }
    const { corrente } = clientOf(errorAnswer(400, "validation_failed", { fields }))
    const error = await failureOf(corrente.refunds.create("txn_1", { amount: 501 }))
    expect(error).toMatchObject({
      name: "CorrenteError",
      status: 400,
      code: "validation_failed",
      message: "It is validation_failed.",
      requestId: "req_1",
      ...fields,
    })
  })

  it("a failure that something before the service answered has its status, and the request's name if there is one", async () => {
    for (const body of ["<h1>Bad gateway</h1>", '"text"', '{"error":7}', ""]) {
      const { corrente } = clientOf({ status: 404, body, headers: { "x-request-id": "req_9" } })
      expect(await failureOf(corrente.balance.get())).toMatchObject({
        code: "unexpected_answer",
        status: 404,
        requestId: "req_9",
      })
    }
    const { corrente } = clientOf({ status: 200, body: "<h1>Welcome</h1>" })
    expect(await failureOf(corrente.balance.get())).toMatchObject({ code: "unexpected_answer", status: 200 })
  })
})

const inProgress = errorAnswer(409, "idempotency_in_progress", { headers: { "retry-after": "1" } })
const overloaded = errorAnswer(503, "service_unavailable", { headers: { "retry-after": "2" } })
const limited = errorAnswer(429, "rate_limited", { headers: { "retry-after": "3" } })
const broken = new TypeError("fetch failed")

describe("a temporary failure", () => {
  it("a temporary failure is tried again with the same bytes under the same key", async () => {
    const { corrente, requests } = clientOf(broken, inProgress, overloaded, limited, made)
    expect(await answerOf(corrente.transactions.create(charge))).toEqual({ id: "txn_1" })
    expect(requests).toHaveLength(5)
    expect(
      new Set(requests.map(({ body, headers }) => `${headers.get("idempotency-key")} ${body}`)).size,
    ).toBe(1)
  })

  it("a temporary failure is tried again no sooner than Retry-After says, in seconds or as a date", async () => {
    for (const [retryAfterOf, waitMillis] of [
      [() => "7", 7_000],
      // A date has whole seconds.
      [() => new Date(Date.now() + 20_000).toUTCString(), 19_000],
    ] as const) {
      const retryAfter = retryAfterOf()
      const { corrente, requests } = clientOf(
        errorAnswer(503, "service_unavailable", { headers: { "retry-after": retryAfter } }),
        made,
      )
      const call = corrente.transactions.create(charge)
      await vi.advanceTimersByTimeAsync(waitMillis - 1)
      expect(requests, retryAfter).toHaveLength(1)
      await vi.advanceTimersByTimeAsync(1_001)
      expect(requests, retryAfter).toHaveLength(2)
      await call
    }
  })

  it("a temporary failure without Retry-After waits longer each time, at most 8 s", async () => {
    const waits: Array<number> = []
    const { fetch } = scriptedFetch(broken)
    let last = Date.now()
    const timed: typeof globalThis.fetch = (...request) => {
      waits.push(Date.now() - last)
      last = Date.now()
      return fetch(...request)
    }
    const corrente = new Corrente({
      apiKey: "sk_test_1",
      baseUrl: "https://pay.example",
      fetch: timed,
      maxRetries: 7,
    })
    const error = await failureOf(corrente.balance.get())
    expect(error).toMatchObject({ code: "network_error", status: undefined, cause: broken })
    for (const [i, most] of [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000].entries()) {
      expect(waits[i + 1]).toBeGreaterThanOrEqual(most / 2)
      expect(waits[i + 1]).toBeLessThanOrEqual(most + 1)
    }
    expect(waits).toHaveLength(8)
  })

  it("a temporary failure that lasts is the call's after five more tries, or after maxRetries", async () => {
    const { corrente, requests } = clientOf(overloaded)
    expect(await failureOf(corrente.balance.get())).toMatchObject({
      code: "service_unavailable",
      status: 503,
    })
    expect(requests).toHaveLength(6)

    const { fetch, requests: sent } = scriptedFetch(overloaded)
    const once = new Corrente({ apiKey: "sk_test_1", baseUrl: "https://pay.example", fetch, maxRetries: 0 })
    expect(await failureOf(once.balance.get())).toMatchObject({ code: "service_unavailable" })
    expect(sent).toHaveLength(1)
  })

  it("a temporary failure that asks for more than a minute is the call's at once", async () => {
    for (const [seconds, tries] of [
      ["60", 6],
      ["61", 1],
    ] as const) {
      const { corrente, requests } = clientOf(
        errorAnswer(429, "rate_limited", { headers: { "retry-after": seconds } }),
      )
      const error = await failureOf(corrente.balance.get())
      expect([error.retryAfterSeconds, requests.length]).toEqual([Number(seconds), tries])
    }
  })

  it("500, 502 and refusals are not tried again", async () => {
    for (const [status, code] of [
      [400, "validation_failed"],
      [401, "invalid_api_key"],
      [403, "payout_locked"],
      [404, "resource_not_found"],
      [409, "invalid_state"],
      [409, "insufficient_balance"],
      [422, "idempotency_key_reused"],
      [500, "internal_error"],
      [502, "acquirer_error"],
    ] as const) {
      const { corrente, requests } = clientOf(errorAnswer(status, code))
      expect(await failureOf(corrente.transactions.create(charge))).toMatchObject({ status, code })
      expect([code, requests.length]).toEqual([code, 1])
    }
  })

  it("the test clock is not advanced again where it may have moved already", async () => {
    const moved: Scripted = { status: 200, body: { advanced_seconds: 60 } }
    for (const doubtful of [broken, overloaded]) {
      const { corrente, requests } = clientOf(doubtful, moved)
      await failureOf(corrente.test.clock.advance({ seconds: 60 }))
      expect(requests).toHaveLength(1)
    }
    const { corrente, requests } = clientOf(limited, moved)
    expect(await answerOf(corrente.test.clock.advance({ seconds: 60 }))).toEqual({ advanced_seconds: 60 })
    expect(requests).toHaveLength(2)
  })
})

describe("a time-out", () => {
  it("a time-out ends a try that has no answer, and the call after the last", async () => {
    const { fetch, requests } = scriptedFetch("never")
    const options = { apiKey: "sk_test_1", baseUrl: "https://pay.example", fetch, timeoutMillis: 100 }
    const corrente = new Corrente({ ...options, maxRetries: 2 })
    expect(await failureOf(corrente.balance.get())).toMatchObject({ code: "timeout", status: undefined })
    expect(requests).toHaveLength(3)
  })

  it("a time-out ends a try whose answer stops in its middle", async () => {
    const stalled: typeof globalThis.fetch = async () =>
      new Response(new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode("{")) }))
    const options = { apiKey: "sk_test_1", baseUrl: "https://pay.example", timeoutMillis: 100, maxRetries: 0 }
    const corrente = new Corrente({ ...options, fetch: stalled })
    expect(await failureOf(corrente.balance.get())).toMatchObject({ code: "timeout" })
  })
})

describe("an abort", () => {
  it("an abort ends a call before its first try, during one, and between two", async () => {
    const reason = new Error("the user left")
    const before = clientOf(made)
    const aborted = AbortSignal.abort(reason)
    const failed = await failureOf(before.corrente.transactions.create(charge, { signal: aborted }))
    expect([failed.code, failed.cause, before.requests.length]).toEqual(["aborted", reason, 0])

    for (const scripted of ["never", overloaded] as const) {
      const { corrente, requests } = clientOf(scripted)
      const controller = new AbortController()
      const call = corrente.transactions.create(charge, { signal: controller.signal })
      const ended = call.catch((error: unknown) => error)
      await vi.advanceTimersByTimeAsync(1_000)
      controller.abort(reason)
      expect(await ended).toMatchObject({ code: "aborted", cause: reason })
      expect(requests).toHaveLength(1)
      expect(vi.getTimerCount()).toBe(0)
    }
  })
})
