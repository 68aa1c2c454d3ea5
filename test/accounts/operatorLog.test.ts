import { afterAll, afterEach, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { limits } from "../../schema/limits.ts"
import { CurrentRequest } from "../../src/accounts/currentRequest.ts"
import { OperatorLog, OperatorLogLive } from "../../src/accounts/operatorLog.ts"
import { operatorLogKey } from "../../src/store/keys.ts"
import { RedisClient, RedisClientLive } from "../../src/store/redis/redisClient.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { StoreOptionsLive } from "../support/storeOptions.ts"

let server: TestRedis
const withLog = <A, E>(program: Effect.Effect<A, E, OperatorLog | RedisClient>) =>
  Effect.suspend(() =>
    Effect.provide(
      program,
      OperatorLogLive.pipe(Layer.provideMerge(RedisClientLive(server.url)), Layer.provide(StoreOptionsLive)),
    ),
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

  it.live("an act names the address that its request came from", () =>
    withLog(
      Effect.gen(function* () {
        const operatorLog = yield* OperatorLog
        const request = { requestId: "req_1", clientAddress: "203.0.113.7" }
        yield* Effect.provideService(operatorLog.append(act("seller.updated")), CurrentRequest, request)
        const { entries } = yield* operatorLog.list({ beforeId: undefined, limit: 1 })
        expect(entries[0]?.ip_address).toBe("203.0.113.7")
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

  it.live("acts of operators are kept for five years, and older ones go", () =>
    withLog(
      Effect.gen(function* () {
        const { call } = yield* RedisClient
        const log = yield* OperatorLog
        const oldest = Date.now() - limits.operatorLogKeptMillis
        // Redis trims a stream by whole nodes, of 100 entries each.
        const filled =
          "for i = 1, 200 do redis.call('XADD', KEYS[1], string.format('%.0f-%d', ARGV[1], i), 'action', ARGV[2], 'details', '{}') end"
        yield* call("EVAL", [filled, 1, operatorLogKey, oldest - 60_000, "too old"])
        yield* call("EVAL", [filled, 1, operatorLogKey, oldest + 60_000, "old"])
        yield* log.append(act("newest"))
        const { entries } = yield* log.list({ beforeId: undefined, limit: 500 })
        const actions = entries.map(({ action }) => action)
        expect(actions.filter((name) => name === "too old").length).toBeLessThan(100)
        expect(actions.filter((name) => name === "old")).toHaveLength(200)
      }),
    ),
  )

  it.live("acts are listed by a window and a filter, both ends of the window included", () =>
    withLog(
      Effect.gen(function* () {
        const { call } = yield* RedisClient
        const log = yield* OperatorLog
        for (const millis of [1_000, 2_000, 3_000, 4_000]) {
          for (const action of ["a", "b"]) {
            yield* call("XADD", [operatorLogKey, `${millis}-*`, "action", action, "details", "{}"])
          }
        }
        const ids = (wanted: Partial<Parameters<typeof log.list>[0]>) =>
          Effect.map(log.list({ beforeId: undefined, limit: 10, ...wanted }), ({ entries }) =>
            entries.map(({ id }) => id),
          )
        expect(yield* ids({ fromMillis: 2_000, toMillis: 3_000 })).toEqual([
          "3000-1",
          "3000-0",
          "2000-1",
          "2000-0",
        ])
        expect(yield* ids({ toMillis: 999 })).toEqual([])
        expect(yield* ids({ fromMillis: 4_001 })).toEqual([])
        expect(yield* ids({ fromMillis: -1, toMillis: 1_000 })).toEqual(["1000-1", "1000-0"])
        const matches = ({ action }: { readonly action: string }) => action === "b"
        expect(yield* ids({ matches, beforeId: "4000-1" })).toEqual(["3000-1", "2000-1", "1000-1"])
        const page = yield* log.list({ beforeId: undefined, limit: 3, matches })
        expect(page.nextBeforeId).toBe("2000-1")
        const span = yield* log.span({ afterId: "2000-0", fromMillis: 0, toMillis: 3_000, count: 2 })
        expect(span.map(({ id }) => id)).toEqual(["2000-1", "3000-0"])
      }),
    ),
  )

  it.live(
    "a filter that matches little ends its page after a bounded number of entries, and the next goes on",
    () =>
      withLog(
        Effect.gen(function* () {
          const { call } = yield* RedisClient
          const log = yield* OperatorLog
          const filled = `for i = 1, ${limits.filterScanEntriesMax + 1} do redis.call('XADD', KEYS[1], '1-' .. i, 'action', 'x', 'details', '{}') end`
          yield* call("EVAL", [filled, 1, operatorLogKey])
          const matches = ({ id }: { readonly id: string }) => id === "1-1"
          const first = yield* log.list({ beforeId: undefined, limit: 10, matches })
          expect(first).toEqual({ entries: [], nextBeforeId: "1-2" })
          const { entries, nextBeforeId } = yield* log.list({ beforeId: "1-2", limit: 10, matches })
          expect([entries.map(({ id }) => id), nextBeforeId]).toEqual([["1-1"], undefined])
        }),
      ),
  )
})
