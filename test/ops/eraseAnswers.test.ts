import { afterAll, beforeAll, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import * as keys from "../../src/store/keys.ts"
import { makeCharge } from "../e2e/support/charges.ts"
import { eventually } from "../e2e/support/client.ts"
import { detailOf, rowsOf } from "../e2e/support/deliveries.ts"
import { openStage, receiverSettings, type Stage } from "../e2e/support/stage.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { runOps } from "./cli.ts"

const person = {
  name: "Zenóbia Quaresma",
  email: "zenobia.quaresma@example.com",
  document: "390.533.447-05",
  phone: "+5581977776666",
}
/** Longer than an erasure takes. */
const answersAfterMillis = 7_000

let receiver: TlsReceiver
let stage: Stage
beforeAll(async () => {
  receiver = await startTlsReceiver({
    behaviour: ({ body }) => ({ kind: "respond", status: 200, body, delayMillis: answersAfterMillis }),
  })
  stage = await openStage({ SIMULATOR_DELAY_MS: "50", ...receiverSettings(receiver) })
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

const erase = async () => {
  const { document } = await runOps(["seller", "erase-customer", "--document", person.document], {
    REDIS_URL: stage.service.redisUrl,
    ENCRYPTION_KEY: Buffer.from(stage.service.encryptionKey).toString("base64"),
  })
  return document
}

it("an answer to what was sent before a customer was erased is dropped by the next run, until a lease later", async () => {
  const seller = await stage.newSeller()
  const { id } = await makeCharge(seller.test, { customer: person, postback_url: receiver.url })
  await eventually("the request", async () => receiver.requests.length > 0 || undefined)
  expect(await erase()).toMatchObject({ transactions: 1, delivery_attempts: 0 })
  expect(await rowsOf(seller.test)).toEqual([])
  const [row] = await eventually(
    "the attempt",
    async () => {
      const rows = await rowsOf(seller.test)
      return rows.length === 1 ? rows : undefined
    },
    20_000,
  )

  expect(await erase()).toEqual({ transactions: 0, events: 0, delivery_attempts: 1 })
  expect((await detailOf(seller.test, row?.id ?? "")).text).not.toContain(person.name)
  expect(await erase()).toEqual({ transactions: 0, events: 0, delivery_attempts: 0 })

  const erasing = keys.erasingKey({ sellerId: seller.id, mode: "test" })
  expect(await stage.redis("ZRANGE", erasing, "0", "-1")).toEqual([id])
  await stage.redis("ZADD", erasing, String(Date.now() - limits.deliveryLeaseMillis), id)
  expect(await erase()).toEqual({ transactions: 0, events: 0, delivery_attempts: 0 })
  expect(await stage.redis("EXISTS", erasing)).toBe(0)
}, 60_000)
