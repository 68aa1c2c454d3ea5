import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { noticeResult, noticeRetryMillis } from "../../../actors/inbox/processNotice.ts"
import { InboxStore } from "../../../actors/ports/inboxStore.ts"
import { acquirerRefundIdOf, makeId, partitionOfId, payoutIdOf, txidOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { MemoryStore } from "../../model/state.ts"

import {
  chargeId,
  endToEndId,
  fire,
  makeBench,
  noticeOf,
  partitions,
  payoutOf,
  post,
  refundId,
  runs,
  secret,
  startMillis,
  stored,
} from "./inboxBench.ts"

describe("an acquirer's webhook", () => {
  it.effect("a webhook is recorded sealed, in its charge's partition, without credential headers", () =>
    runs(
      makeBench(),
      Effect.gen(function* () {
        const headers = { "user-agent": "acquirer", authorization: "Bearer x", cookie: "a=b" }
        assert.deepStrictEqual(yield* post([noticeOf()], { headers }), {
          kind: "received",
          isDuplicate: false,
        })
        const [notice] = yield* stored
        if (notice === undefined) return assert.fail("nothing is on record")
        assert.strictEqual(partitionOfId(notice.id), 5)
        assert.strictEqual(notice.transactionId, chargeId)
        assert.strictEqual(notice.receivedAt, new Date(startMillis).toISOString())
        const content = yield* (yield* InboxStore).content(notice.id)
        assert.strictEqual(content?.body, `sealed:${JSON.stringify([noticeOf()])}`)
        const kept = JSON.parse((content?.headers ?? "").slice("sealed:".length))
        assert.deepStrictEqual(Object.keys(kept), ["user-agent", "x-webhook-signature"])
      }),
    ),
  )

  it.effect("the secret of a webhook's address is kept nowhere, also where a proxy repeats the address", () =>
    runs(
      makeBench(),
      Effect.gen(function* () {
        const headers = {
          "x-original-url": `/v1/webhooks/acquirer?hmac=${secret}`,
          referer: `https://pay.example/?a=b&HMAC=${secret}`,
          "user-agent": "acquirer",
        }
        const call = { headers, hmac: secret, signature: "" }
        assert.strictEqual((yield* post([noticeOf()], call)).kind, "received")
        const [notice] = yield* stored
        if (notice === undefined) return assert.fail("nothing is on record")
        assert.isTrue(notice.signatureValid)
        const content = yield* (yield* InboxStore).content(notice.id)
        assert.notInclude(JSON.stringify([notice, content]), secret)
        assert.include(content?.headers ?? "", "user-agent")
        assert.strictEqual((yield* post([noticeOf()], { ...call, hmac: "wrong" })).kind, "badSignature")
      }),
    ),
  )

  it.effect("a webhook that names a partition beyond the last is always kept in the same existing one", () =>
    runs(
      makeBench(),
      Effect.gen(function* () {
        const beyond = txidOf(makeId("txn_", startMillis, 900, new Uint8Array(14)))
        const strange = ["one", "two", "three"].map((providerEventId) =>
          noticeOf({ providerEventId, txid: beyond }),
        )
        yield* post(strange)
        const before = (yield* stored).map(({ id }) => partitionOfId(id))
        for (const partition of before) assert.isBelow(partition ?? partitions, partitions)
        assert.deepStrictEqual(yield* post(strange), { kind: "received", isDuplicate: true })
        assert.strictEqual((yield* stored).length, 3)
      }),
    ),
  )

  it.effect("a webhook is a duplicate only when every notice in it was received before", () =>
    runs(
      makeBench(),
      Effect.gen(function* () {
        const [one, two] = [noticeOf(), noticeOf({ eventType: "pix.refund", providerEventId: "refund" })]
        yield* post([one])
        assert.deepStrictEqual(yield* post([one, two]), { kind: "received", isDuplicate: false })
        assert.deepStrictEqual(yield* post([one, two]), { kind: "received", isDuplicate: true })
        assert.strictEqual((yield* stored).length, 2)
      }),
    ),
  )

  it.effect("a webhook of 130 notices is stored with one copy of its body, even when it is sent again", () =>
    runs(
      makeBench(),
      Effect.gen(function* () {
        const store = yield* InboxStore
        const batch = Array.from({ length: 130 }, (_, i) => noticeOf({ providerEventId: `event-${i}` }))
        yield* post(batch.slice(0, 1))
        const first = yield* stored
        assert.deepStrictEqual(yield* post(batch), { kind: "received", isDuplicate: false })
        assert.strictEqual((yield* stored).length, 130)
        assert.deepStrictEqual(yield* post(batch), { kind: "received", isDuplicate: true })
        const { notices } = yield* MemoryStore
        const bodies = [...notices.values()].filter(({ content }) => "body" in content)
        assert.strictEqual(bodies.length, 2, "one copy of each body")
        const body = `sealed:${JSON.stringify(batch)}`
        for (const { id } of yield* stored) {
          if (id === first[0]?.id) continue
          assert.strictEqual((yield* store.content(id))?.body, body)
        }
      }),
    ),
  )

  it.effect("a webhook recorded in part is completed when it is sent again, with one copy of its body", () =>
    runs(
      makeBench(),
      Effect.gen(function* () {
        const batch = ["one", "two", "three"].map((providerEventId) => noticeOf({ providerEventId }))
        yield* post(batch)
        const { notices, noticesSeen } = yield* MemoryStore
        const lost = [...notices.values()].find(({ content }) => "noticeId" in content)?.notice
        notices.delete(lost?.id ?? "")
        noticesSeen.delete(`acquirer:${lost?.providerEventId}`)
        assert.deepStrictEqual(yield* post(batch), { kind: "received", isDuplicate: false })
        const kept = [...notices.values()]
        assert.strictEqual(kept.length, 3)
        assert.strictEqual(kept.filter(({ content }) => "body" in content).length, 1)
      }),
    ),
  )

  it.effect("a webhook is refused while the inbox is full, until stored notices are processed", () => {
    const bench = makeBench({ [chargeId]: { kind: "pending" } }, 8_000)
    return runs(
      bench,
      Effect.gen(function* () {
        const long = noticeOf({ providerEventId: "x".repeat(2_000) })
        yield* post([noticeOf(), noticeOf({ providerEventId: "second" })])
        assert.deepStrictEqual(yield* post([long]), { kind: "full" })
        yield* fire
        assert.deepStrictEqual(
          yield* post([long]),
          { kind: "full" },
          "none of the stored notices is processed yet",
        )
        bench.answers[chargeId] = { kind: "settled", note: undefined }
        yield* TestClock.adjust(limits.noticeRetryMillisMin)
        yield* fire
        assert.deepStrictEqual(yield* post([long]), { kind: "received", isDuplicate: false })
        assert.deepStrictEqual(yield* post([noticeOf()]), { kind: "received", isDuplicate: true })
      }),
    )
  })

  it.effect("a webhook with a bad signature is kept each time, unprocessed, and blocks no real one", () => {
    const bench = makeBench()
    return runs(
      bench,
      Effect.gen(function* () {
        const notices = [noticeOf(), noticeOf({ providerEventId: "another" })]
        for (const kept of [[false], [false, false]]) {
          assert.deepStrictEqual(yield* post(notices, { signature: "00" }), { kind: "badSignature" })
          yield* fire
          assert.deepStrictEqual(bench.asked, [])
          assert.deepStrictEqual(
            (yield* stored).map(({ signatureValid }) => signatureValid),
            kept,
            "one record of each body, though it holds two notices",
          )
        }
        assert.deepStrictEqual(yield* post(notices), { kind: "received", isDuplicate: false })
        yield* fire
        assert.strictEqual(bench.asked.length, 2)
      }),
    )
  })

  it.effect("a webhook of an unknown acquirer is not stored", () =>
    runs(
      makeBench(),
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* post([noticeOf()], { slug: "stranger" }), { kind: "unknownSlug" })
        assert.deepStrictEqual(yield* stored, [])
      }),
    ),
  )
})

describe("a notice in the inbox", () => {
  it.effect("a notice reconciles the charge, refund or payout that it names, once", () => {
    const bench = makeBench({ [chargeId]: { kind: "settled", note: "paid twice" } })
    return runs(
      bench,
      Effect.gen(function* () {
        const payout = noticeOf({
          eventType: "pix.sent",
          providerEventId: "sent",
          txid: undefined,
          payoutId: payoutIdOf(payoutOf),
        })
        const refund = noticeOf({
          eventType: "pix.refund",
          providerEventId: "refund",
          refundId: "r1",
        })
        yield* post([noticeOf(), refund, payout])
        yield* fire
        yield* TestClock.adjust("1 day")
        yield* fire
        assert.deepStrictEqual(bench.asked.toSorted(), [
          [chargeId, endToEndId, undefined],
          [chargeId, endToEndId, "r1"],
          [payoutOf],
        ])
        const outcomes = (yield* stored).map(({ transactionId, attempts, processedAt, error }) => [
          ...[transactionId, attempts, processedAt, error],
        ])
        const at = new Date(startMillis).toISOString()
        assert.deepInclude(outcomes, [chargeId, 1, at, "paid twice"])
        assert.deepInclude(outcomes, [undefined, 1, at, undefined])
      }),
    )
  })

  const refundNotice = noticeOf({
    ...{ eventType: "pix.refund", providerEventId: "refund", refundId: acquirerRefundIdOf(refundId) },
  })

  for (const [what, answer] of [
    ["a refund of ours that has ended", { kind: "settled", note: undefined }],
    ["an id of our form that is none of our refunds", { kind: "missing" }],
  ] as const) {
    it.effect(`a notice of ${what} reconciles the refund, then its charge`, () => {
      const bench = makeBench({ [refundId]: answer })
      return runs(
        bench,
        Effect.gen(function* () {
          yield* post([refundNotice])
          yield* fire
          assert.deepStrictEqual(bench.asked, [
            [refundId],
            [chargeId, endToEndId, acquirerRefundIdOf(refundId)],
          ])
          const [notice] = yield* stored
          assert.deepInclude(notice, { error: undefined, attempts: 1 })
        }),
      )
    })
  }

  it.effect(
    "a notice of a refund of ours whose result is not known is tried again, and leaves its charge",
    () => {
      const bench = makeBench({ [refundId]: { kind: "pending" } })
      return runs(
        bench,
        Effect.gen(function* () {
          yield* post([refundNotice])
          yield* fire
          assert.deepStrictEqual(bench.asked, [[refundId]])
          const [notice] = yield* stored
          assert.strictEqual(notice?.processedAt, undefined)
        }),
      )
    },
  )

  it.effect("a notice of a refund of ours that names no charge reconciles the refund", () => {
    const bench = makeBench()
    return runs(
      bench,
      Effect.gen(function* () {
        yield* post([{ ...refundNotice, txid: undefined }])
        yield* fire
        assert.deepStrictEqual(bench.asked, [[refundId]])
        const [notice] = yield* stored
        assert.notStrictEqual(notice?.processedAt, undefined)
      }),
    )
  })

  it.effect("a notice that comes too early is retried until the acquirer confirms it", () => {
    const bench = makeBench({ [chargeId]: { kind: "pending" } })
    return runs(
      bench,
      Effect.gen(function* () {
        yield* post([noticeOf()])
        yield* fire
        yield* TestClock.adjust(limits.noticeRetryMillisMin - 1)
        yield* fire
        assert.strictEqual(bench.asked.length, 1)
        yield* TestClock.adjust(1)
        bench.answers[chargeId] = { kind: "unavailable", reason: "silent" }
        yield* fire
        const [waiting] = yield* stored
        assert.deepInclude(waiting, { attempts: 2, processedAt: undefined, error: "silent" })
        bench.answers[chargeId] = { kind: "settled", note: undefined }
        yield* TestClock.adjust(2 * limits.noticeRetryMillisMin)
        yield* fire
        const [done] = yield* stored
        assert.deepInclude(done, { attempts: 3, error: undefined })
        assert.isString(done?.processedAt)
      }),
    )
  })

  it.effect("a notice about nothing of ours is processed, with an error on record", () => {
    const bench = makeBench({ [chargeId]: { kind: "missing" } })
    return runs(
      bench,
      Effect.gen(function* () {
        const nothing = { txid: undefined, endToEndId: undefined }
        yield* post([noticeOf(), noticeOf({ eventType: null, providerEventId: "sha256:x", ...nothing })])
        yield* fire
        assert.deepStrictEqual(bench.asked, [[chargeId, endToEndId, undefined]])
        for (const { processedAt, error } of yield* stored) {
          assert.isString(processedAt)
          assert.isString(error)
        }
      }),
    )
  })

  it("a notice is retried after a minute, doubling to an hour, and given up after the last attempt", () => {
    const minutes = [1, 2, 3, 4, 5, 6, 7, 8, 49].map(
      (attempts) => (noticeRetryMillis(attempts) ?? 0) / 60_000,
    )
    assert.deepStrictEqual(minutes, [1, 2, 4, 8, 16, 32, 60, 60, 60])
    assert.isUndefined(noticeRetryMillis(limits.noticeAttemptsMax))
    const last = noticeResult("inb_x", { kind: "pending" }, limits.noticeAttemptsMax, startMillis)
    assert.isUndefined(last.retryAfterMillis)
    assert.isUndefined(last.processedAt)
    assert.match(last.error ?? "", /^given up: /)
  })
})
