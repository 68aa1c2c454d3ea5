import { randomBytes } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { newDataDir, runService, startService } from "../support/service.ts"

describe("a Redis that was used with another ENCRYPTION_KEY", () => {
  let redis: TestRedis
  beforeAll(async () => {
    redis = await startTestRedis()
  })
  afterAll(() => redis?.stop())

  const key = () => randomBytes(32).toString("base64")

  it("a service starts only with the ENCRYPTION_KEY that its Redis was first used with, and says why", async () => {
    const first = key()
    const service = await startService({ redisUrl: redis.url, env: { ENCRYPTION_KEY: first } })
    await service.stop()

    const settings = { REDIS_URL: redis.url, PORT: "0", DATA_DIR: newDataDir() }
    const { code, output } = await runService({ ...settings, ENCRYPTION_KEY: key() })
    assert.strictEqual(code, 1)
    assert.match(
      output,
      /ENCRYPTION_KEY is not the key that this Redis' secrets are sealed with\. Start with that key/,
    )
    assert.notInclude(output, "    at ")

    const again = await startService({ redisUrl: redis.url, env: { ENCRYPTION_KEY: first } })
    await again.stop()
  })
})
