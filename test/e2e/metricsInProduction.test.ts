import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Service, startService } from "../support/service.ts"

const production = {
  NODE_ENV: "production",
  ENCRYPTION_KEY: randomBytes(32).toString("base64"),
  LIVE_ACQUIRER: "simulator",
  ALLOW_SIMULATED_LIVE: "yes",
  PASSWORD_COST: "12",
}
const token = "0123456789abcdef"

let open: Service
let guarded: Service
beforeAll(async () => {
  open = await startService({ env: production })
  guarded = await startService({ env: { ...production, METRICS_TOKEN: token } })
})
afterAll(async () => {
  await open?.stop()
  await guarded?.stop()
})

describe("/metrics in production", () => {
  it("nobody reads metrics without METRICS_TOKEN, on the same machine neither", async () => {
    for (const headers of [{}, { authorization: `Bearer ${token}` }]) {
      const answer = await fetch(`${open.url}/metrics`, { headers })
      expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("METRICS_TOKEN")])
    }
  })

  it("whoever sends METRICS_TOKEN reads metrics, through a proxy too", async () => {
    const headers = { authorization: `Bearer ${token}`, "x-forwarded-for": "203.0.113.5", via: "1.1 proxy" }
    const answer = await fetch(`${guarded.url}/metrics`, { headers })
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("corrente_")])
    expect((await fetch(`${guarded.url}/metrics`)).status).toBe(403)
  })
})
