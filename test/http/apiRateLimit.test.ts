import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { makeSeller, type TestSeller } from "../support/seller.ts"
import { type Service, startService } from "../support/service.ts"

describe("API_RATE_LIMIT_PER_SECOND", () => {
  let service: Service
  let seller: TestSeller
  beforeAll(async () => {
    service = await startService({ env: { API_RATE_LIMIT_PER_SECOND: "3" } })
    seller = await makeSeller(service)
  })
  afterAll(() => service?.stop())

  const ask = (key: string) =>
    fetch(`${service.url}/v1/transactions/unknown`, { headers: { authorization: `Bearer ${key}` } })

  it("a key's requests beyond API_RATE_LIMIT_PER_SECOND are answered 429 with Retry-After", async () => {
    // All at once: a slow machine may refill a token, so more than the limit may pass, but never all.
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask(seller.keys.test)))
    const refused = answers.filter(({ status }) => status === 429)
    const passed = answers.filter(({ status }) => status === 404)
    assert.strictEqual(passed.length + refused.length, 40)
    assert.isAtLeast(passed.length, 3)
    assert.isAtLeast(refused.length, 1)
    for (const answer of answers) {
      assert.strictEqual(answer.headers.get("ratelimit-policy"), '"api";q=3;w=1')
      assert.match(answer.headers.get("ratelimit") ?? "", /^"api";r=[0-2];t=1$/)
    }
    for (const answer of refused) {
      assert.strictEqual(answer.headers.get("retry-after"), "1")
      const { error } = (await answer.json()) as { error: { code: string; type: string } }
      assert.deepStrictEqual([error.code, error.type], ["rate_limited", "rate_limit_error"])
    }
  })

  it("the rate limit counts each key on its own and does not apply to /health", async () => {
    await Promise.all(Array.from({ length: 10 }, () => ask(seller.keys.test)))
    assert.strictEqual((await ask(seller.keys.live)).status, 404)
    const probe = await fetch(`${service.url}/health`)
    assert.deepStrictEqual([probe.status, probe.headers.get("ratelimit")], [200, null])
  })

  it("a key's requests that cannot be decoded count, and tell what is left, like any other", async () => {
    const headers = { authorization: `Bearer ${seller.keys.live}` }
    const refuse = () => fetch(`${service.url}/v1/transactions?limit=0`, { headers })
    const answers = await Promise.all(Array.from({ length: 40 }, refuse))
    assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([400, 429]))
    for (const answer of answers) assert.match(answer.headers.get("ratelimit") ?? "", /^"api";r=[0-2];t=1$/)
  })
})
