import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { EventLog } from "../../actors/ports/eventLog.ts"
import { type ExceptionCredit, ExceptionStore } from "../../actors/ports/exceptionStore.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { claimOne } from "./attempts.ts"
import { documentOf, openException } from "./exceptions.ts"
import { eventsOf, freshIdBeside, openEndpoint, openShop } from "./fixtures.ts"
import { type StoreCase, storeCase } from "./stage.ts"
import { balance, balanceOf, entriesOf, writingNothing } from "./withdrawals.ts"

const applied = { kind: "applied" } as const
const times = (count: number) => Array.from({ length: count }, (_, index) => index)

/** What a credit commits. */
const creditOf = (exceptionId: string, { sellerId, mode }: Principal, amount = 700): ExceptionCredit => ({
  ...{ exceptionId, feed: { sellerId, mode }, resourceId: exceptionId, eventType: "exception.credited" },
  document: documentOf(exceptionId, "credited"),
  movement: {
    ...{ kind: "payment_credited", resourceType: "exception", resourceId: exceptionId },
    postings: [
      { bucket: "external", amount: -amount },
      { bucket: "available", amount },
    ],
  },
})

const credit = (commit: ExceptionCredit) => Effect.flatMap(ExceptionStore, (store) => store.credit(commit))

const credited: StoreCase = storeCase(
  "a credit moves the money of an exception of any partition to a seller, with its event and delivery",
  Effect.gen(function* () {
    const { live, partition } = yield* openShop()
    const endpoint = yield* openEndpoint(live, ["exception.credited"])
    const exception = yield* openException((partition + 1) % 64)
    const commit = creditOf(exception.id, live)
    assert.deepStrictEqual(yield* credit(commit), applied)
    assert.deepStrictEqual(yield* balanceOf(live), balance({ available: 700 }))
    const [event] = yield* eventsOf(live)
    assert.deepStrictEqual(
      [event?.type, event?.resourceId, event?.data, event?.internal],
      ["exception.credited", exception.id, commit.document, false],
    )
    const [entry] = yield* entriesOf(live)
    assert.deepStrictEqual(
      [entry?.kind, entry?.resourceType, entry?.resourceId, entry?.eventEntryId],
      ["payment_credited", "exception", exception.id, event?.entryId],
    )
    const owed = yield* claimOne(endpoint.id)
    assert.strictEqual(owed.entry.entryId, event?.entryId)
    const { entriesOfResource } = yield* EventLog
    assert.deepStrictEqual(yield* entriesOfResource(live, exception.id), [event?.entryId ?? ""])
    const other = yield* openShop()
    assert.deepStrictEqual(yield* entriesOfResource(other.live, exception.id), [])
  }),
)

const once: StoreCase = storeCase(
  "an exception is credited to a seller once, however often and however concurrently it is asked for",
  Effect.gen(function* () {
    const { live, partition } = yield* openShop()
    const exception = yield* openException(partition)
    const commit = creditOf(exception.id, live)
    const answers = yield* Effect.forEach(times(20), () => credit(commit), { concurrency: "unbounded" })
    assert.deepStrictEqual(
      answers,
      times(20).map(() => applied),
    )
    assert.deepStrictEqual(yield* balanceOf(live), balance({ available: 700 }))
    assert.strictEqual((yield* entriesOf(live)).length, 1)
    assert.strictEqual((yield* eventsOf(live)).length, 1)
    const next = yield* openException(partition)
    assert.deepStrictEqual(yield* credit(creditOf(next.id, live)), applied)
    assert.deepStrictEqual(yield* balanceOf(live), balance({ available: 1_400 }), "another exception")
  }),
)

const refused: StoreCase = storeCase(
  "a credit to no seller is missing, one that would pass 2^53 - 1 centavos overflow; neither writes",
  Effect.gen(function* () {
    const { live, partition } = yield* openShop()
    const exception = yield* openException(partition)
    const unwritten = { ...live, sellerId: yield* freshIdBeside("sel_", live.sellerId) }
    const most = Number.MAX_SAFE_INTEGER
    yield* writingNothing(
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* credit(creditOf(exception.id, unwritten)), { kind: "missing" })
      }),
    )
    assert.deepStrictEqual(yield* credit(creditOf(exception.id, live, most)), applied, "exactly as much")
    const next = yield* openException(partition)
    const over = yield* writingNothing(credit(creditOf(next.id, live, 1)))
    assert.deepStrictEqual(over, { kind: "overflow" })
  }),
  { needs: ["contents"] },
)

/** Credits of exceptions that name no charge (`docs/contract/exceptions.md#acts`). */
export const exceptionCreditCases: ReadonlyArray<StoreCase> = [credited, once, refused]
