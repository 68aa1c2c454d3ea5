import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import type { ReceivedNotice } from "../../actors/values/receivedNotice.ts"
import { makeId } from "../../schema/ids.ts"
import { receiveNotice, recordNotice, reprocessNotice } from "../../src/store/inbox.ts"
import * as keys from "../../src/store/keys.ts"
import "../../src/store/redisStore.ts"
import { ensureLibrary } from "../../src/store/redis/functionLibrary.ts"
import { RedisClient, RedisClientLive } from "../../src/store/redis/redisClient.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"

const dayMillis = 24 * 60 * 60 * 1000
const options = { retentionMillis: dayMillis, partitions: 4, processId: "test" }
const partition = 3
const tag = keys.partitionTag(partition)

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis({ appendfsync: "no" })
})
afterAll(() => server.stop())

const withClient = <A, E>(program: Effect.Effect<A, E, RedisClient>) =>
  Effect.suspend(() =>
    Effect.provide(
      Effect.gen(function* () {
        const client = yield* RedisClient
        yield* client.call("FLUSHALL", [])
        yield* ensureLibrary(client)
        return yield* program
      }),
      RedisClientLive(server.url),
    ),
  )

let made = 0
const noticeAt = (millis: number, signatureValid: boolean): ReceivedNotice => ({
  id: makeId("inb_", millis, partition, new Uint8Array(14).fill(++made)),
  acquirerSlug: "api-pix",
  providerEventId: `event-${made}`,
  eventType: "pix.received",
  signatureValid,
  receivedAt: new Date(millis).toISOString(),
  transactionId: undefined,
  withdrawalId: undefined,
  endToEndId: "E1",
  refundId: undefined,
  bodyHash: "hash",
  content: { body: "body", headers: "headers" },
})

const indexKinds = [undefined, "unprocessed", "unsigned"] as const

describe("notices in Redis", () => {
  it.live("a notice's keys expire with its retention, whatever is written to it meanwhile", () =>
    withClient(
      Effect.gen(function* () {
        const client = yield* RedisClient
        const notice = noticeAt(yield* Clock.currentTimeMillis, true)
        const bad = noticeAt(yield* Clock.currentTimeMillis, false)
        yield* receiveNotice(client, options)(notice)
        yield* receiveNotice(client, options)(bad)
        yield* recordNotice(client)({
          id: notice.id,
          processedAt: undefined,
          error: "later",
          retryAfterMillis: 60_000,
        })
        yield* reprocessNotice(client)(notice.id, notice.receivedAt)
        const seen = keys.noticeSeenKey(tag, notice.acquirerSlug, notice.providerEventId)
        for (const key of [keys.noticeKey(notice.id), keys.noticeKey(bad.id), seen]) {
          const left = Number(yield* client.call("PTTL", [key]))
          expect(left, key).toBeGreaterThan(dayMillis / 2)
          expect(left, key).toBeLessThanOrEqual(dayMillis)
        }
        // There are no other keys.
        const found = yield* client.call("KEYS", ["*"])
        expect((found as ReadonlyArray<string>).toSorted()).toEqual(
          [
            ...[keys.noticeKey(notice.id), keys.noticeKey(bad.id), seen, keys.timersKey(tag)],
            ...[...indexKinds.map((kind) => keys.noticesKey(tag, kind)), keys.inboxBytesKey(tag)],
          ].toSorted(),
        )
      }),
    ),
  )

  it.live("receiving a notice removes those past retention from their partition's indexes", () =>
    withClient(
      Effect.gen(function* () {
        const client = yield* RedisClient
        const receive = receiveNotice(client, options)
        const now = yield* Clock.currentTimeMillis
        const [old, oldBad] = [noticeAt(now - dayMillis - 1, true), noticeAt(now - dayMillis - 1, false)]
        const [kept, keptBad] = [noticeAt(now - dayMillis, true), noticeAt(now - dayMillis, false)]
        const fresh = noticeAt(now, true)
        for (const notice of [old, oldBad, kept, keptBad, fresh]) yield* receive(notice)
        const indexes = yield* client.callAll(
          indexKinds.map((kind) => ["ZRANGE", [keys.noticesKey(tag, kind), 0, -1]] as const),
        )
        expect(indexes).toEqual([[kept.id, keptBad.id, fresh.id], [kept.id, fresh.id], [keptBad.id]])
      }),
    ),
  )
})
