import { rmSync } from "node:fs"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import jsqr from "jsqr"
import { parsePix } from "pix-utils"
import { PNG } from "pngjs"
import { dataRoot } from "../../bench/support/redisServer.ts"
import { type Side, startSide } from "../../bench/support/sides.ts"

interface Charge {
  readonly id: string
  readonly amount: number
  readonly customer: { readonly document: string }
  readonly pix: { readonly payload: string; readonly qr_base64: string }
}

const body = JSON.stringify({
  amount: 12_301,
  payment_method: "pix",
  customer: { name: "Ana", email: "ana@example.com", document: "529.982.247-25" },
  items: [{ name: "Livro", quantity: 1, unit_amount: 12_301 }],
})

describe("the bare server", () => {
  let side: Side
  beforeAll(async () => {
    side = await startSide("bare")
  })
  afterAll(async () => {
    await side?.stop()
    rmSync(dataRoot, { recursive: true, force: true })
  })

  const post = (key: string, text = body, apiKey = side.apiKey) =>
    fetch(`http://127.0.0.1:${side.port}/v1/transactions`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "idempotency-key": key },
      body: text,
    })
  const get = (id: string, apiKey = side.apiKey) =>
    fetch(`http://127.0.0.1:${side.port}/v1/transactions/${id}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    })
  const otherKey = () => `${side.apiKey.slice(0, -4)}AAAA`

  it("makes a charge whose BR Code and QR readers of others' understand", async () => {
    const answer = await post("readers")
    const charge = (await answer.json()) as Charge
    assert.strictEqual(answer.status, 201)
    const { data, width, height } = PNG.sync.read(Buffer.from(charge.pix.qr_base64, "base64"))
    assert.strictEqual(jsqr.default(new Uint8ClampedArray(data), width, height)?.data, charge.pix.payload)
    assert.notProperty(parsePix(charge.pix.payload), "error")
  })

  it("answers a charge as it was created when it is read or asked for again", async () => {
    const created = await (await post("again")).text()
    const replayed = await post("again")
    assert.strictEqual(replayed.status, 201)
    assert.strictEqual(await replayed.text(), created)
    const charge = JSON.parse(created) as Charge
    assert.strictEqual(charge.customer.document, "52998224725")
    assert.strictEqual(await (await get(charge.id)).text(), created)
  })

  it("makes the checks that the commit makes: the key, its seller, the Idempotency-Key", async () => {
    const { id } = (await (await post("checks")).json()) as Charge
    assert.strictEqual((await post("checks", body.replace("Ana", "Eva"))).status, 422)
    assert.strictEqual((await post("other", body, otherKey())).status, 401)
    assert.strictEqual((await get(id, otherKey())).status, 401)
    assert.strictEqual((await get(`${id.slice(0, -1)}Z`)).status, 404)
  })

  it("refuses a key that was revoked or removed after it was used", async () => {
    const { id } = (await (await post("revoked")).json()) as Charge
    const { client } = side.redis
    const records = await client.keys("apikey:*")
    for (const key of records) await client.hset(key, "revoke_at", 1)
    assert.deepStrictEqual([(await get(id)).status, (await post("revoked")).status], [401, 401])
    for (const key of records) await client.hset(key, "revoke_at", "")
    for (const key of records) await client.rename(key, `${key}:away`)
    assert.deepStrictEqual([(await get(id)).status, (await post("revoked")).status], [401, 401])
    for (const key of records) await client.rename(`${key}:away`, key)
    assert.strictEqual((await get(id)).status, 200)
  })

  it("seals the customer's document in Redis", async () => {
    const { id } = (await (await post("sealed")).json()) as Charge
    const keys = await side.redis.client.keys(`txn:*:${id}`)
    const stored = await side.redis.client.hget(keys[0] ?? "", "document")
    assert.include(stored ?? "", '"document":"enc:v1:')
    assert.notInclude(stored ?? "", "52998224725")
  })
})
