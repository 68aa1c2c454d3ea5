import { afterAll, afterEach, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { limits } from "../../schema/limits.ts"
import { OperatorLog, OperatorLogLive } from "../../src/accounts/operatorLog.ts"
import { operatorLogKey } from "../../src/store/keys.ts"
import { RedisClient, RedisClientLive } from "../../src/store/redis/redisClient.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"

let server: TestRedis
const withLog = <A, E>(program: Effect.Effect<A, E, OperatorLog | RedisClient>) =>
  Effect.suspend(() =>
    Effect.provide(program, OperatorLogLive.pipe(Layer.provideMerge(RedisClientLive(server.url)))),
  )

beforeAll(async () => {
  server = await startTestRedis({ appendfsync: "no" })
})
afterEach(() =>
  Effect.runPromise(withLog(Effect.flatMap(RedisClient, ({ call }) => call("DEL", [operatorLogKey])))),
)
afterAll(() => server.stop())

const act = (action: string) => ({
  operatorId: "6c0f1f0e-7a1b-4f0e-9a43-1d2b3c4d5e6f",
  action,
  resourceType: "seller",
  resourceId: "sel_1",
  details: { reason: `"quoted"\nand ção`, until: null },
})

describe("the operators' log", () => {
  it.live("the operators' log says what was done, by whom, when and to what", () =>
    withLog(
      Effect.gen(function* () {
        const operatorLog = yield* OperatorLog
        const begunMillis = Date.now()
        yield* operatorLog.append(act("seller.updated"))
        const { entries, nextBeforeId } = yield* operatorLog.list({ beforeId: undefined, limit: 10 })
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

  it.live("an act of the command line is logged without an operator", () =>
    withLog(
      Effect.gen(function* () {
        const operatorLog = yield* OperatorLog
        yield* operatorLog.append({ ...act("admin.created"), operatorId: undefined })
        const { entries } = yield* operatorLog.list({ beforeId: undefined, limit: 1 })
        expect(entries[0]?.operator_id).toBeNull()
      }),
    ),
  )

  it.live("the operators' log lists acts newest first, page by page, each once", () =>
    withLog(
      Effect.gen(function* () {
        const operatorLog = yield* OperatorLog
        expect(yield* operatorLog.list({ beforeId: undefined, limit: 2 })).toEqual({
          entries: [],
          nextBeforeId: undefined,
        })
        for (const name of ["a", "b", "c", "d"]) yield* operatorLog.append(act(name))
        const pages: Array<ReadonlyArray<string>> = []
        let beforeId: string | undefined
        do {
          const page = yield* operatorLog.list({ beforeId, limit: 2 })
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

  it.live("the operators' log drops its oldest entries past its bound", () =>
    withLog(
      Effect.gen(function* () {
        const { call } = yield* RedisClient
        const filled = `for i = 1, ${limits.auditEntriesMax + 500} do redis.call('XADD', KEYS[1], '*', 'action', 'old') end`
        yield* call("EVAL", [filled, 1, operatorLogKey])
        yield* (yield* OperatorLog).append(act("newest"))
        const length = Number(yield* call("XLEN", [operatorLogKey]))
        // Redis trims a stream by whole nodes, of 100 entries each.
        expect(length).toBeGreaterThanOrEqual(limits.auditEntriesMax)
        expect(length).toBeLessThan(limits.auditEntriesMax + 100)
      }),
    ),
  )
})
