import { rmSync } from "node:fs"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { makeMetric } from "../../bench/report/result.ts"
import { storedTargets } from "../../bench/suites/growth.ts"
import { measureBytes } from "../../bench/suites/growthBytes.ts"
import { commitOf } from "../../bench/suites/microCommit.ts"
import { fillCharges, fillSellers } from "../../bench/support/filler.ts"
import { withLoad } from "../../bench/support/load.ts"
import { takeStored } from "../../bench/support/proof.ts"
import { withReceiver } from "../../bench/support/receiver.ts"
import { dataRoot } from "../../bench/support/redisServer.ts"
import { type Side, startSide, withService } from "../../bench/support/sides.ts"
import * as keys from "../../src/store/keys.ts"
import { sizes } from "../support/sizes.ts"

/** What fills a store need not run where the suite does not. */
const describeFiller = describe.runIf(sizes.benchSuites === "all")

describeFiller("data that the bench fills a store with", () => {
  let side: Side
  beforeAll(async () => {
    side = await startSide("corrente")
  })
  afterAll(async () => {
    await side?.stop()
    rmSync(dataRoot, { recursive: true, force: true })
  })

  const listed = async (apiKey: string) => {
    const answer = await fetch(`http://127.0.0.1:${side.port}/v1/transactions?limit=100`, {
      headers: { authorization: `Bearer ${apiKey}` },
    })
    return (await answer.json()) as { readonly data: ReadonlyArray<Record<string, unknown>> }
  }
  const post = (apiKey: string, key: string) =>
    fetch(`http://127.0.0.1:${side.port}/v1/transactions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${apiKey}`,
        "idempotency-key": key,
        "content-type": "application/json",
      },
      body: JSON.stringify({
        amount: 1_000_101,
        payment_method: "pix",
        customer: { name: "Ana Lima", email: "ana@example.com", document: "52998224725" },
        items: [{ name: "Livro", quantity: 1, unit_amount: 1_000_101 }],
      }),
    })

  it("filled charges look like those the service makes and pass its audit", async () => {
    await fillCharges(side, 30)
    const { data } = await listed(side.apiKey)
    assert.lengthOf(data, 30)
    assert.isTrue(data.every(({ customer }) => JSON.stringify(customer).includes('"52998224725"')))
    const created = (await (await post(side.apiKey, "beside")).json()) as object
    assert.deepStrictEqual(Object.keys(data[0] ?? {}), Object.keys(created))
    const [charge = ""] = await side.redis.client.keys("txn:*")
    assert.include((await side.redis.client.hget(charge, "document")) ?? "", '"document":"enc:v2:0:')
    const audit = (await side.ops(["audit", "verify", "--full"])) as { readonly ok: boolean }
    assert.isTrue(audit.ok, JSON.stringify(audit))
    assert.deepStrictEqual(await takeStored(side, 30), {
      charges: 1,
      amountSum: 1_000_101,
      events: 1,
    })
  })

  it("takeStored removes the newest charges and keeps the oldest", async () => {
    const before = await listed(side.apiKey)
    await fillCharges(side, 3)
    const removed = await takeStored(side, 30)
    assert.deepStrictEqual(removed, { charges: 3, amountSum: 3 * 1_000_001, events: 3 })
    assert.deepStrictEqual(await listed(side.apiKey), before)
    const { client } = side.redis
    const counts = await Promise.all([
      client.zcard(keys.transactionsKey(side.sellerId, "test", "pending")),
      client.zcard(keys.timersKey(keys.tagOf(side.sellerId))),
      client.xlen(keys.eventsKey({ sellerId: side.sellerId, mode: "test" })),
    ])
    assert.deepStrictEqual(counts, [30, 30, 30])
  })

  it("redis-benchmark's commit is new in every run, even when two runs draw the same digits", async () => {
    const { client } = side.redis
    const feed = keys.eventsKey({ sellerId: side.sellerId, mode: "test" })
    for (const _ of [1, 2]) {
      const before = await client.xlen(feed)
      const [name = "", ...rest] = await commitOf(side)
      const drawn = rest.map((argument) => argument.replaceAll("__rand_int__", "000000000007"))
      await client.call("FCALL", name, ...drawn)
      assert.strictEqual(await client.xlen(feed), before + 1)
    }
  })

  it("filled sellers lie in all partitions and have API keys that the service accepts", async () => {
    const sellers = await fillSellers(side.redis.url, 70)
    assert.strictEqual(new Set(sellers.map(({ sellerId }) => keys.tagOf(sellerId))).size, 64)
    const [first, last] = [sellers[0], sellers.at(-1)]
    assert.strictEqual((await post(first?.apiKey ?? "", "own")).status, 201)
    assert.lengthOf((await listed(first?.apiKey ?? "")).data, 1)
    assert.deepStrictEqual((await listed(last?.apiKey ?? "")).data, [])
  })
})

describe("the growth suite", () => {
  it("the growth suite's targets relate the most charges to the fewest, round by round", () => {
    const metrics = ["POST", "GET", "list of 50"].flatMap((operation) => [
      makeMetric(`${operation}, 200 stored: latency p50`, "ms", { corrente: [1, 2, 4] }),
      makeMetric(`${operation}, 1,000 stored: latency p50`, "ms", {
        corrente: operation === "GET" ? [1.3, 2.6, 4] : [1.1, 2.2, 8],
      }),
    ])
    const targets = storedTargets(metrics, 200, 1_000)
    assert.deepStrictEqual(
      targets.map(({ measured, isMet }) => [Number(measured.toFixed(6)), isMet]),
      [
        [1.1, true],
        [1.3, false],
        [1.1, true],
      ],
    )
  })
})

describe("the bytes of a paid charge", () => {
  it("a charge that is created, paid and delivered to one endpoint takes less than 8,850 B of Redis", async () => {
    // So many that the lists are sorted sets as large ones are; with 2,000 a charge takes about 50 bytes less.
    const { metrics, target, check } = await withLoad((load) =>
      withReceiver((receiver) =>
        withService({ SIMULATOR_DELAY_MS: "50", ...receiver.settings }, (side) =>
          measureBytes({ side, load, receiver }, 200, () => {}),
        ),
      ),
    )
    rmSync(dataRoot, { recursive: true, force: true })
    assert.isTrue(check.isRight, check.detail)
    const bytes = metrics.map(({ name, values }) => `${name}: ${values.corrente?.[0]}`)
    assert.isBelow(target.measured, 8_850, bytes.join("\n"))
    assert.isTrue(target.isMet)
  })
})
