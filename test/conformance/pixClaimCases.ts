import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { PixClaimStore } from "../../actors/ports/pixClaimStore.ts"
import { type StoreCase, storeCase } from "./stage.ts"
import { writingNothing } from "./withdrawals.ts"

/** An account of its own for each case, because claims are kept for ever. */
const accountOf = (name: string) => `api-pix:${name}`
const pixOf = (account: string, endToEndId = "E1") => ({ account, endToEndId })

const first: StoreCase = storeCase(
  "a Pix belongs to its first claimant, who may claim it again, and to nobody else",
  Effect.gen(function* () {
    const store = yield* PixClaimStore
    const pix = pixOf(accountOf("first"))
    assert.deepStrictEqual(yield* store.findAll(pix.account, ["E1"]), [undefined])
    assert.strictEqual(yield* store.claim(pix, "txn_a"), "txn_a")
    assert.strictEqual(yield* store.claim(pix, "txn_b"), "txn_a")
    assert.strictEqual(yield* store.claim(pix, "txn_a"), "txn_a")
    assert.deepStrictEqual(yield* store.findAll(pix.account, ["E2", "E1"]), [undefined, "txn_a"])
    assert.deepStrictEqual(yield* store.findAll(pix.account, []), [])
  }),
)

const accounts: StoreCase = storeCase(
  "the same end-to-end id at another account is another Pix",
  Effect.gen(function* () {
    const store = yield* PixClaimStore
    assert.strictEqual(yield* store.claim(pixOf(accountOf("one")), "txn_a"), "txn_a")
    assert.strictEqual(yield* store.claim(pixOf(accountOf("other")), "txn_b"), "txn_b")
    assert.strictEqual(yield* store.claim(pixOf(accountOf("one"), "E2"), "txn_b"), "txn_b")
  }),
)

const takenOver: StoreCase = storeCase(
  "a claim is taken over from the claimant that is named, and from no other",
  Effect.gen(function* () {
    const store = yield* PixClaimStore
    const pix = pixOf(accountOf("taken"))
    yield* store.claim(pix, "txn_a")
    yield* writingNothing(
      Effect.gen(function* () {
        assert.strictEqual(yield* store.claim(pix, "exc_a", "txn_b"), "txn_a")
      }),
    )
    assert.strictEqual(yield* store.claim(pix, "exc_a", "txn_a"), "exc_a")
    assert.strictEqual(yield* store.claim(pix, "txn_c", "txn_a"), "exc_a")
  }),
  { needs: ["contents"] },
)

const concurrent: StoreCase = storeCase(
  "of 30 concurrent claims of a Pix one holds",
  Effect.gen(function* () {
    const store = yield* PixClaimStore
    const pix = pixOf(accountOf("concurrent"))
    const claimants = Array.from({ length: 30 }, (_, i) => `txn_${i}`)
    const holders = yield* Effect.forEach(claimants, (claimant) => store.claim(pix, claimant), {
      concurrency: "unbounded",
    })
    assert.strictEqual(new Set(holders).size, 1)
    assert.deepStrictEqual(yield* store.findAll(pix.account, ["E1"]), [holders[0]])
  }),
)

/** What the store promises of claims of received Pix. */
export const pixClaimCases: ReadonlyArray<StoreCase> = [first, accounts, takenOver, concurrent]
