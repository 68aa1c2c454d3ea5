import { expect, it } from "vitest"
import { parseRedisUrl } from "../../src/config/redisUrl.ts"
import { loginOf, redisOfNode } from "../../src/store/redis/clusterDiscovery.ts"

it.each([
  "rediss://app:s%40fe@primary:6380/2",
  "rediss+cluster://app:s%40fe@primary:6380",
  "rediss+sentinel://app:s%40fe@sentinel:26379/main",
])("another server of %s is connected to by the same login, over TLS", (url) => {
  const target = parseRedisUrl(url)
  if (target === undefined) throw new Error("not an address of a Redis")
  for (const host of ["10.0.0.2", "fd00::2", "replica-1.redis"]) {
    const { options } = redisOfNode(loginOf(target), { host, port: 7_001 }, "test")
    expect([options.host, options.port]).toEqual([host, 7_001])
    expect([options.username, options.password]).toEqual(["app", "s@fe"])
    expect(options.tls).toBeDefined()
  }
})
