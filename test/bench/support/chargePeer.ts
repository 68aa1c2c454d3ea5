import { rmSync } from "node:fs"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import jsqr from "jsqr"
import { parsePix } from "pix-utils"
import { PNG } from "pngjs"
import { dataRoot } from "../../../bench/support/redisServer.ts"
import { type Side, type SideName, startSide } from "../../../bench/support/sides.ts"
import { Transaction } from "../../../schema/resources/transaction.ts"

/** The fields of a charge that these tests check. */
export interface PeerCharge {
  readonly id: string
  readonly amount: number
  readonly customer: { readonly document: string }
  readonly pix: { readonly payload: string; readonly qr_base64: string }
}

/** A body that every peer accepts. */
export const peerBody = JSON.stringify({
  amount: 12_301,
  payment_method: "pix",
  customer: { name: "Ana", email: "ana@example.com", document: "529.982.247-25" },
  items: [{ name: "Livro", quantity: 1, unit_amount: 12_301 }],
})

/** Starts a peer's server before the tests of a `describe`, stops it after them, and sends it requests. */
export const usePeer = (name: SideName) => {
  let side: Side | undefined
  beforeAll(async () => {
    side = await startSide(name)
  })
  afterAll(async () => {
    await side?.stop()
    rmSync(dataRoot, { recursive: true, force: true })
  })
  const running = (): Side => {
    assert.isDefined(side)
    return side as Side
  }
  const ask = (path: string, request: RequestInit = {}, apiKey = running().apiKey) =>
    fetch(`http://127.0.0.1:${running().port}/v1/transactions${path}`, {
      ...request,
      headers: { authorization: `Bearer ${apiKey}`, ...request.headers },
    })
  const post = (key: string, body = peerBody, apiKey = running().apiKey) =>
    ask(
      "",
      {
        method: "POST",
        headers: { "idempotency-key": key, "content-type": "application/json" },
        body,
      },
      apiKey,
    )
  return { name, side: running, ask, post, get: (id: string, apiKey?: string) => ask(`/${id}`, {}, apiKey) }
}

/** A running peer: its name, its side of the bench, and requests under its API key or another. */
export type Peer = ReturnType<typeof usePeer>

/** Tests that a peer does as much work as the service. */
export const itDoesWhatTheServiceDoes = ({ name, side, ask, post, get }: Peer): void => {
  const otherKey = () => `${side().apiKey.slice(0, -4)}AAAA`

  it(`the ${name} server makes a charge with the contract's fields, whose BR Code and QR other packages read`, async () => {
    const answer = await post("readers")
    const charge = (await answer.json()) as PeerCharge
    assert.strictEqual(answer.status, 201)
    assert.deepStrictEqual(Object.keys(charge), Object.keys(Transaction.fields))
    const { data, width, height } = PNG.sync.read(Buffer.from(charge.pix.qr_base64, "base64"))
    assert.strictEqual(jsqr.default(new Uint8ClampedArray(data), width, height)?.data, charge.pix.payload)
    assert.notProperty(parsePix(charge.pix.payload), "error")
  })

  it(`the ${name} server answers a charge as it was created when it is read or replayed`, async () => {
    const first = await post("again")
    const created = await first.text()
    const replayed = await post("again")
    assert.deepStrictEqual([first.status, replayed.status], [201, 201])
    assert.isNull(first.headers.get("idempotent-replayed"))
    assert.strictEqual(replayed.headers.get("idempotent-replayed"), "true")
    assert.strictEqual(await replayed.text(), created)
    const charge = JSON.parse(created) as PeerCharge
    assert.strictEqual(charge.customer.document, "52998224725")
    assert.strictEqual(await (await get(charge.id)).text(), created)
  })

  it(`the ${name} server lists the newest charges up to the limit, and says whether there are more`, async () => {
    const created: Array<string> = []
    for (const key of ["first", "second", "third"]) created.push(await (await post(key)).text())
    const [, second, third] = created
    const page = await (await ask("?limit=2")).text()
    assert.isTrue(page.startsWith(`{"data":[${third},${second}],"next_cursor":"`), page)
    const whole = (await (await ask("?limit=100")).json()) as {
      readonly data: ReadonlyArray<unknown>
      readonly next_cursor: unknown
    }
    assert.deepStrictEqual(
      whole.data.slice(0, 3),
      created.toReversed().map((text) => JSON.parse(text)),
    )
    assert.isNull(whole.next_cursor)
    assert.strictEqual((await ask("?limit=2", {}, otherKey())).status, 401)
  })

  it(`the ${name} server refuses another body under a used Idempotency-Key, a wrong API key and an unknown id`, async () => {
    const { id } = (await (await post("checks")).json()) as PeerCharge
    assert.strictEqual((await post("checks", peerBody.replace("Ana", "Eva"))).status, 422)
    assert.strictEqual((await post("other", peerBody, otherKey())).status, 401)
    assert.strictEqual((await get(id, otherKey())).status, 401)
    const otherId = id.slice(0, -1) + (id.endsWith("Z") ? "Y" : "Z")
    assert.strictEqual((await get(otherId)).status, 404)
  })

  it(`the ${name} server refuses an API key that was revoked or removed after it was used`, async () => {
    const { id } = (await (await post("revoked")).json()) as PeerCharge
    const statuses = async () => [
      (await get(id)).status,
      (await post("revoked")).status,
      (await ask("?limit=2")).status,
    ]
    const { client } = side().redis
    const records = await client.keys("apikey:*")
    for (const key of records) await client.hset(key, "revoke_at", 1)
    assert.deepStrictEqual(await statuses(), [401, 401, 401])
    for (const key of records) await client.hset(key, "revoke_at", "")
    for (const key of records) await client.rename(key, `${key}:away`)
    assert.deepStrictEqual(await statuses(), [401, 401, 401])
    for (const key of records) await client.rename(`${key}:away`, key)
    assert.deepStrictEqual(await statuses(), [200, 201, 200])
  })

  it(`the ${name} server encrypts the customer's document in Redis`, async () => {
    const { id } = (await (await post("sealed")).json()) as PeerCharge
    const { client } = side().redis
    const [key = ""] = await client.keys(`txn:*:${id}`)
    const stored = (await client.hget(key, "document")) ?? ""
    assert.include(stored, '"document":"enc:v2:0:')
    assert.notInclude(stored, "52998224725")
  })
}
