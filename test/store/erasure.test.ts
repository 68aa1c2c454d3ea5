import { assert, beforeEach, describe, it } from "@effect/vitest"
import { makeId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { copyEvents, eraseText, swapEvents } from "../../src/store/erasure.ts"
import { readEntries } from "../../src/store/events.ts"
import * as keys from "../../src/store/keys.ts"
import { useStore } from "../support/storeRuntime.ts"

const feed = { sellerId: makeId("sel_", 1_763_683_655_123, 7, new Uint8Array(14)), mode: "test" } as const
const run = "run"
const copy = keys.erasedEventsKey(feed, run)

const { redis, withClient } = useStore("erasure")
beforeEach(async () => {
  await redis("DEL", keys.eventsKey(feed), keys.feedKey(feed), copy)
})

/** Appends events 1-0, 2-0 and so on, after those that there are. */
let appended = 0
const append = async (count: number) => {
  for (let i = 0; i < count; i++) {
    appended += 1
    const fields = [
      "seq",
      `${appended}`,
      "type",
      "t",
      "resource",
      "r",
      "internal",
      "0",
      "data",
      `data ${appended}`,
    ]
    await redis("XADD", keys.eventsKey(feed), `${appended}-0`, ...fields)
  }
}
beforeEach(() => {
  appended = 0
})
const dataIn = async (stream: string) =>
  readEntries(await redis("XRANGE", stream, "-", "+")).map(({ entryId, data }) => [entryId, data])
const copyOf = (first: number, last: number, replaced: Record<string, string> = {}) =>
  withClient((client) =>
    copyEvents(client)(
      feed,
      run,
      { first: `${first}-0`, last: `${last}-0` },
      new Map(Object.entries(replaced)),
    ),
  )
const swap = (last: number, rewrites = 0) =>
  withClient((client) => swapEvents(client)(feed, run, { last: `${last}-0`, rewrites }))

describe("rewriting a feed", () => {
  it("the copy has the same ids with other data, and takes the feed's place with what came after it", async () => {
    await append(3)
    await copyOf(1, 3, { "2-0": "erased" })
    await append(1)
    assert.isAbove(Number(await redis("PTTL", copy)), 0)
    assert.deepStrictEqual(await swap(3), { kind: "swapped" })
    assert.deepStrictEqual(await dataIn(keys.eventsKey(feed)), [
      ["1-0", "data 1"],
      ["2-0", "erased"],
      ["3-0", "data 3"],
      ["4-0", "data 4"],
    ])
    assert.strictEqual(Number(await redis("PTTL", keys.eventsKey(feed))), -1)
    assert.strictEqual(Number(await redis("EXISTS", copy)), 0)
  })

  it("the copy does not take the feed's place while more events are left to copy than one page", async () => {
    await append(1)
    await copyOf(1, 1)
    await append(limits.erasurePageEntries + 1)
    assert.deepStrictEqual(await swap(1), { kind: "more" })
    await copyOf(2, 2)
    assert.deepStrictEqual(await swap(2), { kind: "swapped" })
    assert.strictEqual((await dataIn(keys.eventsKey(feed))).length, limits.erasurePageEntries + 2)
  })

  it("a copy that was begun before another run rewrote the feed is refused, and so is one that is gone", async () => {
    await append(1)
    await copyOf(1, 1, { "1-0": "erased" })
    assert.deepStrictEqual(await swap(1), { kind: "swapped" })
    await copyOf(1, 1, { "1-0": "data 1" })
    assert.deepStrictEqual(await swap(1, 0), { kind: "stale" })
    await redis("DEL", copy)
    assert.deepStrictEqual(await swap(1, 1), { kind: "stale" })
    assert.deepStrictEqual(await dataIn(keys.eventsKey(feed)), [["1-0", "erased"]])
  })
})

describe("erasing a text", () => {
  const hash = `txn:${keys.tagOf(feed.sellerId)}:txn_1`
  const erase = (expected: string) =>
    withClient((client) =>
      eraseText(client)(feed, {
        hash,
        field: "document",
        expected,
        replacement: "erased",
        charge: { id: "txn_1", sums: { paid: 0, refunded: 0 } },
      }),
    )

  it("a text is replaced where it is as it was read, and its version counted", async () => {
    await redis("HSET", hash, "document", "theirs", "version", "3")
    assert.deepStrictEqual(await erase("theirs"), { kind: "erased" })
    assert.deepStrictEqual(await redis("HMGET", hash, "document", "version"), ["erased", "4"])
    assert.deepStrictEqual(await redis("ZRANGE", keys.erasingKey(feed), "0", "-1"), ["txn_1"])
  })

  it("a text that has changed, or a hash that is gone, is left alone", async () => {
    await redis("DEL", keys.erasingKey(feed))
    await redis("HSET", hash, "document", "changed", "version", "3")
    assert.deepStrictEqual(await erase("theirs"), { kind: "stale" })
    assert.deepStrictEqual(await redis("HMGET", hash, "document", "version"), ["changed", "3"])
    await redis("DEL", hash)
    assert.deepStrictEqual(await erase("theirs"), { kind: "stale" })
    assert.deepStrictEqual(await redis("EXISTS", hash, keys.erasingKey(feed)), 0)
  })
})
