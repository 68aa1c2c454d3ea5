import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import jsqr from "jsqr"
import { hasError, isDynamicPix, parsePix } from "pix-utils"
import { PNG } from "pngjs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { DeliveryDetail } from "../../schema/resources/delivery.ts"
import type { Event } from "../../schema/resources/event.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { encodeQrPngBase64 } from "../../src/pixCode/qrPng.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import {
  chargeBody,
  chargeWhen,
  eventsOf,
  freshKey,
  getCharge,
  makeCharge,
  postCharge,
} from "./support/charges.ts"
import { eventually, type Page } from "./support/client.ts"
import { verify } from "./support/deliveries.ts"
import { openStream } from "./support/sse.ts"
import { openStage, receiverSettings, type Seller, type Stage } from "./support/stage.ts"

let receiver: TlsReceiver
let stage: Stage
let seller: Seller

beforeAll(async () => {
  receiver = await startTlsReceiver()
  stage = await openStage({
    SIMULATOR_DELAY_MS: "200",
    PIX_LOCATION_HOST: "pix.example.com",
    PIX_MERCHANT_NAME: "LOJA DA ANA",
    PIX_MERCHANT_CITY: "RECIFE",
    ...receiverSettings(receiver),
  })
  seller = await stage.newSeller()
})

afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** The fields of a BR Code (EMV: two digits of tag, two of length, the value). */
const fieldsOf = (payload: string): ReadonlyArray<readonly [tag: string, value: string]> => {
  const fields: Array<readonly [string, string]> = []
  for (let at = 0; at < payload.length; ) {
    const length = Number(payload.slice(at + 2, at + 4))
    fields.push([payload.slice(at, at + 2), payload.slice(at + 4, at + 4 + length)])
    at += 4 + length
  }
  return fields
}

describe("a charge", () => {
  it("a new charge has every field of the contract, with the values sent and the initial ones", async () => {
    const answer = await postCharge<Transaction>(
      seller.test,
      chargeBody({
        amount: 5_000,
        customer: {
          name: "Zoë 💸",
          email: "zoe@example.com",
          document: "12.abc.345/01de-35",
          phone: "11 98888-7777",
          nickname: "Z",
        },
        items: [{ name: "Café", quantity: 2, unit_amount: 2_500, sku: "c-1" }],
        pix: { expires_in_seconds: 600 },
        metadata: { order: "1042", weight: 1.5, gift: false },
      }),
    )
    const { id, pix, created_at, expires_at, ...rest } = answer.body
    expect(answer.headers.get("content-type")).toBe("application/json")
    expect(id).toMatch(/^txn_[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
    expect(created_at).toMatch(timestamp)
    expect(expires_at).toMatch(timestamp)
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(600_000)
    expect(Object.keys(pix)).toEqual(["txid", "payload", "qr_base64", "expires_at"])
    expect(pix.txid).toMatch(/^[a-zA-Z0-9]{32}$/)
    expect(pix.expires_at).toBe(expires_at)
    expect(rest).toEqual({
      object: "transaction",
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      mode: "test",
      status: "pending",
      amount: 5_000,
      fee: 0,
      net_amount: 5_000,
      currency: "BRL",
      payment_method: "pix",
      payment_url: expect.stringMatching(/^http:\/\/localhost:\d+\/pay\/[\w-]{43}$/),
      customer: {
        name: "Zoë 💸",
        email: "zoe@example.com",
        document: "12ABC34501DE35",
        phone: "11 98888-7777",
      },
      items: [{ name: "Café", quantity: 2, unit_amount: 2_500 }],
      metadata: { order: "1042", weight: 1.5, gift: false },
      reference: null,
      description: null,
      return_url: null,
      show_on_page: false,
      postback_url: null,
      end_to_end_id: null,
      failure_reason: null,
      reserve: null,
      refunded_amount: 0,
      refunds: [],
      exceptions: [],
      paid_at: null,
      expired_at: null,
      failed_at: null,
      refunded_at: null,
      chargeback_at: null,
    })
  })

  it("a charge expires after a day by default", async () => {
    const charge = await makeCharge(seller.test)
    expect(Date.parse(charge.expires_at) - Date.parse(charge.created_at)).toBe(86_400_000)
  })

  it("a charge has the mode of its key", async () => {
    expect((await makeCharge(seller.test)).mode).toBe("test")
    expect((await makeCharge(seller.live)).mode).toBe("live")
  })

  it("a charge keeps text that looks like markup or a command unchanged", async () => {
    const name = '</script>"\\u0000 {p07} $& %00 %s'
    const metadata = { __proto__x: "1", constructor: "2", note: "3\n\t", text: "data: x\n\nid: evt_1" }
    const charge = await makeCharge(seller.test, {
      customer: { name, email: "a'--@example.com", document: "52998224725" },
      metadata,
    })
    const { body } = await getCharge(seller.test, charge.id)
    expect(body.customer.name).toBe(name)
    expect(body.metadata).toEqual(metadata)
  })
})

describe("the PIX code of a charge", () => {
  it("a charge's PIX code is a BR Code that a parser reads, with its fields in order", async () => {
    const { pix } = await makeCharge(seller.test)
    const parsed = parsePix(pix.payload)
    if (hasError(parsed) || !isDynamicPix(parsed)) throw new Error(JSON.stringify(parsed))
    expect(parsed.url).toMatch(/^pix\.example\.com\/qr\/v2\/[0-9a-f]{32}$/)
    expect(parsed).toMatchObject({
      merchantName: "LOJA DA ANA",
      merchantCity: "RECIFE",
      transactionCurrency: "986",
      countryCode: "BR",
    })
    const fields = fieldsOf(pix.payload)
    expect(fields.map(([tag]) => tag)).toEqual(["00", "01", "26", "52", "53", "58", "59", "60", "62", "63"])
    const byTag = Object.fromEntries(fields)
    expect(byTag).toMatchObject({ "00": "01", "01": "12", "62": "0503***" })
    expect(fieldsOf(byTag["26"] ?? "")).toEqual([
      ["00", "br.gov.bcb.pix"],
      ["25", parsed.url],
    ])
    // The parser does check the checksum.
    const [last = ""] = pix.payload.slice(-1)
    expect(hasError(parsePix(pix.payload.slice(0, -1) + (last === "0" ? "1" : "0")))).toBe(true)
  })

  it("a charge's QR picture scans to its PIX code, and has a quiet zone of four modules", async () => {
    const { pix } = await makeCharge(seller.test)
    expect(pix.qr_base64).toMatch(/^[A-Za-z0-9+/]+={0,2}$/)
    const { data, width, height } = PNG.sync.read(Buffer.from(pix.qr_base64, "base64"), { checkCRC: true })
    const read = jsqr.default(new Uint8ClampedArray(data), width, height, { inversionAttempts: "dontInvert" })
    expect(read?.data).toBe(pix.payload)
    const modulePixels = width / (17 + 4 * (read?.version ?? 0) + 8)
    expect(read?.location.topLeftCorner.x).toBeCloseTo(4 * modulePixels, 0)
    expect(read?.location.topLeftCorner.y).toBeCloseTo(4 * modulePixels, 0)
  })

  it("every charge has a PIX code, a txid and a QR picture of its own", async () => {
    const charges = await Promise.all(Array.from({ length: 50 }, () => makeCharge(seller.test)))
    for (const take of [
      (pix: Transaction["pix"]) => pix.payload,
      (pix: Transaction["pix"]) => pix.txid,
      (pix: Transaction["pix"]) => pix.qr_base64,
    ]) {
      expect(new Set(charges.map(({ pix }) => take(pix))).size).toBe(50)
    }
  })
})

describe("a charge's QR picture", () => {
  it("a QR picture is shown wherever its charge is, and stored nowhere", async () => {
    const key = freshKey()
    const body = chargeBody({ postback_url: receiver.url, metadata: { qr_base64: "", payload: "" } })
    const { body: charge } = await postCharge<Transaction>(seller.test, body, key)
    await chargeWhen(seller.test, charge.id, "paid")
    const picture = encodeQrPngBase64(charge.pix.payload)
    const pictureIn = (transaction: unknown) => (transaction as Transaction).pix.qr_base64

    expect(charge.pix.qr_base64).toBe(picture)
    expect(pictureIn((await postCharge<Transaction>(seller.test, body, key)).body)).toBe(picture)
    expect(pictureIn((await getCharge(seller.test, charge.id)).body)).toBe(picture)
    const { body: list } = await seller.test.get<Page<Transaction>>("/v1/transactions?limit=100")
    expect(pictureIn(list.data.find(({ id }) => id === charge.id))).toBe(picture)
    const events = await eventsOf(seller.test, charge.id)
    expect(events.map(({ data }) => pictureIn(data.object))).toEqual([picture, picture])
    const [created, paid] = events as [Event, Event]
    const stream = await openStream(seller.test, "/events", { "last-event-id": created.id })
    const frame = await eventually("the paid event's frame", async () =>
      stream.events().find(({ id }) => id === paid.id),
    )
    expect(pictureIn(JSON.parse(frame.data).data.object)).toBe(picture)
    stream.close()
    const received = await eventually("the postback", async () =>
      receiver.requests.find(({ headers }) => headers["x-event-id"] === paid.id),
    )
    expect(pictureIn(JSON.parse(received.body).data.object)).toBe(picture)
    verify(received, seller.postbackSecret)
    expect(charge.metadata).toEqual({ qr_base64: "", payload: "" })

    const aof = readdirSync(join(stage.service.dataDir, "redis"), { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile() && file.name.endsWith(".incr.aof"))
      .map((file) => readFileSync(join(file.parentPath, file.name)))
    // The payload shows that we look in the right place.
    expect(aof.some((bytes) => bytes.includes(charge.pix.payload))).toBe(true)
    expect(aof.filter((bytes) => bytes.includes(picture.slice(0, 60)))).toEqual([])
  })
})

describe("a customer's document", () => {
  const document = "39053344705"

  const deliveriesOf = (eventId: string) =>
    eventually("the delivery", async () => {
      const { body } = await seller.test.get<Page<{ id: string }>>(
        `/v1/webhook-deliveries?event_id=${eventId}`,
      )
      return body.data[0]
    })

  it("a customer's document is shown in full to its seller everywhere, and is only ciphertext in Redis", async () => {
    const key = freshKey()
    const body = chargeBody({
      customer: { name: "Legível", email: "ana@example.com", document: "390.533.447-05" },
      postback_url: receiver.url,
    })
    const { body: charge } = await postCharge<Transaction>(seller.test, body, key)
    await chargeWhen(seller.test, charge.id, "paid")
    const documentIn = (transaction: unknown) => (transaction as Transaction).customer.document

    expect(charge.customer.document).toBe(document)
    expect((await postCharge<Transaction>(seller.test, body, key)).body.customer.document).toBe(document)
    expect((await getCharge(seller.test, charge.id)).body.customer.document).toBe(document)
    const { body: list } = await seller.test.get<Page<Transaction>>("/v1/transactions?limit=100")
    expect(list.data.find(({ id }) => id === charge.id)?.customer.document).toBe(document)
    const events = await eventsOf(seller.test, charge.id)
    expect(events.map(({ data }) => documentIn(data.object))).toEqual([document, document])
    const paid = events[1] as Event
    const { body: single } = await seller.test.get<Event>(`/v1/events/${paid.id}`)
    expect(documentIn(single.data.object)).toBe(document)
    const row = await deliveriesOf(paid.id)
    const { body: detail } = await seller.test.get<DeliveryDetail>(`/v1/webhook-deliveries/${row.id}`)
    const payload = detail.payload as { data: { object: unknown } }
    expect(documentIn(payload.data.object)).toBe(document)
    const received = receiver.requests.find(({ headers }) => headers["x-event-id"] === paid.id)
    expect(documentIn(JSON.parse(received?.body ?? "").data.object)).toBe(document)

    const folder = join(stage.service.dataDir, "redis")
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    )
    const stored = files.map((file) => readFileSync(join(file.parentPath, file.name)))
    // The rest is readable, which shows that we look in the right place.
    for (const readable of [charge.id, "Legível", row.id]) {
      expect(stored.some((bytes) => bytes.includes(readable))).toBe(true)
    }
    for (const secret of [
      document,
      "390.533.447-05",
      seller.keys.test,
      seller.keys.live,
      seller.postbackSecret,
    ]) {
      expect(stored.filter((bytes) => bytes.includes(secret))).toEqual([])
    }
    const keys = (await stage.redis("KEYS", "*")) as ReadonlyArray<string>
    expect(keys.filter((name) => name.includes(document))).toEqual([])
  })
})
