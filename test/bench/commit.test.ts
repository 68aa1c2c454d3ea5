import { assert, describe, it } from "@effect/vitest"
import { commitOf } from "../../bench/micro/commit.ts"
import { startSideBackend } from "../../bench/support/sides.ts"
import * as keys from "../../src/store/keys.ts"

describe("the commit that redis-benchmark repeats", () => {
  it("redis-benchmark's commit is new in every run, even when two runs draw the same digits", async () => {
    const backend = await startSideBackend("corrente")
    try {
      const { client } = backend.redis
      const feed = { sellerId: backend.sellerId, mode: "test" } as const
      for (const run of [1, 2]) {
        const [name = "", ...rest] = await commitOf(backend)
        const drawn = rest.map((argument) => argument.replaceAll("__rand_int__", "000000000007"))
        await client.call("FCALL", name, ...drawn)
        assert.strictEqual(await client.xlen(keys.eventsKey(feed)), run)
      }
    } finally {
      await backend.stop()
    }
  })
})
