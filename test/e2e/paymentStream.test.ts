import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { DeliveryDetail } from "../../schema/resources/delivery.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { feedLimits } from "../../src/feed/feedLimits.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { until } from "../support/until.ts"
import {
  chargeBody,
  chargeWhen,
  eventsOf,
  freshKey,
  getCharge,
  makeCharge,
  postCharge,
} from "./support/charges.ts"
import { eventually, makeClient, type Page } from "./support/client.ts"
import { openStream, type RawStream, readyStream } from "./support/sse.ts"
import { openStage, receiverSettings, type Seller, type Stage } from "./support/stage.ts"

/** Never paid by the simulator. */
const unpaid = { amount: 12_901 }

let receiver: TlsReceiver
let stage: Stage
let seller: Seller
beforeAll(async () => {
  receiver = await startTlsReceiver()
  stage = await openStage({
    SIMULATOR_DELAY_MS: "600000",
    TRUSTED_PROXIES: "127.0.0.1,::1",
    ...receiverSettings(receiver),
  })
  seller = await stage.newSeller({ endpoints: [{ url: receiver.url, events: ["*"] }] })
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

const pathOf = ({ payment_url = "" }: Transaction): string => new URL(payment_url).pathname
const follow = (charge: Transaction, address = "192.0.2.1"): Promise<RawStream> =>
  openStream(makeClient(stage.service.url), `${pathOf(charge)}/events`, { "x-forwarded-for": address })
const statusesOf = (stream: RawStream) =>
  stream.frames.flatMap(({ event, data }) => (event === "status" ? [data] : []))
/** An open stream; one that a busy machine turns away comes back, as a browser's does. */
const following = async (charge: Transaction, address?: string): Promise<RawStream> => {
  const stream = await follow(charge, address)
  await until("the first event", () => stream.controls().length > 0 || !stream.isOpen())
  return stream.controls()[0]?.event === "status" ? stream : following(charge, address)
}
const act = async (charge: Transaction, name: string) => {
  const answer = await seller.test.post<Transaction>(`/v1/test/transactions/${charge.id}/${name}`)
  expect(answer.status).toBe(200)
  return answer.body
}

describe("a charge's payment_url", () => {
  it("every rendering of a charge has the same link, and a replay the same bytes", async () => {
    const key = freshKey()
    const made = await postCharge<Transaction>(seller.test, chargeBody(unpaid), key)
    const replayed = await postCharge(seller.test, chargeBody(unpaid), key)
    expect(replayed.text).toBe(made.text)
    const charge = made.body
    expect(charge.payment_url).toMatch(/^http:\/\/localhost:\d+\/pay\/[\w-]{43}$/)
    expect((await getCharge(seller.test, charge.id)).body.payment_url).toBe(charge.payment_url)
    const listed = await seller.test.get<Page<Transaction>>("/v1/transactions?limit=100")
    expect(listed.body.data.find(({ id }) => id === charge.id)?.payment_url).toBe(charge.payment_url)
    expect((await act(charge, "pay")).payment_url).toBe(charge.payment_url)
    for (const { data } of await eventsOf(seller.test, charge.id))
      expect((data.object as Transaction).payment_url).toBe(charge.payment_url)
    const delivered = await eventually("the delivery", async () => {
      const body = receiver.requests.find((request) => request.body.includes(charge.id))?.body
      return body === undefined
        ? undefined
        : (JSON.parse(body) as { readonly data: { readonly object: Transaction } })
    })
    expect(delivered.data.object.payment_url).toBe(charge.payment_url)
  })

  it("the token is found nowhere in Redis, however much of the charge is", async () => {
    const stream = await readyStream(seller.test)
    const key = freshKey()
    const made = await postCharge<Transaction>(seller.test, chargeBody(unpaid), key)
    const page = await fetch(made.body.payment_url ?? "")
    expect(page.status).toBe(200)
    const follower = await following(made.body)
    await act(made.body, "pay")
    await stream.waitForEvents(2)
    await follower.waitForEnd()
    await eventually("the delivery", async () => {
      const { body } = await seller.test.get<Page<DeliveryDetail>>(
        `/v1/webhook-deliveries?resource_id=${made.body.id}`,
      )
      return body.data[0]?.status === "success" ? body.data[0] : undefined
    })
    stream.close()
    const token = pathOf(made.body).split("/").at(-1) ?? ""
    expect(token).toHaveLength(43)
    const stored = await everythingInRedis()
    // The scan sees what is stored.
    expect(stored).toContain(made.body.id)
    expect(stored).toContain(made.body.pix.payload)
    expect(stored).not.toContain(token)
    expect(stored).not.toContain(Buffer.from(token, "base64url").toString("hex"))
    expect(stage.service.log()).not.toContain(token)
  })
})

/** All keys and values, as text. */
const everythingInRedis = async (): Promise<string> => {
  const keys = (await stage.redis("KEYS", "*")) as ReadonlyArray<string>
  const readers: Readonly<Record<string, (key: string) => Promise<unknown>>> = {
    string: (key) => stage.redis("GET", key),
    hash: (key) => stage.redis("HGETALL", key),
    list: (key) => stage.redis("LRANGE", key, 0, -1),
    set: (key) => stage.redis("SMEMBERS", key),
    zset: (key) => stage.redis("ZRANGE", key, 0, -1, "WITHSCORES"),
    stream: (key) => stage.redis("XRANGE", key, "-", "+"),
  }
  const parts = await Promise.all(
    keys.map(async (key) => {
      const kind = String(await stage.redis("TYPE", key))
      const read = readers[kind]
      // One that has expired since is none.
      return read === undefined ? [key] : [key, await read(key)]
    }),
  )
  return JSON.stringify(parts)
}

describe("the page of a charge", () => {
  it("the page is not stored, indexed, framed or told to others, and loads files that never change", async () => {
    const charge = await makeCharge(seller.test, unpaid)
    const answer = await fetch(charge.payment_url ?? "", { headers: { "accept-language": "en" } })
    const text = await answer.text()
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(answer.headers.get("content-language")).toBe("en")
    expect(answer.headers.get("cache-control")).toBe("no-store")
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer")
    expect(answer.headers.get("x-robots-tag")).toContain("noindex")
    const policy = answer.headers.get("content-security-policy") ?? ""
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain("unsafe")
    for (const secret of ["Ana Souza", "ana@example.com", "52998224725", charge.id, seller.id, "Assinatura"])
      expect(text).not.toContain(secret)
    const files = [...text.matchAll(/(?:src|href)="(files\/[^"]+)"/g)].map(([, path]) => path)
    expect(files).toHaveLength(2)
    for (const path of files) {
      const file = await fetch(new URL(path ?? "", charge.payment_url))
      expect(file.status).toBe(200)
      expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
    }
    const head = await fetch(charge.payment_url ?? "", { method: "HEAD" })
    expect(head.status).toBe(200)
    expect(await head.text()).toBe("")
    const post = await fetch(charge.payment_url ?? "", { method: "POST" })
    expect(post.status).toBe(405)
    expect(post.headers.get("allow")).toBe("GET, HEAD")
  })

  it("a token that leads to no charge is a page with 404 and a stream with 404, whatever is wrong with it", async () => {
    const charge = await makeCharge(seller.test, unpaid)
    const path = pathOf(charge)
    const wrong = [
      `${path.slice(0, -1)}${path.endsWith("A") ? "E" : "A"}`,
      `${path}A`,
      "/pay/x",
      "/pay/%00",
      `/pay/${"a".repeat(5_000)}`,
    ]
    const pages = await Promise.all(
      wrong.map(async (text) => {
        const answer = await fetch(stage.service.url + text)
        return { status: answer.status, text: await answer.text() }
      }),
    )
    for (const page of pages) expect(page).toEqual({ status: 404, text: pages[0]?.text })
    expect(pages[0]?.text).toContain("Cobrança não encontrada")
    for (const text of wrong) {
      const stream = await fetch(`${stage.service.url}${text}/events`)
      expect(stream.status).toBe(404)
      expect(await stream.text()).not.toContain(text.slice(5))
    }
  })

  it("the countdown follows the seller's clock in test mode", async () => {
    const charge = await makeCharge(seller.test, { ...unpaid, pix: { expires_in_seconds: 7_200 } })
    await seller.test.post("/v1/test/clock/advance", { body: { seconds: 3_600 } })
    const text = await (await fetch(charge.payment_url ?? "")).text()
    const left = Number(/data-left="(\d+)"/.exec(text)?.[1])
    expect(left).toBeLessThanOrEqual(3_600_000)
    expect(left).toBeGreaterThan(3_000_000)
  })
})

describe("the stream of a page", () => {
  it("the stream tells the status and nothing else, and ends once it is paid", async () => {
    const charge = await makeCharge(seller.test, unpaid)
    const stream = await following(charge)
    expect(stream.headers["content-type"]).toBe("text/event-stream")
    expect(stream.headers["cache-control"]).toContain("no-store")
    await act(charge, "pay")
    await stream.waitForEnd()
    expect(stream.frames.filter(({ comment }) => comment === undefined)).toEqual([
      { retry: "3000" },
      { event: "status", data: '{"status":"pending"}' },
      { event: "status", data: '{"status":"paid"}' },
    ])
    const late = await follow(charge)
    await late.waitForEnd()
    expect(statusesOf(late)).toEqual(['{"status":"paid"}'])
  })

  it("streams of pages do not count among the seller's ten", async () => {
    const charge = await makeCharge(seller.test, unpaid)
    const pages = await Promise.all(Array.from({ length: 15 }, () => following(charge)))
    const streams = await Promise.all(Array.from({ length: 10 }, () => readyStream(seller.test)))
    expect((await openStream(seller.test, "/events")).status).toBe(429)
    const more = await following(charge)
    await act(charge, "expire")
    await Promise.all([...pages, more].map((page) => page.waitForEnd()))
    for (const page of [...pages, more]) expect(statusesOf(page).at(-1)).toBe('{"status":"expired"}')
    for (const stream of streams) stream.close()
  })

  it("a charge has as many streams as the limit says, the next is 429, and there is room once one has left", async () => {
    const charge = await makeCharge(seller.test, unpaid)
    const streams = await Promise.all(
      Array.from({ length: feedLimits.statusStreamsPerChargeMax }, (_, i) =>
        following(charge, `192.0.2.${i}`),
      ),
    )
    const refused = await follow(charge, "198.51.100.7")
    expect(refused.status).toBe(429)
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0)
    streams[0]?.close()
    await until("room", async () => {
      const stream = await follow(charge, "198.51.100.7")
      return stream.status === 200
    })
    for (const stream of streams) stream.close()
  })

  it("an address has as many streams as the limit says, over all charges, and other addresses have theirs", async () => {
    const perCharge = feedLimits.statusStreamsPerChargeMax
    const charges = await Promise.all(
      Array.from({ length: feedLimits.statusStreamsPerClientMax / perCharge + 1 }, () =>
        makeCharge(seller.test, unpaid),
      ),
    )
    const [spare, ...others] = charges
    if (spare === undefined) throw new Error("no charge")
    const streams = await Promise.all(
      others.flatMap((charge) => Array.from({ length: perCharge }, () => following(charge, "203.0.113.9"))),
    )
    expect((await follow(spare, "203.0.113.9")).status).toBe(429)
    expect((await follow(spare, "203.0.113.10")).status).toBe(200)
    for (const stream of streams) stream.close()
  })

  it("a stream that broke with the service is told of what happened meanwhile when it comes back", async () => {
    const charge = await makeCharge(seller.test, unpaid)
    const stream = await following(charge)
    await stage.service.restart()
    await stream.waitForEnd()
    await act(charge, "pay")
    await chargeWhen(seller.test, charge.id, "paid")
    const again = await follow(charge)
    await again.waitForEnd()
    expect(statusesOf(again)).toEqual(['{"status":"paid"}'])
  })
})
