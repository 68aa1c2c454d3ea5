import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { until } from "../support/until.ts"
import { allEvents, makeCharge } from "./support/charges.ts"
import { readyStream } from "./support/sse.ts"
import { openStage, type Stage } from "./support/stage.ts"

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "20", SSE_LIFETIME_SECONDS: "1", SSE_HEARTBEAT_SECONDS: "1" })
})
afterAll(() => stage?.close())

describe("a stream at the end of its lifetime", () => {
  it("a stream at the end of its lifetime gets reconnect, ends, and frees its place", async () => {
    const seller = await stage.newSeller()
    const streams = await Promise.all(Array.from({ length: 10 }, () => readyStream(seller.test)))
    for (const stream of streams) {
      await stream.waitForEnd()
      expect(stream.controls().at(-1)).toEqual({ event: "reconnect", data: '{"reason":"lifetime"}' })
    }
    await until("ten places", async () => {
      const opened = await Promise.all(
        Array.from({ length: 10 }, () => readyStream(seller.test).catch(() => undefined)),
      )
      for (const stream of opened) stream?.close()
      return opened.every((stream) => stream !== undefined)
    })
  })

  it("resuming after each of four stream lifetimes misses and repeats no event", async () => {
    const seller = await stage.newSeller()
    const ids: Array<string> = []
    let isWriting = true
    const writing = (async () => {
      while (isWriting) await makeCharge(seller.test)
    })()
    for (let lives = 0; lives < 4; lives++) {
      const stream = await readyStream(seller.test, "/events", { "Last-Event-ID": ids.at(-1) ?? "" })
      await stream.waitForEnd()
      ids.push(...stream.events().map(({ id }) => id))
      expect(stream.controls().map(({ event }) => event)).toEqual(["ready", "reconnect"])
    }
    isWriting = false
    await writing
    const feed = (await allEvents(seller.test)).map(({ id }) => id)
    // From the first event that came to the last: none missing, none twice.
    expect(ids.length).toBeGreaterThan(4)
    expect(ids).toEqual(feed.slice(feed.indexOf(ids[0] ?? ""), feed.indexOf(ids.at(-1) ?? "") + 1))
  })
})
