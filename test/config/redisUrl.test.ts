import { describe, expect, it } from "vitest"
import { parseRedisUrl, withoutPassword } from "../../src/config/redisUrl.ts"

describe("a REDIS_URL", () => {
  it("a REDIS_URL of one server is passed on unchanged", () => {
    const url = "rediss://ana:s%40@redis.example.com:6380/2"
    expect(parseRedisUrl(url)).toEqual({ kind: "server", url })
  })

  it("a REDIS_URL of a cluster names its nodes, each with a port of its own or 6379", () => {
    expect(parseRedisUrl("rediss+cluster://ana:a%40b%2F:c@one.example:7000,two,[::1]:7001")).toEqual({
      kind: "cluster",
      ...{ username: "ana", password: "a@b/:c", isTls: true },
      nodes: [
        { host: "one.example", port: 7_000 },
        { host: "two", port: 6_379 },
        { host: "::1", port: 7_001 },
      ],
    })
    expect(parseRedisUrl("redis+cluster://10.0.0.1")).toMatchObject({ isTls: false, password: undefined })
  })

  it("a REDIS_URL of Sentinels names them, their master, its database, and the credentials of both", () => {
    expect(
      parseRedisUrl(
        "redis+sentinel://:pw@s1,s2:5000/my%20master/3?sentinel_username=u&sentinel_password=a%26b",
      ),
    ).toEqual({
      kind: "sentinel",
      ...{ username: undefined, password: "pw", isTls: false },
      sentinels: [
        { host: "s1", port: 26_379 },
        { host: "s2", port: 5_000 },
      ],
      ...{ masterName: "my master", db: 3, sentinelUsername: "u", sentinelPassword: "a&b" },
    })
    expect(parseRedisUrl("redis+sentinel://s1/m")).toMatchObject({ db: 0, sentinelPassword: undefined })
  })

  it("a REDIS_URL is shown without any password", () => {
    expect(withoutPassword("redis://ana:pw@host:6379/1")).toBe("redis://host:6379/1")
    expect(withoutPassword("redis+cluster://ana:p@w@a:1,b:2")).toBe("redis+cluster://a:1,b:2")
    expect(withoutPassword("redis+sentinel://s/m?sentinel_password=pw&sentinel_username=u")).toBe(
      "redis+sentinel://s/m?sentinel_password=***&sentinel_username=u",
    )
  })
})
