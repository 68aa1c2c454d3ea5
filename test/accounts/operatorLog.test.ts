import { afterAll, afterEach, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { limits } from "../../schema/limits.ts"
import { Audit, AuditLive } from "../../src/accounts/operatorLog.ts"
import { auditKey } from "../../src/store/keys.ts"
import { RedisClient, RedisClientLive } from "../../src/store/redis/redisClient.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"

let server: TestRedis
const withAudit = <A, E>(program: Effect.Effect<A, E, Audit | RedisClient>) =>
  Effect.suspend(() =>
    Effect.provide(program, AuditLive.pipe(Layer.provideMerge(RedisClientLive(server.url)))),
  )

beforeAll(async () => {
  server = await startTestRedis({ appendfsync: "no" })
})
afterEach(() =>
  Effect.runPromise(withAudit(Effect.flatMap(RedisClient, ({ call }) => call("DEL", [auditKey])))),
)
afterAll(() => server.stop())

const act = (action: string) => ({
  operatorId: "6c0f1f0e-7a1b-4f0e-9a43-1d2b3c4d5e6f",
  action,
  resourceType: "seller",
  resourceId: "sel_1",
  details: { reason: `"quoted"\nand ção`, until: null },
})

describe("the audit stream", () => {
  it.live("tells what was done by whom, when and to what", () =>
    withAudit(
      Effect.gen(function* () {
        const audit = yield* Audit
        const begunMillis = Date.now()
        yield* audit.append(act("seller.updated"))
        const { entries, nextBeforeId } = yield* audit.list({ beforeId: undefined, limit: 10 })
        expect(nextBeforeId).toBeUndefined()
        expect(entries).toEqual([
          {
            id: expect.stringMatching(/^\d{13}-\d+$/),
            action: "seller.updated",
            operator_id: "6c0f1f0e-7a1b-4f0e-9a43-1d2b3c4d5e6f",
            resource_type: "seller",
            resource_id: "sel_1",
            details: { reason: `"quoted"\nand ção`, until: null },
            created_at: expect.any(String),
          },
        ])
        const createdMillis = Date.parse(entries[0]?.created_at ?? "")
        expect(createdMillis).toBeGreaterThanOrEqual(begunMillis)
        expect(createdMillis).toBeLessThanOrEqual(Date.now())
      }),
    ),
  )

  it.live("has no operator for what the command line did", () =>
    withAudit(
      Effect.gen(function* () {
        const audit = yield* Audit
        yield* audit.append({ ...act("admin.created"), operatorId: undefined })
        const { entries } = yield* audit.list({ beforeId: undefined, limit: 1 })
        expect(entries[0]?.operator_id).toBeNull()
      }),
    ),
  )

  it.live("is read newest first, page by page, each act once", () =>
    withAudit(
      Effect.gen(function* () {
        const audit = yield* Audit
        expect(yield* audit.list({ beforeId: undefined, limit: 2 })).toEqual({
          entries: [],
          nextBeforeId: undefined,
        })
        for (const name of ["a", "b", "c", "d"]) yield* audit.append(act(name))
        const pages: Array<ReadonlyArray<string>> = []
        let beforeId: string | undefined
        do {
          const page = yield* audit.list({ beforeId, limit: 2 })
          pages.push(page.entries.map(({ action }) => action))
          beforeId = page.nextBeforeId
        } while (beforeId !== undefined)
        expect(pages).toEqual([
          ["d", "c"],
          ["b", "a"],
        ])
      }),
    ),
  )

  it.live("forgets the oldest where it grows past its bound", () =>
    withAudit(
      Effect.gen(function* () {
        const { call } = yield* RedisClient
        const filled = `for i = 1, ${limits.auditEntriesMax + 500} do redis.call('XADD', KEYS[1], '*', 'action', 'old') end`
        yield* call("EVAL", [filled, 1, auditKey])
        yield* (yield* Audit).append(act("newest"))
        const length = Number(yield* call("XLEN", [auditKey]))
        // Whole nodes of a stream go, or none: a node has 100 entries.
        expect(length).toBeGreaterThanOrEqual(limits.auditEntriesMax)
        expect(length).toBeLessThan(limits.auditEntriesMax + 100)
      }),
    ),
  )
})
