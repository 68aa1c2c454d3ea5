import { afterAll, beforeAll, expect, it } from "vitest"
import { dashboardClient } from "../e2e/support/dashboardClient.ts"
import { paidEvent } from "../e2e/support/deliveries.ts"
import { endpointsPath, type MadeEndpoint } from "../e2e/support/endpointStage.ts"
import { openStage, type Stage } from "../e2e/support/stage.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { startTlsRedis, type TlsRedis } from "../support/tlsRedis.ts"
import { until } from "../support/until.ts"
import { startExample } from "./runExample.ts"

const stream = "shop:events"

let shop: TlsRedis
let stage: Stage
beforeAll(async () => {
  shop = await startTlsRedis()
  await shop.client.call("ACL", "SETUSER", "reader", "on", ">reads", "~shop:*", "+@all")
  stage = await openStage({
    SIMULATOR_DELAY_MS: "20",
    WEBHOOK_ALLOW_DESTINATIONS: shop.origin,
    WEBHOOK_CA_FILE: shop.caFile,
  })
})
afterAll(async () => {
  await stage?.close()
  await shop?.close()
})

const pending = async (): Promise<number> => {
  const [count] = (await shop.client.xpending(stream, "shop")) as [number]
  return count
}

it("redis-stream.mjs handles a signed event once, also after a crash, and refuses a forged one", async () => {
  const url = shop.urlOf(stream, { password: shop.password })
  const seller = await stage.newSeller()
  const cookie = await signInAsSeller(stage.service, seller.id)
  const made = await dashboardClient(stage.service.url, cookie, "test").send<MadeEndpoint>(
    "POST",
    endpointsPath,
    { url, events: ["transaction.paid"] },
  )
  const settings = {
    REDIS_URL: `rediss://reader:reads@localhost:${shop.port}`,
    STREAM: stream,
    WEBHOOK_SECRET: made.body.secret,
    NODE_EXTRA_CA_CERTS: shop.caFile,
  }
  const first = startExample("redis-stream.mjs", settings)
  await first.printed(`Reading ${stream}`)
  const { charge } = await paidEvent(seller.test)
  await first.printed(`transaction.paid ${charge.id}`)
  await until("it to be acknowledged", async () => (await pending()) === 0)
  await first.kill9()

  const [[, fields] = ["", []]] = await shop.client.xrange(stream, "-", "+")
  const doubled = fields.map((field) => field.replace('"amount":12990', '"amount":25980'))
  await shop.client.xadd(stream, "*", ...doubled)
  await shop.client.xadd(stream, "*", ...fields)
  // Taken by the consumer that was killed, and not acknowledged.
  await shop.client.xreadgroup("GROUP", "shop", "one", "COUNT", 1, "STREAMS", stream, ">")
  const missed = await paidEvent(seller.test)
  await until("the event that came meanwhile", async () => (await shop.client.xlen(stream)) === 4)

  const second = startExample("redis-stream.mjs", settings)
  await second.printed(`transaction.paid ${missed.charge.id}`)
  const webhookId = fields[fields.indexOf("webhook-id") + 1]
  expect(second.output()).toMatch(
    new RegExp(
      `refused \\S+: no signature of the service\\nseen ${webhookId}\\ntransaction.paid ${missed.charge.id}`,
    ),
  )
  expect(second.output()).not.toContain(charge.id)
  await until("all to be acknowledged", async () => (await pending()) === 0)
  await second.kill9()
})
