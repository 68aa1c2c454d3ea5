import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { eventIdOf } from "../../schema/ids.ts"
import { compareEntryIds, type FeedBounds, startPosition } from "../../src/feed/position.ts"
import { feed, foreignFeed } from "./feedTesting.ts"

const bounds: FeedBounds = { oldest: "1000-2", newest: "3000-0" }
const startFrom = (entryId: string, asked = bounds) => startPosition(feed, eventIdOf(feed, entryId), asked)

describe("the position a stream begins at", () => {
  it("is the newest entry without a Last-Event-ID", () => {
    expect(startPosition(feed, undefined, bounds)).toEqual({
      position: "3000-0",
      caughtUp: true,
      lastEventId: eventIdOf(feed, "3000-0"),
      gap: undefined,
    })
  })

  it("has no event id in a feed that never had an event", () => {
    const start = startPosition(feed, undefined, { oldest: undefined, newest: "0-0" })
    expect(start).toEqual({ position: "0-0", caughtUp: true, lastEventId: null, gap: undefined })
  })

  it.each(["1000-2", "1000-3", "1500-0", "2999-9"])(
    "is the entry itself inside retention, there or not: %s",
    (entryId) => {
      expect(startFrom(entryId)).toEqual({
        position: entryId,
        caughtUp: false,
        lastEventId: eventIdOf(feed, entryId),
        gap: undefined,
      })
    },
  )

  it("is the newest entry for its id, kept or trimmed, without a gap", () => {
    expect(startFrom("3000-0")).toMatchObject({ position: "3000-0", caughtUp: true, gap: undefined })
    const trimmed = { oldest: undefined, newest: "3000-0" }
    expect(startFrom("3000-0", trimmed)).toMatchObject({ position: "3000-0", caughtUp: true, gap: undefined })
  })

  const unusable = {
    "one before the oldest kept": eventIdOf(feed, "1000-1"),
    "of another feed": eventIdOf(foreignFeed, "1500-0"),
    "after the newest ever written": eventIdOf(feed, "3000-1"),
    "no event id": "garbage\n\nevent: x",
  }
  it.each(Object.entries(unusable))("is the oldest kept after a gap for an id that is %s", (_, requested) => {
    expect(startPosition(feed, requested, bounds)).toEqual({
      position: "0",
      caughtUp: false,
      lastEventId: null,
      gap: { requested, oldest_event_id: eventIdOf(feed, "1000-2") },
    })
  })

  it("is the newest entry after a gap where all later events are trimmed", () => {
    const start = startFrom("2000-0", { oldest: undefined, newest: "3000-0" })
    expect(start).toMatchObject({ position: "3000-0", caughtUp: true, gap: { oldest_event_id: null } })
  })

  it("repeats no more of the requested id than 128 characters", () => {
    expect(startPosition(feed, "x".repeat(129), bounds).gap?.requested).toBe("x".repeat(128))
    expect(startPosition(feed, "x".repeat(128), bounds).gap?.requested).toBe("x".repeat(128))
  })
})

describe("entry ids", () => {
  it("are ordered as their numbers are", () => {
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
