import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Delivery } from "../../schema/resources/delivery.ts"
import type { Endpoint } from "../../schema/resources/endpoint.ts"
import * as keys from "../../src/store/keys.ts"
import { runOps } from "../ops/cli.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { startTlsRedis, type TlsRedis } from "../support/tlsRedis.ts"
import { until } from "../support/until.ts"
import type { Client, ErrorBody, Page } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { detailOf, paidEvent, rowsWhen } from "./support/deliveries.ts"
import { endpointsPath, type MadeEndpoint } from "./support/endpointStage.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"

let shop: TlsRedis
let other: TlsRedis
let stage: Stage
let seller: Seller
let owner: DashboardClient
beforeAll(async () => {
  shop = await startTlsRedis()
  other = await startTlsRedis()
  stage = await openStage({
    SIMULATOR_DELAY_MS: "20",
    RETRY_SCHEDULE_SECONDS: "0.05,60,60,60,60",
    WEBHOOK_ALLOW_DESTINATIONS: `${shop.origin},${other.origin}`,
    WEBHOOK_CA_FILE: shop.caFile,
  })
  seller = await stage.newSeller()
  owner = dashboardClient(stage.service.url, await signInAsSeller(stage.service, seller.id), "test")
})
afterAll(async () => {
  await stage?.close()
  await Promise.all([shop?.close(), other?.close()])
})

const create = async (url: string, changes: object = {}): Promise<MadeEndpoint> => {
  const body = { url, events: ["transaction.paid"], ...changes }
  const answer = await owner.send<MadeEndpoint>("POST", endpointsPath, body)
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body
}
const patch = (id: string, body: object) =>
  owner.send<Endpoint & ErrorBody>("PATCH", `${endpointsPath}/${id}`, body)
const remove = (id: string) => owner.send("DELETE", `${endpointsPath}/${id}`, undefined)

const idsIn = async ({ client }: TlsRedis, stream: string): Promise<ReadonlyArray<string>> =>
  (await client.xrange(stream, "-", "+")).map(([, fields]) => fields[fields.indexOf("webhook-id") + 1] ?? "")
const arrives = (redis: TlsRedis, stream: string, eventId: string) =>
  until(`${eventId} in ${stream}`, async () => (await idsIn(redis, stream)).includes(eventId))

const attemptsOf = (
  client: Client,
  eventId: string,
  endpointId: string,
  isDone: (rows: ReadonlyArray<Delivery>) => boolean,
) => rowsWhen(client, isDone, `&event_id=${eventId}&endpoint_id=${endpointId}`)

describe("an endpoint that is a Redis Stream", () => {
  it("gets events, and its attempts show the entry's id", async () => {
    const { id } = await create(shop.urlOf("shop:paid", { password: shop.password }))
    const { event } = await paidEvent(seller.test)
    await arrives(shop, "shop:paid", event.id)
    const [row] = await attemptsOf(seller.test, event.id, id, (rows) => rows.length === 1)
    expect(row).toMatchObject({
      status: "success",
      status_code: null,
      error: null,
      target_host: `localhost:${shop.port}`,
    })
    const { body } = await detailOf(seller.test, row?.id ?? "")
    const [[entryId] = [""]] = await shop.client.xrange("shop:paid", "-", "+")
    expect(body).toMatchObject({ response_body_excerpt: entryId, curl: null })
    expect(body.signed_content).toContain(event.id)
    await remove(id)
  })

  it("its password is shown nowhere: not in answers, lists, the log, pings or any record of Redis", async () => {
    const made = await create(shop.urlOf("shop:secret", { password: shop.password }))
    const { id, url } = made
    expect(url).toBe(`rediss://shop@localhost:${shop.port}/?stream=shop%3Asecret`)
    const spelt = { password: shop.password, more: "&maxlen=1000" }
    const changed = await patch(id, { url: shop.urlOf("shop:secret", spelt) })
    expect(changed.body.url).toBe(`${url}&maxlen=1000`)
    await owner.send("POST", `${endpointsPath}/${id}/ping`, undefined)
    await until("the ping", async () => (await shop.client.xlen("shop:secret")) > 0)
    const log =
      await owner.get<Page<{ readonly details: { readonly url?: string } }>>("/v1/me/audit?limit=100")
    expect(log.body.data.flatMap(({ details }) => details.url ?? [])).toContainEqual(
      expect.stringContaining("stream=shop%3Asecret"),
    )
    const shown = [
      JSON.stringify(made),
      changed.text,
      log.text,
      (await owner.get(endpointsPath)).text,
      (await owner.get(`${endpointsPath}/${id}`)).text,
      (await owner.get("/v1/me/events")).text,
      (await seller.test.get("/v1/webhook-deliveries")).text,
      JSON.stringify(await stage.redis("HGETALL", keys.destinationKey(id))),
      JSON.stringify(await shop.client.xrange("shop:secret", "-", "+")),
      stage.service.log(),
    ]
    for (const text of shown) {
      for (const secret of [shop.password, encodeURIComponent(shop.password)])
        expect(text).not.toContain(secret)
    }
    await remove(id)
  })

  it("keeps its password with another stream or length, and asks for one with another server or user", async () => {
    const { id } = await create(shop.urlOf("shop:one", { password: shop.password }))
    const moved = await patch(id, { url: shop.urlOf("shop:two", { more: "&maxlen=500" }) })
    expect([moved.status, moved.body.url]).toEqual([200, shop.urlOf("shop:two", { more: "&maxlen=500" })])
    const { event } = await paidEvent(seller.test)
    await arrives(shop, "shop:two", event.id)
    for (const url of [other.urlOf("shop:two"), shop.urlOf("shop:two", { user: "else" })]) {
      const refused = await patch(id, { url })
      expect([refused.status, refused.body.error.code, refused.body.error.param]).toEqual([
        400,
        "invalid_url",
        "url",
      ])
    }
    expect((await patch(id, { url: other.urlOf("shop:two", { password: other.password }) })).status).toBe(200)
    const next = await paidEvent(seller.test)
    await arrives(other, "shop:two", next.event.id)
    await remove(id)
  })

  it("a password that is put at another server in Redis opens there for nobody", async () => {
    const { id } = await create(shop.urlOf("shop:bound", { password: shop.password }))
    await stage.redis("HSET", keys.destinationKey(id), "url", other.urlOf("shop:bound"))
    const { event } = await paidEvent(seller.test)
    const [row] = await attemptsOf(seller.test, event.id, id, (rows) => rows.length >= 1)
    expect(row).toMatchObject({ status: "failed", error: "redis_denied" })
    await remove(id)
  })

  it("what it refuses is retried, and an ordered one keeps the order of a resource", async () => {
    const url = shop.urlOf("shop:ordered", { password: shop.password })
    const { id } = await create(url, {
      events: ["transaction.paid", "transaction.refunded"],
      ordering: "resource",
    })
    await shop.client.set("shop:ordered", "no stream")
    const { charge, event } = await paidEvent(seller.test)
    await seller.test.post(`/v1/test/transactions/${charge.id}/refund`)
    const rows = await attemptsOf(seller.test, event.id, id, (found) => found.length >= 2)
    expect(rows.map(({ error }) => error)).toEqual(["redis_wrong_type", "redis_wrong_type"])
    await shop.client.del("shop:ordered")
    await seller.test.post("/v1/test/clock/advance", { body: { seconds: 61 } })
    await until("both entries", async () => (await shop.client.xlen("shop:ordered")) === 2)
    const entries = await shop.client.xrange("shop:ordered", "-", "+")
    const types = entries.map(([, fields]) => fields[fields.indexOf("type") + 1])
    expect(types).toEqual(["transaction.paid", "transaction.refunded"])
    await remove(id)
  })

  it.each([
    ["without a password", () => shop.urlOf("shop:x")],
    ["without TLS", () => shop.urlOf("shop:x", { password: "secret" }).replace("rediss:", "redis:")],
    ["without a stream", () => shop.urlOf("", { password: "secret" })],
    ["at a private address", () => "rediss://u:secret@10.0.0.1/?stream=a"],
    ["at a name without an address", () => "rediss://u:secret@no-such-name.invalid/?stream=a"],
  ])("is refused %s, and the message has no password", async (_, url) => {
    const { status, body, text } = await owner.send<ErrorBody>("POST", endpointsPath, {
      url: url(),
      events: ["*"],
    })
    expect([status, body.error.code, body.error.param]).toEqual([400, "invalid_url", "url"])
    expect(text).not.toContain("secret")
  })

  it.each([
    ["PUT", "/v1/me/tracker", (url: string) => ({ url })],
    ["PUT", "/v1/me/notifications", (url: string) => ({ data: [{ when: "chargeback", mail: false, url }] })],
  ])("%s %s takes none", async (method, path, bodyOf) => {
    const url = shop.urlOf("shop:x", { password: "secret" })
    const { status, text } = await owner.send("PUT", path, bodyOf(url))
    expect([method, status]).toEqual([method, 400])
    expect(text).not.toContain("secret")
  })

  it("`ops endpoint create` makes one", async () => {
    const url = shop.urlOf("shop:ops", { password: shop.password })
    const args = [
      "endpoint",
      "create",
      "--seller",
      seller.id,
      "--mode",
      "test",
      "--url",
      url,
      "--events",
      "*",
    ]
    const { document } = await runOps(args, {
      REDIS_URL: stage.service.redisUrl,
      ENCRYPTION_KEY: Buffer.from(stage.service.encryptionKey).toString("base64"),
      WEBHOOK_ALLOW_DESTINATIONS: shop.origin,
      WEBHOOK_CA_FILE: shop.caFile,
    })
    expect(document.url).toBe(shop.urlOf("shop:ops").replace("shop:ops", "shop%3Aops"))
    expect(JSON.stringify(document)).not.toContain(encodeURIComponent(shop.password))
  })
})
