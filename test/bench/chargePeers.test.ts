import { rmSync } from "node:fs"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import jsqr from "jsqr"
import { parsePix } from "pix-utils"
import { PNG } from "pngjs"
import { dataRoot } from "../../bench/support/redisServer.ts"
import { type Side, startSide } from "../../bench/support/sides.ts"
import { Transaction } from "../../schema/resources/transaction.ts"
import { sizes } from "../support/sizes.ts"

/** The fields of a charge that these tests check. */
interface PeerCharge {
  readonly id: string
  readonly customer: { readonly document: string }
  readonly pix: { readonly payload: string; readonly qr_base64: string }
}

/** A body that every peer accepts. */
const peerBody = JSON.stringify({
  amount: 12_301,
  payment_method: "pix",
  customer: { name: "Ana", email: "ana@example.com", document: "529.982.247-25" },
  items: [{ name: "Livro", quantity: 1, unit_amount: 12_301 }],
})

/** Peers on Fastify need not run where the suites that measure them do not. */
const names =
  sizes.benchSuites === "all" ? (["bare", "fastify", "fastify-qrcode"] as const) : (["bare"] as const)

describe.each(names)("the %s server", (name) => {
  let side: Side
  beforeAll(async () => {
    side = await startSide(name)
  })
  afterAll(async () => {
    await side?.stop()
    rmSync(dataRoot, { recursive: true, force: true })
  })
  const ask = (path: string, request: RequestInit = {}, apiKey = side.apiKey) =>
    fetch(`http://127.0.0.1:${side.port}/v1/transactions${path}`, {
      ...request,
      headers: { authorization: `Bearer ${apiKey}`, ...request.headers },
    })
  const post = (key: string, body = peerBody, apiKey = side.apiKey) => {
    const headers = { "idempotency-key": key, "content-type": "application/json" }
    return ask("", { method: "POST", headers, body }, apiKey)
  }
  const otherKey = () => `${side.apiKey.slice(0, -4)}AAAA`

  it(`the ${name} server makes a charge with the contract's fields, whose BR Code and QR other packages read, and seals its customer`, async () => {
    const answer = await post("readers")
    const charge = (await answer.json()) as PeerCharge
    assert.strictEqual(answer.status, 201)
    // Charges of payment links alone have one.
    const wanted = Object.keys(Transaction.fields).filter((name) => name !== "payment_link_id")
    assert.deepStrictEqual(Object.keys(charge), wanted)
    const picture = Buffer.from(charge.pix.qr_base64, "base64")
    const { data, width, height } = PNG.sync.read(picture)
    assert.strictEqual(jsqr.default(new Uint8ClampedArray(data), width, height)?.data, charge.pix.payload)
    assert.notProperty(parsePix(charge.pix.payload), "error")
    // The package qrcode makes true colour with alpha; the others one bit a pixel.
    assert.strictEqual(picture[25], name === "fastify-qrcode" ? 6 : 0)
    const [key = ""] = await side.redis.client.keys(`txn:*:${charge.id}`)
    assert.include((await side.redis.client.hget(key, "document")) ?? "", '"document":"enc:v2:0:')
  })

  it(`the ${name} server answers a charge as it was created when it is read, replayed or listed`, async () => {
    const texts: Array<string> = []
    for (const key of ["first", "second", "first"]) {
      const answer = await post(key)
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(answer.headers.get("idempotent-replayed"), texts.length === 2 ? "true" : null)
      texts.push(await answer.text())
    }
    const [first = "", second = "", replayed] = texts
    assert.strictEqual(replayed, first)
    const { id, customer } = JSON.parse(first) as PeerCharge
    assert.strictEqual(customer.document, "52998224725")
    assert.strictEqual(await (await ask(`/${id}`)).text(), first)
    const page = await (await ask("?limit=2")).text()
    assert.isTrue(page.startsWith(`{"data":[${second},${first}],"next_cursor":"`), page)
    assert.match(await (await ask("?limit=100")).text(), /,"next_cursor":null}$/)
  })

  it(`the ${name} server refuses another body under a used key, wrong and revoked API keys, and an unknown id`, async () => {
    const { id } = (await (await post("checks")).json()) as PeerCharge
    const statuses = async (apiKey = side.apiKey) => [
      (await ask(`/${id}`, {}, apiKey)).status,
      (await post("checks", peerBody, apiKey)).status,
      (await ask("?limit=2", {}, apiKey)).status,
    ]
    assert.strictEqual((await post("checks", peerBody.replace("Ana", "Eva"))).status, 422)
    assert.strictEqual((await ask(`/${id.slice(0, -1)}${id.endsWith("Z") ? "Y" : "Z"}`)).status, 404)
    assert.deepStrictEqual(await statuses(otherKey()), [401, 401, 401])
    const { client } = side.redis
    const records = await client.keys("apikey:*")
    for (const key of records) await client.hset(key, "revoke_at", 1)
    assert.deepStrictEqual(await statuses(), [401, 401, 401])
    for (const key of records) await client.hset(key, "revoke_at", "")
    for (const key of records) await client.rename(key, `${key}:away`)
    assert.deepStrictEqual(await statuses(), [401, 401, 401])
    for (const key of records) await client.rename(`${key}:away`, key)
    assert.deepStrictEqual(await statuses(), [200, 201, 200])
  })

  it.runIf(name === "fastify")(
    "the fastify server refuses what breaks its schema, and drops unknown fields",
    async () => {
      const wrongBodies = [
        peerBody.replace("12301", '"12301"'),
        peerBody.replace("12301", "0"),
        peerBody.replace("pix", "card"),
        peerBody.replace("ana@example.com", "ana"),
        peerBody.replace("529.982.247-25", "529"),
        peerBody.replace(/"items":.*]/, '"items":[]'),
        peerBody.replace("{", '{"metadata":{"nested":{}},'),
        "{",
      ]
      for (const body of wrongBodies) assert.strictEqual((await post("wrong", body)).status, 400, body)
      const keyless = { method: "POST", headers: { "content-type": "application/json" }, body: peerBody }
      assert.strictEqual((await ask("", keyless)).status, 400)
      assert.strictEqual((await ask("/txn_1")).status, 400)
      assert.strictEqual((await ask("?limit=101")).status, 400)
      const answer = await post("unknown", peerBody.replace("{", '{"colour":"red",'))
      assert.strictEqual(answer.status, 201)
      assert.notInclude(await answer.text(), "colour")
    },
  )
})
