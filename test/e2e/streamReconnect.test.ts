import { EventSource } from "eventsource"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Event } from "../../schema/resources/event.ts"
import { until } from "../support/until.ts"
import { allEvents, chargeBody, freshKey, makeCharge, postCharge } from "./support/charges.ts"
import { type Client, makeClient } from "./support/client.ts"
import { type CuttingProxy, startCuttingProxy } from "./support/cuttingProxy.ts"
import { readyStream } from "./support/sse.ts"
import { openStage, type Stage } from "./support/stage.ts"

let stage: Stage
let proxy: CuttingProxy

beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "20" })
  proxy = await startCuttingProxy(stage.service.port)
})
afterAll(async () => {
  await proxy?.close()
  await stage?.close()
})

const eventTypes = ["transaction.created", "transaction.paid"]

/** Follows a feed with the `eventsource` package, which reconnects by itself, as browsers do. */
const follow = (client: Client) => {
  const events: Array<Event & { readonly lastEventId: string }> = []
  const controls: Array<string> = []
  const source = new EventSource(`${client.origin}/events`, {
    fetch: (url, init) =>
      fetch(url, { ...init, headers: { ...init.headers, Authorization: `Bearer ${client.key}` } }),
  })
  for (const type of eventTypes) {
    source.addEventListener(type, ({ data, lastEventId }) =>
      events.push({ ...(JSON.parse(data) as Event), lastEventId }),
    )
  }
  for (const type of ["ready", "replay_gap", "reconnect"]) {
    source.addEventListener(type, ({ data }) => controls.push(`${type} ${data}`))
  }
  const opened = () => controls.filter((control) => control.startsWith("ready")).length
  return { source, events, controls, opened }
}

/** Makes charges until `stop`, repeating each under its key until it is answered, as a careful caller does. */
const keepWriting = (client: Client) => {
  let isStopped = false
  const ids: Array<string> = []
  const writing = (async () => {
    while (!isStopped) {
      const key = freshKey()
      for (;;) {
        const answer = await postCharge<{ id: string }>(client, chargeBody(), key).catch(() => undefined)
        if (answer?.status === 201) {
          ids.push(answer.body.id)
          break
        }
        await new Promise((wake) => setTimeout(wake, 50))
      }
      await new Promise((wake) => setTimeout(wake, 10))
    }
  })()
  return {
    stop: async () => {
      isStopped = true
      await writing
      return ids
    },
  }
}

describe("the eventsource package", () => {
  it("the eventsource package misses and repeats no event over a cut, a deploy and a crash", async () => {
    const seller = await stage.newSeller()
    const direct = follow(seller.test)
    const cut = follow(makeClient(`http://127.0.0.1:${proxy.port}`, seller.keys.test))
    await until("both streams", () => direct.opened() === 1 && cut.opened() === 1)
    const writer = keepWriting(seller.test)
    const seenBoth = (count: number) =>
      until(`${count} events on both`, () => direct.events.length >= count && cut.events.length >= count)
    await seenBoth(10)

    proxy.cut()
    await until("the reconnect after a cut", () => cut.opened() === 2)
    expect(direct.opened()).toBe(1)
    expect((await stage.service.terminate()).code).toBe(0)
    await stage.service.restart()
    await until("the reconnects after a deploy", () => direct.opened() === 2 && cut.opened() === 3)
    await seenBoth(direct.events.length + 10)
    await stage.service.kill9()
    await stage.service.restart()
    await until("the reconnects after a crash", () => direct.opened() === 3 && cut.opened() === 4)

    const ids = await writer.stop()
    await until("all payments", async () => (await allEvents(seller.test)).length === 2 * ids.length)
    const feed = await allEvents(seller.test)
    await seenBoth(feed.length)
    for (const { events, controls } of [direct, cut]) {
      expect(events.map(({ id }) => id)).toEqual(feed.map(({ id }) => id))
      expect(events.map(({ seq }) => seq)).toEqual(feed.map((_, index) => index + 1))
      expect(events.map(({ lastEventId }) => lastEventId)).toEqual(events.map(({ id }) => id))
      expect(controls.filter((control) => control.startsWith("replay_gap"))).toEqual([])
      expect(controls).toContain('reconnect {"reason":"deploy"}')
    }
    // What was answered 201 is in the feed, in spite of the crash.
    const created = feed.filter(({ type }) => type === "transaction.created")
    expect(new Set(created.map(({ data }) => data.object.id))).toEqual(new Set(ids))
    direct.source.close()
    cut.source.close()
  })

  it("the eventsource package stops for good when its API key is unknown", async () => {
    const refused = follow(makeClient(stage.service.url, `sk_test_${"A".repeat(43)}`))
    let code: number | undefined
    refused.source.addEventListener("error", (event) => {
      code = event.code
    })
    await until("the refusal", () => code !== undefined)
    expect(code).toBe(401)
    expect(refused.source.readyState).toBe(EventSource.CLOSED)
  })
})

describe("a stream whose process ends", () => {
  it("a stream gets reconnect before it ends when its process is terminated", async () => {
    const seller = await stage.newSeller()
    const stream = await readyStream(seller.test)
    await makeCharge(seller.test)
    await stream.waitForEvents(1)
    const ending = stage.service.terminate()
    await stream.waitForEnd()
    expect(stream.controls().at(-1)).toEqual({ event: "reconnect", data: '{"reason":"deploy"}' })
    expect(await ending).toEqual({ code: 0, signal: null })
    await stage.service.restart()
  })

  it("a stream frees its place when its process is killed", async () => {
    const seller = await stage.newSeller()
    const streams = await Promise.all(Array.from({ length: 10 }, () => readyStream(seller.test)))
    await stage.service.kill9()
    await Promise.all(streams.map((stream) => stream.waitForEnd()))
    await stage.service.restart()
    const again = async () => {
      const answer = await fetch(`${stage.service.url}/events`, {
        headers: { Authorization: `Bearer ${seller.keys.test}` },
      })
      await answer.body?.cancel()
      return answer.status === 200
    }
    await until("a place", again)
  })
})
