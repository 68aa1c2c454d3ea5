import { Schema } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  createdAtOf,
  renderDeliveryEvent,
  renderEventFrame,
  renderFeedEvent,
} from "../../actors/event/envelope.ts"
import type { EventEntry } from "../../actors/ports/eventLog.ts"
import { eventIdOf } from "../../schema/ids.ts"
import { Event } from "../../schema/resources/event.ts"
import { chunkEnd, FrameBatch, openingFrame, reconnectFrames, turnAwayFrame } from "../../src/feed/frames.ts"
import { feed } from "./feedTesting.ts"

const entry: EventEntry = {
  entryId: "1763683655007-2",
  seq: 41,
  type: "transaction.created",
  resourceId: "txn_1",
  internal: true,
  // Numbers and spaces that parsing and printing again would change.
  data: '{"amount":1.50, "name":"São João","document":"enc:v2:0:abc"}',
}
const restore = (data: string) => data.replace("enc:v2:0:abc", "52998224725")
const object = '{"amount":1.50, "name":"São João","document":"52998224725"}'

describe("the event envelope", () => {
  it("the feed's envelope has the contract's members, and the stored text unchanged but for the document", () => {
    const id = eventIdOf(feed, entry.entryId)
    const text = renderFeedEvent(feed, entry, restore)
    expect(text).toBe(
      `{"id":"${id}","object":"event","type":"transaction.created","mode":"live","created_at":"2025-11-21T00:07:35.007Z","seq":41,"internal":true,"data":{"object":${object}}}`,
    )
    expect(Schema.decodeUnknownSync(Event)(JSON.parse(text))).toEqual(JSON.parse(text))
  })

  it("a delivery's envelope is the feed's without `internal`", () => {
    const { internal, ...rest } = JSON.parse(renderFeedEvent(feed, entry, restore))
    const delivered = renderDeliveryEvent(feed, entry, restore)
    expect(internal).toBe(true)
    expect(JSON.parse(delivered)).toEqual(rest)
    expect(Object.keys(JSON.parse(delivered))).toEqual(Object.keys(rest))
  })

  it("an event's created_at is its entry's millisecond, whatever was asked for before", () => {
    fc.assert(
      fc.property(fc.nat({ max: 4_000_000_000_000 }), fc.nat({ max: 2_500 }), (millis, later) => {
        for (const time of [millis, millis + later, millis]) {
          expect(createdAtOf({ entryId: `${time}-3` })).toBe(new Date(time).toISOString())
          expect(createdAtOf({ entryId: `${time}-3`, aheadMillis: 90_000 })).toBe(
            new Date(time + 90_000).toISOString(),
          )
        }
      }),
    )
  })
})

describe("frames", () => {
  it("the frame of an event has its id, type and envelope", () => {
    const id = eventIdOf(feed, entry.entryId)
    expect(renderEventFrame(feed, entry, restore)).toBe(
      `id: ${id}\nevent: transaction.created\ndata: ${renderFeedEvent(feed, entry, restore)}\n\n`,
    )
  })

  it("a control frame has no id and always has data, without which browsers drop it", () => {
    const opening = openingFrame(feed, {
      position: "0",
      caughtUp: false,
      lastEventId: null,
      gap: { requested: "a\n\nid: b", oldest_event_id: null },
    })
    expect(Buffer.from(opening).toString()).toBe(
      'retry: 3000\n\nevent: ready\ndata: {"mode":"live","last_event_id":null}\n\n' +
        'event: replay_gap\ndata: {"requested":"a\\n\\nid: b","oldest_event_id":null}\n\n',
    )
    expect(Buffer.from(reconnectFrames.lifetime).toString()).toBe(
      'event: reconnect\ndata: {"reason":"lifetime"}\n\n',
    )
    expect(Buffer.from(turnAwayFrame).toString()).toBe(
      'retry: 3000\n\nevent: reconnect\ndata: {"reason":"unavailable"}\n\n',
    )
  })

  it("a batch encodes each frame once, and its frames make up the whole", () => {
    const entries = [1, 2, 3].map((seq) => ({ ...entry, seq, entryId: `1763683655007-${seq}` }))
    let restored = 0
    const batch = new FrameBatch(feed, entries, (data) => {
      restored++
      return restore(data)
    })
    expect(restored).toBe(0)
    const parts = entries.map((_, index) => batch.frame(index))
    expect(Buffer.concat(parts)).toEqual(Buffer.from(batch.whole()))
    expect(Buffer.from(parts[1] ?? []).toString()).toBe(renderEventFrame(feed, entries[1] ?? entry, restore))
    expect(restored).toBe(3)
  })

  it("a chunk of frames is bounded by its size and holds at least one", () => {
    const other = { ...entry, type: "seller.updated" }
    const entries = [100, 100, 5_000, 100].map((length) => ({ ...other, data: "x".repeat(length) }))
    expect(chunkEnd(entries, 0, 800)).toBe(2)
    expect(chunkEnd(entries, 0, 799)).toBe(1)
    expect(chunkEnd(entries, 2, 800)).toBe(3)
    expect(chunkEnd(entries, 0, 1_000_000)).toBe(4)
  })

  it("a chunk of frames counts the pictures of charges, which stored entries leave out", () => {
    const entries = Array.from({ length: 4 }, () => ({ ...entry, data: "x".repeat(100) }))
    expect(chunkEnd(entries, 0, 3_200)).toBe(2)
    expect(chunkEnd(entries, 0, 3_199)).toBe(1)
  })
})
