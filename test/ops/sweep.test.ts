import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { SweepStore, type UnreadItem } from "../../actors/ports/sweepStore.ts"
import { limits } from "../../schema/limits.ts"
import * as keys from "../../src/store/keys.ts"
import { RedisStoreLive } from "../../src/store/redisStore.ts"
import { unreadableItem } from "../actors/support/books.ts"
import { useEmptyRedis } from "../support/fileRedis.ts"
import { runOps } from "./cli.ts"

const account = "api-pix:0123"
const window = { fromMillis: 1_795_000_000_000, toMillis: 1_795_000_300_000 }
const unread = (letter: string): UnreadItem => ({
  ...unreadableItem(letter),
  list: "sent",
  window,
  page: "3",
})

const server = useEmptyRedis()

const ops = (...words: ReadonlyArray<string>) =>
  runOps(words, { REDIS_URL: server.url, ENCRYPTION_KEY: Buffer.alloc(32, 9).toString("base64") })
const accept = (item: string, reason = "looked it up") =>
  ops("sweep", "accept", "--item", item, "--reason", reason)

/** Has a sweep meet items that it cannot read. */
const meet = (...items: ReadonlyArray<UnreadItem>) =>
  Effect.gen(function* () {
    const store = yield* SweepStore
    const lease = (yield* store.claim(account, "a sweep", 1)) ?? { account, fence: 0 }
    yield* store.recordUnread(lease, { items, more: 0 })
  }).pipe(
    Effect.provide(
      RedisStoreLive(server.url, { retentionMillis: 86_400_000, partitions: 64, processId: "test" }),
    ),
    Effect.runPromise,
  )

const shown = (letter: string) => ({
  ...{ item: letter.repeat(64), list: "sent", end_to_end_id: `E${letter}`, payout_id: null, txid: null },
  problem: "valor: Expected string",
  window: { from: "2026-11-18T11:06:40.000Z", to: "2026-11-18T11:11:40.000Z" },
  ...{ page: "3", position: 0 },
})
const actsLogged = () => server.redis.xlen("audit")

describe("ops sweep show", () => {
  it("nothing is shown where nothing was ever swept", async () => {
    expect(await ops("sweep", "show")).toMatchObject({ exitCode: 0, stderr: "", document: { accounts: [] } })
  })

  it("each account is shown with what its last sweep could not read", async () => {
    await meet(unread("a"))
    const none = { last_complete_began_at: null, compared_to: null }
    const { document } = await ops("sweep", "show")
    expect(document).toEqual({
      accounts: [{ account, ...none, unreadable_count: 1, unreadable: [shown("a")], accepted: [] }],
    })
  })
})

describe("ops sweep accept", () => {
  it("an item is accepted once, and the command repeated prints the same", async () => {
    await meet(unread("a"), unread("b"))
    const first = await accept("b".repeat(64), "x".repeat(limits.exceptionReasonLengthMax))
    const { accepted_at, ...rest } = first.document
    expect(rest).toEqual({ account, ...shown("b"), reason: "x".repeat(limits.exceptionReasonLengthMax) })
    const again = await accept("b".repeat(64))
    expect(Date.parse(again.document.accepted_at) - Date.parse(accepted_at)).toBeLessThanOrEqual(0)
    expect({ ...again.document, accepted_at }).toEqual(first.document)
    expect(await actsLogged()).toBe(1)
    const { document } = await ops("sweep", "show")
    expect(document.accounts).toMatchObject([
      { unreadable_count: 1, unreadable: [shown("a")], accepted: [shown("b")] },
    ])
    expect(Number(await server.redis.hget(keys.sweepKey(account), "wanted"))).toBeGreaterThan(0)
  })

  it.each([
    { what: "a digest that is none", item: "A".repeat(64), reason: "why", param: "item" },
    { what: "a digest too short", item: "a".repeat(63), reason: "why", param: "item" },
    { what: "no reason", item: "a".repeat(64), reason: "", param: "reason" },
    {
      ...{ what: "a reason too long", item: "a".repeat(64), param: "reason" },
      reason: "x".repeat(limits.exceptionReasonLengthMax + 1),
    },
    { what: "a reason of two lines", item: "a".repeat(64), reason: "a\nb", param: "reason" },
  ])("$what is refused", async ({ item, reason, param }) => {
    await meet(unread("a"))
    const { exitCode, document } = await accept(item, reason)
    expect(exitCode).toBe(1)
    expect(document.error).toMatchObject({ code: "validation_failed", param })
    expect(await actsLogged()).toBe(0)
  })

  it("an item that no sweep met is not found", async () => {
    await meet(unread("a"))
    const { exitCode, document } = await accept("c".repeat(64))
    expect(exitCode).toBe(1)
    expect(document.error).toMatchObject({ code: "resource_not_found" })
    expect(await actsLogged()).toBe(0)
  })

  it("with as many items accepted as the limit says no more are, until the oldest are out of every sweep's reach", async () => {
    await meet(unread("a"))
    const now = Date.now()
    const acceptedAt = (millis: number, count: number, from: number) =>
      Array.from({ length: count }, (_, i) => {
        const digest = `${from + i}`.padStart(64, "0")
        return [digest, `${millis} ${JSON.stringify({ ...unread("b"), digest, reason: "why" })}`]
      }).flat()
    const key = keys.acceptedKey(account)
    await server.redis.hset(key, ...acceptedAt(now, limits.sweepAcceptedMax, 0))
    const { exitCode, document } = await accept("a".repeat(64))
    expect(exitCode).toBe(1)
    expect(document.error).toMatchObject({ code: "invalid_state" })
    await server.redis.hset(key, ...acceptedAt(now - limits.sweepAcceptedMillis, 2, 0))
    expect((await accept("a".repeat(64))).exitCode).toBe(0)
    expect(await server.redis.hlen(key)).toBe(limits.sweepAcceptedMax - 1)
    expect(await server.redis.hexists(key, "0".repeat(64))).toBe(0)
  })
})
