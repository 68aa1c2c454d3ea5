import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from "vitest"
import {
  Corrente,
  CorrenteError,
  type ExportedFile,
  type ExportedRows,
  type StatementRow,
  type TransactionRow,
} from "../../client/src/index.ts"
import { errorAnswer, type Scripted, scriptedFetch } from "./support/scriptedFetch.ts"

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** A client of a service that answers with a body in pieces, which ends or breaks; and whether its reader has left. */
const clientOfPieces = (pieces: ReadonlyArray<Uint8Array>, end: "ends" | "breaks" | "stalls" = "ends") => {
  const left = vi.fn()
  const rest = [...pieces]
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const piece = rest.shift()
        if (piece !== undefined) return controller.enqueue(piece)
        if (end === "ends") return controller.close()
        if (end === "breaks") return controller.error(new TypeError("terminated"))
        return new Promise<void>(() => {})
      },
      cancel: left,
    },
    { highWaterMark: 0 },
  )
  const headers = {
    "content-type": "application/x-ndjson",
    "content-disposition": 'attachment; filename="cobrancas-producao.ndjson"',
  }
  const fetch = async () => new Response(body, { headers })
  return { corrente: new Corrente({ apiKey: "sk_live_1", baseUrl: "https://pay.example", fetch }), left }
}

const clientOf = (...script: ReadonlyArray<Scripted>) => {
  const { fetch, requests } = scriptedFetch(...script)
  return { corrente: new Corrente({ apiKey: "sk_test_1", baseUrl: "https://pay.example/", fetch }), requests }
}

const all = async <T>(items: AsyncIterable<T>): Promise<ReadonlyArray<T>> => {
  const found: Array<T> = []
  for await (const item of items) found.push(item)
  return found
}

/** How a call ends while timers run at once. */
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

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe("an export", () => {
  it("each list and the statement are asked for under their own path, with format and filters", async () => {
    const { corrente, requests } = clientOf({ status: 200, body: "id\r\n" })
    await corrente.transactions.export()
    await corrente.transactions.export({ format: "xlsx", status: "paid", payment_link_id: "plk_1" })
    await corrente.refunds.export({ format: "ndjson" })
    await corrente.withdrawals.export({ locale: "en" })
    const days = { from: "2026-11-01", to: "2026-11-30" } as const
    await corrente.statement.export({ ...days, format: "ofx" })
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /v1/transactions/export",
      "GET /v1/transactions/export?format=xlsx&status=paid&payment_link_id=plk_1",
      "GET /v1/refunds/export?format=ndjson",
      "GET /v1/withdrawals/export?locale=en",
      "GET /v1/statement/export?from=2026-11-01&to=2026-11-30&format=ofx",
    ])
    expect(requests[0]?.headers.get("accept")).toBe("*/*")
  })

  it("a file has the service's name and kind, and its bytes as they come", async () => {
    const { corrente } = clientOfPieces([bytesOf("id;"), bytesOf("valor\r\n")])
    const file = await corrente.transactions.export({ format: "csv" })
    expect([file.name, file.contentType]).toEqual(["cobrancas-producao.ndjson", "application/x-ndjson"])
    expect(Buffer.concat(await all(file)).toString()).toBe("id;valor\r\n")
  })

  it("JSON lines are read as rows, wherever their bytes were cut", async () => {
    const bytes = bytesOf('{"id":"txn_1","payer":"João"}\n{"id":"txn_2","payer":"a\\nb"}\n')
    for (let at = 1; at < bytes.length; at++) {
      const { corrente } = clientOfPieces([bytes.slice(0, at), bytes.slice(at)])
      const file = await corrente.transactions.export({ format: "ndjson" })
      expect(await all(file.rows())).toEqual([
        { id: "txn_1", payer: "João" },
        { id: "txn_2", payer: "a\nb" },
      ])
    }
  })

  it("a file that does not end properly fails after what came of it", async () => {
    const { corrente } = clientOfPieces([bytesOf('{"id":"txn_1"}\n')], "breaks")
    const rows = (await corrente.transactions.export({ format: "ndjson" })).rows()
    expect((await rows.next()).value).toEqual({ id: "txn_1" })
    const error = await failureOf(rows.next())
    expect([error.code, error.message]).toEqual(["network_error", expect.stringContaining("did not end")])
  })

  it("rows that end within a line fail, even where the connection ended properly", async () => {
    const { corrente } = clientOfPieces([bytesOf('{"id":"txn_1"}\n{"id":')])
    const rows = (await corrente.transactions.export({ format: "ndjson" })).rows()
    expect((await rows.next()).value).toEqual({ id: "txn_1" })
    expect((await failureOf(rows.next())).code).toBe("network_error")
  })

  it("a piece that does not come in time ends the file, and the reader leaves", async () => {
    const { corrente, left } = clientOfPieces([bytesOf("id")], "stalls")
    const file = await corrente.transactions.export()
    expect((await failureOf(all(file))).code).toBe("timeout")
    expect(left).toHaveBeenCalledOnce()
  })

  it("a reader that stops reading, or aborts, lets the service stop too", async () => {
    const stopped = clientOfPieces([bytesOf("1"), bytesOf("2"), bytesOf("3")])
    for await (const _ of await stopped.corrente.refunds.export()) break
    expect(stopped.left).toHaveBeenCalledOnce()

    const controller = new AbortController()
    const aborted = clientOfPieces([bytesOf("1")], "stalls")
    const file = await aborted.corrente.refunds.export({}, { signal: controller.signal })
    const reading = failureOf(all(file))
    controller.abort()
    expect((await reading).code).toBe("aborted")
    expect(aborted.left).toHaveBeenCalledOnce()
  })

  it("is asked for again where too many files are being sent, and fails as any call", async () => {
    const busy = errorAnswer(429, "rate_limited", { headers: { "retry-after": "5" } })
    const again = clientOf(busy, { status: 200, body: "id\r\n" })
    const file = again.corrente.withdrawals.export()
    await vi.runAllTimersAsync()
    expect(Buffer.concat(await all(await file)).toString()).toBe("id\r\n")
    expect(again.requests).toHaveLength(2)

    const wrong = clientOf(errorAnswer(400, "validation_failed", { fields: { param: "from" } }))
    const days = { from: "2026-13-01", to: "2026-11-30", format: "csv" } as const
    const error = await failureOf(wrong.corrente.statement.export(days))
    expect([error.code, error.param]).toEqual(["validation_failed", "from"])
  })

  it("only JSON lines have rows, of the list's own type", () => {
    const exports = (corrente: Corrente) => ({
      csv: corrente.transactions.export(),
      lines: corrente.transactions.export({ format: "ndjson", locale: "en" }),
      statement: corrente.statement.export({ from: "2026-11-01", to: "2026-11-02", format: "ndjson" }),
      ofx: corrente.statement.export({ from: "2026-11-01", to: "2026-11-02", format: "ofx" }),
    })
    expectTypeOf(exports).returns.toEqualTypeOf<{
      csv: Promise<ExportedFile>
      lines: Promise<ExportedRows<TransactionRow>>
      statement: Promise<ExportedRows<StatementRow>>
      ofx: Promise<ExportedFile>
    }>()
  })
})
