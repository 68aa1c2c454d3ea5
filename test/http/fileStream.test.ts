import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { limits } from "../../schema/limits.ts"
import type { StreamConnection } from "../../src/feed/streamConnection.ts"
import { type FileSource, makeFileStreams } from "../../src/http/handlers/fileStream.ts"
import { entryAt } from "./statementFixture.ts"

const sourceOf = (
  sellerId: string,
  change: Partial<FileSource<StoreUnavailable>> = {},
): FileSource<StoreUnavailable> => ({
  sellerId,
  header: "header\n",
  readAfter: () => Effect.succeed([entryAt(0)]),
  pageEntries: limits.statementPageEntries,
  render: (page) => Effect.succeed(page.map(({ entryId }) => `${entryId}\n`).join("")),
  footer: Effect.succeed(""),
  ...change,
})

/** A connection that takes what is written only when the test says so. */
const heldConnection = () => {
  const seen = { written: "", end: "open" as "open" | "ended" | "cut" }
  const drains: Array<() => void> = []
  const ends: Array<() => void> = []
  const finish = (end: "ended" | "cut") => {
    if (seen.end !== "open") return
    seen.end = end
    for (const listener of ends) listener()
  }
  const connection: StreamConnection = {
    write: (bytes) => {
      seen.written += Buffer.from(bytes).toString()
    },
    unsentBytes: () => 0,
    whenDrained: (listener) => void drains.push(listener),
    end: () => finish("ended"),
    cut: () => finish("cut"),
    onEnded: (listener) => void ends.push(listener),
  }
  return {
    connection,
    seen,
    drain: () => {
      for (const listener of drains.splice(0)) listener()
    },
    leave: () => finish("cut"),
  }
}

const turns = Effect.forEach(Array.from({ length: 10 }), () => Effect.yieldNow, { discard: true })

describe("statements being sent", () => {
  it.effect("a reader may take its time for each page, and is cut once it takes nothing for a minute", () =>
    Effect.gen(function* () {
      const open = yield* makeFileStreams
      const page = Array.from({ length: limits.statementPageEntries }, (_, index) => entryAt(index))
      const held = heldConnection()
      const start = yield* open(sourceOf("a", { readAfter: () => Effect.succeed(page) }))
      start(held.connection)
      for (let pages = 1; pages <= 3; pages++) {
        yield* turns
        expect(held.seen.written.split("\n").length - 2).toBe(pages * limits.statementPageEntries)
        yield* TestClock.adjust(limits.fileUnreadMillis - 1)
        expect(held.seen.end).toBe("open")
        if (pages < 3) held.drain()
      }
      yield* TestClock.adjust(1)
      yield* turns
      expect(held.seen.end).toBe("cut")
    }).pipe(Effect.scoped),
  )

  it.effect("what comes after the last page is written, and taken, before the end", () =>
    Effect.gen(function* () {
      const open = yield* makeFileStreams
      const [taken, refused] = [heldConnection(), heldConnection()]
      for (const { connection } of [taken, refused]) {
        ;(yield* open(sourceOf("a", { footer: Effect.succeed(Buffer.from("footer")) })))(connection)
      }
      yield* turns
      for (const held of [taken, refused]) held.drain()
      yield* turns
      expect([taken.seen.end, taken.seen.written]).toEqual(["open", `header\n${entryAt(0).entryId}\nfooter`])
      taken.drain()
      yield* TestClock.adjust(limits.fileUnreadMillis)
      yield* turns
      expect([taken.seen.end, refused.seen.end]).toEqual(["ended", "cut"])
    }).pipe(Effect.scoped),
  )

  it.effect("a seller has two statements at once in a process; the next is 429 until one has ended", () =>
    Effect.gen(function* () {
      const open = yield* makeFileStreams
      const connections = Array.from({ length: limits.filesPerSellerMax }, heldConnection)
      for (const { connection } of connections) (yield* open(sourceOf("a")))(connection)
      const refused = yield* Effect.flip(open(sourceOf("a")))
      expect(refused).toMatchObject({ code: "rate_limited", retryAfterSeconds: 5 })
      ;(yield* open(sourceOf("b")))(heldConnection().connection)
      connections[0]?.leave()
      ;(yield* open(sourceOf("a")))(heldConnection().connection)
      expect(Exit.isFailure(yield* Effect.exit(open(sourceOf("a"))))).toBe(true)
      // One that ends by itself frees its place as well.
      yield* turns
      connections[1]?.drain()
      yield* turns
      expect(connections[1]?.seen.end).toBe("ended")
      yield* open(sourceOf("a"))
    }).pipe(Effect.scoped),
  )

  it.effect("a process sends a limited number of statements; the next is 503 until one has ended", () =>
    Effect.gen(function* () {
      const open = yield* makeFileStreams
      const held = Array.from({ length: limits.filesInProcessMax }, heldConnection)
      for (const [index, { connection }] of held.entries()) {
        ;(yield* open(sourceOf(`seller ${index}`)))(connection)
      }
      expect(yield* Effect.flip(open(sourceOf("late")))).toMatchObject({ code: "service_unavailable" })
      held[0]?.leave()
      yield* open(sourceOf("late"))
    }).pipe(Effect.scoped),
  )

  it.effect("a statement whose first page cannot be read takes no place", () =>
    Effect.gen(function* () {
      const open = yield* makeFileStreams
      const broken = sourceOf("a", { readAfter: () => Effect.die("broken") })
      for (let tries = 0; tries <= limits.filesPerSellerMax; tries++) yield* Effect.exit(open(broken))
      yield* open(sourceOf("a"))
    }).pipe(Effect.scoped),
  )

  it.effect("a defect midway cuts the connection, and the end of the process every one", () =>
    Effect.gen(function* () {
      const [dying, standing] = [heldConnection(), heldConnection()]
      yield* Effect.gen(function* () {
        const open = yield* makeFileStreams
        const render = () => Effect.die(new Error("broken"))
        ;(yield* open(sourceOf("a", { render })))(dying.connection)
        ;(yield* open(sourceOf("a")))(standing.connection)
        yield* turns
        expect([dying.seen.end, standing.seen.end]).toEqual(["cut", "open"])
      }).pipe(Effect.scoped)
      expect(standing.seen.end).toBe("cut")
    }),
  )
})
