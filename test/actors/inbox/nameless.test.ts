import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { AcquirerUnavailable } from "../../../actors/ports/acquirer.ts"
import { PixClaimStore } from "../../../actors/ports/pixClaimStore.ts"
import { txidOf } from "../../../schema/ids.ts"
import { MemoryStore } from "../../model/state.ts"
import { silentAcquirer } from "../support/acquirer.ts"
import { storedCharge } from "../support/charges.ts"

import {
  chargeId,
  endToEndId,
  fire,
  makeBench,
  noticeOf,
  post,
  runs,
  startMillis,
  stored,
} from "./inboxBench.ts"

describe("a notice that names its Pix alone", () => {
  const nameless = noticeOf({ txid: undefined })
  const pixOf = (txid: string | undefined) => ({
    ...{ endToEndId, amount: 1_000, refunds: [], txid, receivedMillis: startMillis },
  })
  const storeCharge = Effect.map(MemoryStore, ({ transactions }) =>
    transactions.set(chargeId, { ...storedCharge("pending"), id: chargeId, mode: "live" }),
  )

  it.effect("a notice without a txid is about the charge that the acquirer's query of its Pix names", () => {
    const bench = makeBench({}, undefined, () => Effect.succeed(pixOf(txidOf(chargeId))))
    return runs(
      bench,
      Effect.gen(function* () {
        yield* storeCharge
        yield* post([nameless])
        yield* fire
        assert.deepStrictEqual(bench.asked, [[chargeId, endToEndId, undefined]])
        assert.notStrictEqual((yield* stored)[0]?.processedAt, undefined)
      }),
    )
  })

  it.effect(
    "a notice without a txid is about the charge that has its Pix, whatever the acquirer says",
    () => {
      const bench = makeBench()
      return runs(
        bench,
        Effect.gen(function* () {
          const { account } = silentAcquirer
          yield* (yield* PixClaimStore).claim({ account, endToEndId }, chargeId)
          yield* post([nameless])
          yield* fire
          assert.deepStrictEqual(bench.asked, [[chargeId, endToEndId, undefined]])
        }),
      )
    },
  )

  it.effect(
    "a notice without a txid whose Pix names none of ours is nobody's, and is not tried again",
    () => {
      const bench = makeBench({}, undefined, () => Effect.succeed(pixOf("order7")))
      return runs(
        bench,
        Effect.gen(function* () {
          yield* post([nameless])
          yield* fire
          const [notice] = yield* stored
          assert.deepInclude(notice, { error: "it names no charge or withdrawal of ours", attempts: 1 })
          assert.deepStrictEqual(bench.asked, [])
        }),
      )
    },
  )

  it.effect("a notice without a txid waits while the acquirer does not answer about its Pix", () => {
    const bench = makeBench({}, undefined, () =>
      Effect.fail(new AcquirerUnavailable({ operation: "queryPix", reason: "answered 503" })),
    )
    return runs(
      bench,
      Effect.gen(function* () {
        yield* post([nameless])
        yield* fire
        assert.deepInclude((yield* stored)[0], { error: "answered 503", processedAt: undefined })
      }),
    )
  })
})
