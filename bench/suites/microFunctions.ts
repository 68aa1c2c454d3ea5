import { Deferred, Effect } from "effect"
import { renderEventFrame } from "../../actors/event/envelope.ts"
import type { Registrar } from "../../actors/metrics/registrar.ts"
import type { ActorFailed } from "../../actors/runtime/actor.ts"
import { makeRegistry } from "../../actors/runtime/registry.ts"
import { transactionsGroup } from "../../schema/api/transactions.ts"
import { makeId } from "../../schema/ids.ts"
import { signAttempt } from "../../src/delivery/signature.ts"
import { FanOut } from "../../src/feed/fanOut.ts"
import { FeedStream, Hub } from "../../src/feed/feedStream.ts"
import { makeBodyDecoder } from "../../src/http/contract/bodyDecoder.ts"
import { RequestMetrics } from "../../src/http/server/requestMetrics.ts"
import type { Incoming } from "../../src/http/server/route.ts"
import { deadEnd } from "../../src/http/server/router.ts"
import { makeBrCodeBuilder } from "../../src/pixCode/brCode.ts"
import { encodePngBase64, encodeQrPngBase64 } from "../../src/pixCode/qrPng.ts"
import { encodeQrSymbol } from "../../src/pixCode/qrSymbol.ts"
import { CommandTimes } from "../../src/store/redis/commandTimes.ts"

/** A function that repeats its work so often; its result keeps the work from being optimised away, and is the same each time. */
type MicroBench = (iterations: number) => number | Promise<number>

const indexes = Array.from({ length: 64 }, (_, index) => index)

/** Benches `operation` on the inputs in turn; the checksum covers its results' lengths. */
const each =
  <A>(inputs: ReadonlyArray<A>, operation: (input: A) => { readonly length: number }): MicroBench =>
  (iterations) => {
    let checksum = 0
    for (let done = 0; done < iterations; ) {
      for (const input of inputs) {
        if (done++ === iterations) break
        checksum += operation(input).length
      }
    }
    return checksum
  }

const buildBrCode = makeBrCodeBuilder({ merchantName: "Padaria São João", merchantCity: "São Paulo" })
const locations = indexes.map((index) => {
  const hex = (0x1234_5678 * (index + 1)).toString(16).padStart(16, "0").slice(-16)
  return `pix.corrente.test/qr/v2/${hex}${hex}`
})
const payloads = locations.map(buildBrCode)

const bodies = indexes.map((index): Incoming => {
  const body = {
    amount: 1_990 + index,
    payment_method: "pix",
    customer: { name: "Ana Souza", email: "ana@example.com", document: "529.982.247-25" },
    items: [{ name: "Assinatura", quantity: 1, unit_amount: 1_990 + index }],
    metadata: { order_id: `2026-${index}`, channel: "web" },
  }
  return {
    requestId: "req_0",
    authorization: undefined,
    params: [],
    query: "",
    headers: [],
    contentType: "application/json",
    contentEncoding: "",
    remoteAddress: "127.0.0.1",
    body: Buffer.from(JSON.stringify(body)),
  }
})
const decodeCreate = makeBodyDecoder(transactionsGroup.endpoints.createTransaction)

const namesOf = (decoded: unknown): ReadonlyArray<string> => {
  if (decoded === null || typeof decoded !== "object" || !("amount" in decoded)) {
    throw new Error(`a body was not decoded: ${String(decoded)}`)
  }
  return Object.keys(decoded)
}

interface Echo {
  readonly value: number
  readonly reply: Deferred.Deferred<number, ActorFailed>
}

/** Requests to an actor that answers at once, with as many in flight as a busy server has. */
const askActor: MicroBench = (iterations) =>
  Effect.gen(function* () {
    const registry = yield* makeRegistry<Echo, never>({
      name: "echo",
      start: () =>
        Effect.succeed((batch) =>
          Effect.sync(() => {
            for (const { value, reply } of batch) Deferred.doneUnsafe(reply, Effect.succeed(value))
          }),
        ),
      mailboxCapacity: 1_024,
      batchMax: 64,
      idleMillis: 60_000,
    })
    let sum = 0
    const ask = (value: number) =>
      Effect.map(
        registry.ask<number, never>("one", (reply) => ({ value, reply })),
        (answer) => {
          sum += answer
        },
      )
    const values = Array.from({ length: iterations }, (_, index) => index)
    yield* Effect.forEach(values, ask, { concurrency: 64, discard: true })
    return sum
  }).pipe(Effect.scoped, Effect.runPromise)

const feed = { sellerId: makeId("sel_", 1_763_683_655_123, 7, new Uint8Array(14)), mode: "live" as const }
const data = JSON.stringify({ id: "txn_1", status: "paid", amount: 1_990, qr: "iVBORw0KGgo".repeat(150) })
const event = { seq: 41, type: "transaction.paid", resourceId: "txn_1", internal: false, data }
const entryOf = (index: number) => ({ ...event, entryId: `${1_763_683_655_123 + (index % 64)}-0` })
const restore = (text: string): string => text
const nothing = (): void => {}
const ends = { whenDrained: nothing, end: nothing, cut: nothing, onEnded: nothing }

/** Writes events to 10,000 streams each; every event is encoded once for all. */
const makeFanOut = (): MicroBench => {
  const hub = new Hub(feed)
  const fanOut = new FanOut(restore, { framesSent: 0 }, { cutSlow: nothing, tellStatus: nothing })
  let bytesWritten = 0
  const write = (bytes: Uint8Array): void => {
    bytesWritten += bytes.byteLength
  }
  for (let index = 0; index < 10_000; index++) {
    const stream = new FeedStream(String(index), hub, undefined, undefined, 0, 0, 0)
    stream.connection = { write, unsentBytes: () => 0, ...ends }
    hub.live.add(stream)
  }
  return (iterations) => {
    bytesWritten = 0
    for (let written = 0; written < iterations; written += hub.live.size) {
      hub.last = "0-0"
      fanOut.deliver(hub, [entryOf(written)])
    }
    return bytesWritten
  }
}

const eventBody = Buffer.from(JSON.stringify({ id: "evt_1", data: { qr: "iVBORw0KGgo".repeat(120) } }))
const attempts = indexes.map((index) => ({
  secrets: [`whsec_${"c2VjcmV0".repeat(5)}abc`],
  eventId: `evt_01KB2N4Y8Q6ZJ5T7R9W3X1V0${String(index).padStart(2, "0")}`,
  timestampSeconds: 1_763_683_655,
  body: eventBody,
}))

const unread: Registrar = { counter: () => {}, gauge: () => {}, histogram: () => {} }
const routes = indexes.map((index) => ({ ...deadEnd, method: "GET", path: `/v1/${index}` }))
const done = { length: 1 }
const requests = new RequestMetrics(unread)
const outcome = { answered: () => {}, failed: () => {} }
const send = new CommandTimes(unread).timed((_command, _args, timed) => timed.answered(null, 0))
const calls = indexes.map((index) => [`corrente_function_${index % 8}`, 1, "key"] as const)
/** Streams of the bench that writes to as many at once. */
export const fanOutStreams = 10_000
export const fanOutName = "frame to one of 10,000 streams"

/** Single functions of the service, by what is reported. */
export const microBenches: Readonly<Record<string, MicroBench>> = {
  "decode a charge's body": each(bodies, (body) => namesOf(decodeCreate?.(body))),
  "BR code": each(locations, buildBrCode),
  "QR symbol": each(payloads, (payload) => encodeQrSymbol(payload).rows),
  "PNG in base64": each(payloads.map(encodeQrSymbol), encodePngBase64),
  "the three together": each(locations, (location) => encodeQrPngBase64(buildBrCode(location))),
  "ask an actor": askActor,
  "event frame": each(indexes, (index) => Buffer.from(renderEventFrame(feed, entryOf(index), restore))),
  [fanOutName]: makeFanOut(),
  // Both signatures of an attempt, over 1.4 kB.
  "sign an attempt": each(attempts, (attempt) => signAttempt(attempt)?.webhookSignature ?? ""),
  // All that metrics cost a request in the front end: both readings of the clock, and counting the answer.
  "count an answer": each(routes, (route) => {
    requests.answered(route, 200, performance.now())
    return done
  }),
  // All that metrics cost a commit: a connection reads the clock at each reply anyhow.
  "time a commit": each(calls, (args) => {
    send("FCALL", args, outcome)
    return done
  }),
}
