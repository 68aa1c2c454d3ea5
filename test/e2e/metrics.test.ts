import { readFileSync } from "node:fs"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ExceptionStore } from "../../actors/ports/exceptionStore.ts"
import { exceptionOfNobody } from "../../actors/seller/decisions/exceptionDocument.ts"
import { ExceptionStoreLive } from "../../src/store/exceptions.ts"
import { RedisClientLive } from "../../src/store/redis/redisClient.ts"
import { StoreOptions } from "../../src/store/storeOptions.ts"
import { workersOf } from "../processes/workers.ts"
import { parseExposition, valueOf } from "../support/exposition.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { until } from "../support/until.ts"
import { makeCharge } from "./support/charges.ts"
import { rowsWhen } from "./support/deliveries.ts"
import { readyStream } from "./support/sse.ts"
import { openStage, receiverSettings, type Seller, type Stage } from "./support/stage.ts"

const partitions = 64

let receiver: TlsReceiver
let stage: Stage
let seller: Seller
beforeAll(async () => {
  receiver = await startTlsReceiver()
  stage = await openStage({
    PROCESSES: "2",
    SIMULATOR_DELAY_MS: "20",
    AUDIT_INTERVAL_SECONDS: "1",
    ...receiverSettings(receiver),
  })
  seller = await stage.newSeller({
    endpoints: [{ url: `${receiver.origin}/hook`, events: ["transaction.paid"] }],
  })
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

/**
 * A scrape on a connection of its own, which the system gives to any of the processes. It may be up to a second old: each renders once
 * a second.
 */
const scrape = async () => {
  const answer = await fetch(`${stage.service.url}/metrics`, { headers: { connection: "close" } })
  expect(answer.status).toBe(200)
  return parseExposition(await answer.text())
}
const read = async (name: string, labels = {}): Promise<number> => valueOf(await scrape(), name, labels) ?? 0
const charges = { method: "POST", route: "/v1/transactions", status: "201" }

/** Records a payout of live that is none of ours, as a sweep does. */
const openException = () => {
  const about = "E00000000202611211200001"
  const details = { end_to_end_id: about }
  const found = { kind: "payout_unknown", about, acquirer: "api-pix", amount: 700, details } as const
  const options = {
    retentionMillis: 86_400_000,
    testRetentionMillis: 86_400_000,
    partitions,
    processId: "test",
  }
  const store = ExceptionStoreLive.pipe(
    Layer.provide(RedisClientLive(stage.service.redisUrl)),
    Layer.provide(Layer.succeed(StoreOptions, options)),
  )
  const open = Effect.flatMap(ExceptionStore, ({ open: record }) =>
    record(exceptionOfNobody(found, "api-pix:0", partitions, Date.now())),
  )
  return Effect.runPromise(Effect.provide(open, store))
}

describe("/metrics of two processes", () => {
  it("charges made at both are counted together, whichever is scraped", async () => {
    for (let i = 0; i < 12; i++) await makeCharge(seller.test)
    const scraped = new Set<number | undefined>()
    await until("scrapes at both", async () => {
      const families = await scrape()
      expect(valueOf(families, "corrente_http_requests_total", charges)).toBe(12)
      expect(valueOf(families, "corrente_scrape_silent_processes")).toBe(0)
      return scraped.add(valueOf(families, "corrente_scrape_process")).size === 2
    })
    expect([...scraped].toSorted()).toEqual([1, 2])
    await until("all partitions", async () => (await read("corrente_partitions_held")) === partitions)
    expect(
      await read("corrente_commit_duration_seconds_count", { function: "charges_create" }),
    ).toBeGreaterThan(0)
    expect(
      await read("corrente_acquirer_calls_total", { operation: "create_charge", outcome: "answered" }),
    ).toBeGreaterThanOrEqual(12)
  })

  it("a delivery counts as an attempt by its outcome", async () => {
    const before = await read("corrente_delivery_attempts_total", { outcome: "success" })
    await makeCharge(seller.test)
    await rowsWhen(seller.test, (rows) => rows.length >= 13)
    const succeeded = () => read("corrente_delivery_attempts_total", { outcome: "success" })
    await until("the attempt", async () => (await succeeded()) > before)
    expect(await read("corrente_delivery_attempts_total", { outcome: "dead" })).toBe(0)
  })

  it("a stream is open until it ends, and its frames are counted", async () => {
    const stream = await readyStream(seller.test)
    await until("the stream", async () => (await read("corrente_streams_open")) === 1)
    const frames = await read("corrente_stream_frames_total")
    await makeCharge(seller.test)
    await until("its frames", async () => (await read("corrente_stream_frames_total")) >= frames + 2)
    stream.close()
    await until("the stream to end", async () => (await read("corrente_streams_open")) === 0)
  })

  it("an exception of a payout is open by its kind, and payouts are frozen", async () => {
    expect(await read("corrente_payouts_frozen")).toBe(0)
    await openException()
    const open = () => read("corrente_exceptions_open", { kind: "payout_unknown" })
    await until("the exception", async () => (await open()) === 1)
    // Each process renders its metrics once a second.
    await until("all exceptions", async () => (await read("corrente_exceptions_open")) === 1)
    await until("the freeze", async () => (await read("corrente_payouts_frozen")) === 1)
  })

  it("every documented metric is scraped, and every scraped one is documented", async () => {
    const operations = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8")
    const section = operations.slice(operations.indexOf("\n## Metrics\n"), operations.indexOf("\n## Log\n"))
    const rows = section.split("\n").filter((line) => line.startsWith("| `corrente_"))
    const documented = rows.flatMap((row) => row.split("|")[1]?.match(/corrente_\w+/g) ?? [])
    await until("an audit", async () => (await scrape()).has("corrente_audit_oldest_full_seconds"))
    const families = await scrape()
    // Only with settings that this service does not have.
    const ofSettings = /^corrente_(?:replication_wait|trace)_/
    expect([...families.keys()].toSorted()).toEqual(
      documented.filter((name) => !ofSettings.test(name)).toSorted(),
    )
    for (const { name, type, samples } of families.values()) {
      expect(name.endsWith("_total"), name).toBe(type === "counter")
      expect(name).not.toMatch(/_(?:ms|millis|milliseconds|percent)(?:_|$)/)
      if (type === "histogram") expect(name).toMatch(/_seconds$/)
      const labels = rows.find((row) => row.split("|")[1]?.includes(`\`${name}\``))?.split("|")[2] ?? ""
      const wanted = labels.match(/\w+/g) ?? []
      for (const { labels: found } of samples) {
        expect(
          Object.keys(found)
            .filter((label) => label !== "le")
            .toSorted(),
          name,
        ).toEqual(wanted.toSorted())
      }
    }
  })

  it("totals do not fall when a process dies", async () => {
    const before = await read("corrente_http_requests_total", charges)
    const [, second] = workersOf(stage.service.pid)
    if (second === undefined) throw new Error("there is no second process")
    process.kill(second.pid, "SIGKILL")
    await until("another second process", () => {
      const now = workersOf(stage.service.pid).find(({ number }) => number === 2)
      return now !== undefined && now.pid !== second.pid
    })
    await until("scrapes at both", async () => {
      const families = await scrape().catch(() => undefined)
      if (families === undefined) return false
      expect(valueOf(families, "corrente_http_requests_total", charges)).toBe(before)
      return valueOf(families, "corrente_scrape_process") === 2
    })
  })

  it("a process that does not answer counts with its last values, and the scrape waits for it no longer than a second or so", async () => {
    const before = await read("corrente_http_requests_total", charges)
    const [first] = workersOf(stage.service.pid)
    if (first === undefined) throw new Error("there is no first process")
    process.kill(first.pid, "SIGSTOP")
    try {
      await until("a scrape at the other process", async () => {
        const signal = AbortSignal.timeout(5_000)
        const answer = await fetch(`${stage.service.url}/metrics`, {
          ...{ signal, headers: { connection: "close" } },
        }).catch(() => undefined)
        if (answer?.status !== 200) return false
        const families = parseExposition(await answer.text())
        expect(valueOf(families, "corrente_http_requests_total", charges)).toBe(before)
        return valueOf(families, "corrente_scrape_silent_processes") === 1
      })
    } finally {
      process.kill(first.pid, "SIGCONT")
    }
    await until("both to answer", async () => (await read("corrente_scrape_silent_processes")) === 0)
  })
})
