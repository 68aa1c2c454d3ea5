import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { FeedBounds } from "../../actors/ports/streamSlots.ts"
import { eventIdOf } from "../../schema/ids.ts"
import { compareEntryIds, startPosition } from "../../src/feed/position.ts"
import { feed, foreignFeed } from "./feedTesting.ts"

const bounds: FeedBounds = { oldest: "1000-2", newest: "3000-0", hasRequested: true }
const withoutIt: FeedBounds = { ...bounds, hasRequested: false }
const startFrom = (entryId: string, asked = bounds) => startPosition(feed, eventIdOf(feed, entryId), asked)

describe("the position a stream begins at", () => {
  it("a stream without a Last-Event-ID begins at the newest entry", () => {
    expect(startPosition(feed, undefined, bounds)).toEqual({
      position: "3000-0",
      caughtUp: true,
      lastEventId: eventIdOf(feed, "3000-0"),
      gap: undefined,
    })
  })

  it("a stream of a feed that never had an event begins without an event id", () => {
    const start = startPosition(feed, undefined, { oldest: undefined, newest: "0-0", hasRequested: false })
    expect(start).toEqual({ position: "0-0", caughtUp: true, lastEventId: null, gap: undefined })
  })

  it.each(["1000-2", "1000-3", "1500-0", "2999-9"])(
    "a stream begins at the requested entry %s, which is kept",
    (entryId) => {
      expect(startFrom(entryId)).toEqual({
        position: entryId,
        caughtUp: false,
        lastEventId: eventIdOf(feed, entryId),
        gap: undefined,
      })
    },
  )

  it("a stream with the newest id begins there without a gap, whether the entry is kept or trimmed", () => {
    expect(startFrom("3000-0")).toMatchObject({ position: "3000-0", caughtUp: true, gap: undefined })
    const trimmed = { oldest: undefined, newest: "3000-0", hasRequested: false }
    expect(startFrom("3000-0", trimmed)).toMatchObject({ position: "3000-0", caughtUp: true, gap: undefined })
  })

  const unusable = {
    "one before the oldest kept": eventIdOf(feed, "1000-1"),
    "of another feed": eventIdOf(foreignFeed, "1500-0"),
    "after the newest ever written": eventIdOf(feed, "3000-1"),
    "no event id": "garbage\n\nevent: x",
    "of an event that a restored backup does not have": eventIdOf(feed, "1500-0"),
  }
  it.each(Object.entries(unusable))(
    "a stream begins at the oldest kept entry, after a gap, for an id that is %s",
    (_, requested) => {
      expect(startPosition(feed, requested, withoutIt)).toEqual({
        position: "0",
        caughtUp: false,
        lastEventId: null,
        gap: { requested, oldest_event_id: eventIdOf(feed, "1000-2") },
      })
    },
  )

  it("a stream begins at the newest entry, after a gap, where all later events are trimmed", () => {
    const start = startFrom("2000-0", { oldest: undefined, newest: "3000-0", hasRequested: false })
    expect(start).toMatchObject({ position: "3000-0", caughtUp: true, gap: { oldest_event_id: null } })
  })

  it("a gap repeats at most 128 characters of the requested id", () => {
    expect(startPosition(feed, "x".repeat(129), bounds).gap?.requested).toBe("x".repeat(128))
    expect(startPosition(feed, "x".repeat(128), bounds).gap?.requested).toBe("x".repeat(128))
  })
})

describe("entry ids", () => {
  it("entry ids are ordered by their numbers", () => {
    const part = fc.nat({ max: 2_000_000_000_000 })
    fc.assert(
      fc.property(part, fc.nat({ max: 20 }), part, fc.nat({ max: 20 }), (aMillis, aSeq, bMillis, bSeq) => {
        const found = Math.sign(compareEntryIds(`${aMillis}-${aSeq}`, `${bMillis}-${bSeq}`))
        expect(found).toBe(Math.sign(aMillis - bMillis || aSeq - bSeq))
        expect(Math.sign(compareEntryIds(`${aMillis}-${aSeq}`, `${aMillis}-${bSeq}`))).toBe(
          Math.sign(aSeq - bSeq),
        )
      }),
    )
    expect(compareEntryIds("0", "0-0")).toBe(0)
    expect(compareEntryIds("0", "5-0")).toBeLessThan(0)
  })
})
