import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { type Acquirer, AcquirerRefused, type ChargeRequest } from "../../../actors/ports/acquirer.ts"
import { transactionIdOfTxid, txidOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { Transaction } from "../../../schema/resources/transaction.ts"
import { silentAcquirer } from "../support/acquirer.ts"
import { startProcess } from "../support/process.ts"
import { pass, settle } from "../support/settle.ts"
import { eventsOf, openShop, overloaded, requestCharge } from "../support/shop.ts"
import { onStore, StoreFaults } from "../support/store.ts"

/** A remote acquirer that records its requests and answers each after `takesMillis`. */
const makeRemoteAcquirer = (takesMillis: number) => {
  const requests: Array<ChargeRequest> = []
  const acquirer: Acquirer = {
    ...silentAcquirer,
    createCharge: (request) =>
      Effect.gen(function* () {
        requests.push(request)
        yield* Effect.sleep(takesMillis)
        if (request.amount % 100 === 3) return yield* new AcquirerRefused({ reason: "not this one" })
        return { location: `pix.example/${request.txid}`, askAfterMillis: undefined }
      }),
  }
  return { acquirer, requests }
}

const chargeOf = (answer: { readonly kind: string }) =>
  JSON.parse("body" in answer ? String(answer.body) : "{}") as Transaction

const order = { key: "order-1" }

describe("a charge while the acquirer is asked", () => {
  it.effect(
    "a repetition is inProgress while the acquirer is asked, then replayed; another body is a mismatch",
    () =>
      onStore(
        Effect.gen(function* () {
          const shop = yield* openShop()
          const { acquirer, requests } = makeRemoteAcquirer(1_000)
          const process = yield* startProcess({ acquirer })
          const other = yield* startProcess({ acquirer })
          const first = yield* Effect.forkChild(requestCharge(process, shop.test, order))
          yield* pass(999)

          for (const at of [process, other]) {
            assert.deepStrictEqual(yield* requestCharge(at, shop.test, order), { kind: "inProgress" })
            const changed = { ...order, fingerprint: "of another body" }
            assert.deepStrictEqual(yield* requestCharge(at, shop.test, changed), { kind: "mismatch" })
          }
          assert.deepStrictEqual(yield* eventsOf(shop.test), [])
          yield* pass(1)
          const answer = yield* Fiber.join(first)
          assert.deepInclude(answer, { kind: "answered", status: 201 })
          assert.deepStrictEqual(yield* requestCharge(other, shop.test, order), { ...answer, kind: "replay" })
          assert.strictEqual(requests.length, 1)
        }),
      ),
  )

  it.effect("a seller's charges are requested from the acquirer side by side", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const { acquirer } = makeRemoteAcquirer(1_000)
        const process = yield* startProcess({ acquirer })
        const askers = yield* Effect.forEach([1, 2, 3], () =>
          Effect.forkChild(requestCharge(process, shop.test)),
        )
        yield* pass(1_000)

        for (const asker of askers) assert.strictEqual((yield* Fiber.join(asker)).kind, "answered")
      }),
    ),
  )

  it.effect("a charge shows the acquirer's own code as it is", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const brCode = "a bank's code"
        const acquirer: Acquirer = {
          ...silentAcquirer,
          createCharge: () =>
            Effect.succeed({ location: "pix.example/1", brCode, askAfterMillis: undefined }),
        }
        const process = yield* startProcess({ acquirer })
        assert.strictEqual(chargeOf(yield* requestCharge(process, shop.test)).pix.payload, brCode)
      }),
    ),
  )

  it.effect("the acquirer is asked for a charge under the txid that belongs to its id", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const { acquirer, requests } = makeRemoteAcquirer(10)
        const process = yield* startProcess({ acquirer })
        const asker = yield* Effect.forkChild(
          requestCharge(process, shop.test, { body: { amount: 777, pix: { expires_in_seconds: 60 } } }),
        )
        yield* pass(10)
        const charge = chargeOf(yield* Fiber.join(asker))

        assert.deepStrictEqual(requests, [
          {
            txid: charge.pix.txid,
            amount: 777,
            expiresInSeconds: 60,
            customer: { name: "Maria Souza", document: "52998224725" },
          },
        ])
        assert.strictEqual(transactionIdOfTxid(charge.pix.txid), charge.id)
        assert.include(charge.pix.payload, `pix.example/${charge.pix.txid}`)
      }),
    ),
  )

  it.effect("a seller's calls to the acquirer are bounded; the next is refused until one is answered", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const stranger = yield* openShop()
        const { acquirer, requests } = makeRemoteAcquirer(1_000)
        const process = yield* startProcess({ acquirer })
        const askers = yield* Effect.forEach(Array.from({ length: limits.acquirerCallsPerSellerMax }), () =>
          Effect.forkChild(requestCharge(process, shop.test)),
        )
        yield* settle
        assert.strictEqual(requests.length, limits.acquirerCallsPerSellerMax)
        assert.deepInclude(yield* Effect.flip(requestCharge(process, shop.test, order)), overloaded)
        assert.strictEqual(requests.length, limits.acquirerCallsPerSellerMax)
        const elsewhere = yield* Effect.forkChild(requestCharge(process, stranger.test))
        yield* pass(1_000)

        for (const asker of askers) assert.strictEqual((yield* Fiber.join(asker)).kind, "answered")
        assert.strictEqual((yield* Fiber.join(elsewhere)).kind, "answered")
        const again = yield* Effect.forkChild(requestCharge(process, shop.test, order))
        yield* pass(1_000)
        assert.strictEqual((yield* Fiber.join(again)).kind, "answered")
      }),
    ),
  )

  it.effect("a charge is answered although its commit takes longer than the actor's idle time", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const faults = yield* StoreFaults
        faults.delaysMillis.set("createTransaction", limits.actorIdleMillis + 1_000)
        const { acquirer } = makeRemoteAcquirer(1_000)
        const process = yield* startProcess({ acquirer })
        const asker = yield* Effect.forkChild(requestCharge(process, shop.test))
        yield* pass(limits.actorIdleMillis + 2_000)

        assert.deepInclude(yield* Fiber.join(asker), { kind: "answered", status: 201 })
      }),
    ),
  )

  it.effect("a call to the acquirer that times out is saved as 502 and not made again", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const { acquirer, requests } = makeRemoteAcquirer(limits.acquirerTimeoutMillis + 1)
        const process = yield* startProcess({ acquirer })
        const asker = yield* Effect.forkChild(requestCharge(process, shop.test, order))
        yield* pass(limits.acquirerTimeoutMillis - 1)
        assert.isUndefined(asker.pollUnsafe())
        yield* pass(1)
        const answer = yield* Fiber.join(asker)

        assert.deepInclude(answer, { kind: "answered", status: 502 })
        const { error } = JSON.parse("body" in answer ? answer.body : "{}")
        assert.strictEqual(error.code, "acquirer_error")
        yield* pass(60_000)
        assert.deepStrictEqual(yield* requestCharge(process, shop.test, order), { ...answer, kind: "replay" })
        assert.strictEqual(requests.length, 1)
        assert.deepStrictEqual(yield* eventsOf(shop.test), [])
      }),
    ),
  )
})

describe("a refusal of the acquirer", () => {
  it.effect("a refusal of the acquirer is saved and replayed, and the acquirer is not asked again", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const { acquirer, requests } = makeRemoteAcquirer(10)
        const process = yield* startProcess({ acquirer })
        const request = { ...order, body: { amount: 103 } }
        const asker = yield* Effect.forkChild(
          requestCharge(process, shop.test, { ...request, requestId: "req_one" }),
        )
        yield* pass(10)
        const first = yield* Fiber.join(asker)

        assert.deepInclude(first, { kind: "answered", status: 502 })
        assert.include("body" in first ? first.body : "", "not this one")
        const again = yield* requestCharge(process, shop.test, { ...request, requestId: "req_two" })
        assert.deepStrictEqual(again, { ...first, kind: "replay" })
        assert.strictEqual(requests.length, 1)
        assert.deepStrictEqual(yield* eventsOf(shop.test), [])
      }),
    ),
  )
})

describe("a process that dies while the acquirer is asked", () => {
  it.effect("a dead process holds its key until the lease ends; then the same txid is asked for again", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const { acquirer, requests } = makeRemoteAcquirer(1_000)
        const first = yield* startProcess({ acquirer })
        const asker = yield* Effect.forkChild(Effect.exit(requestCharge(first, shop.test, order)))
        yield* pass(500)
        yield* first.kill
        yield* Fiber.await(asker)

        const second = yield* startProcess({ acquirer })
        yield* pass(limits.idempotencyLeaseMillis - 501)
        assert.deepStrictEqual(yield* requestCharge(second, shop.test, order), { kind: "inProgress" })
        yield* pass(1)
        const successor = yield* Effect.forkChild(requestCharge(second, shop.test, order))
        yield* pass(1_000)
        const charge = chargeOf(yield* Fiber.join(successor))

        assert.strictEqual(requests.length, 2)
        assert.strictEqual(requests[0]?.txid, requests[1]?.txid)
        assert.strictEqual(charge.pix.txid, requests[0]?.txid)
        assert.strictEqual(txidOf(charge.id), charge.pix.txid)
        assert.strictEqual((yield* eventsOf(shop.test)).length, 1)
      }),
    ),
  )

  it.effect("a dead process's Idempotency-Key is not taken over by another body", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const { acquirer, requests } = makeRemoteAcquirer(1_000)
        const first = yield* startProcess({ acquirer })
        yield* Effect.forkChild(Effect.exit(requestCharge(first, shop.test, order)))
        yield* pass(500)
        yield* first.kill
        yield* pass(limits.idempotencyLeaseMillis)
        const second = yield* startProcess({ acquirer })
        const changed = { ...order, fingerprint: "of another body" }

        assert.deepStrictEqual(yield* requestCharge(second, shop.test, changed), { kind: "mismatch" })
        assert.strictEqual(requests.length, 1)
      }),
    ),
  )

  it.effect("a process that was only slow replays its successor's answer, and one charge is created", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const faults = yield* StoreFaults
        const { acquirer, requests } = makeRemoteAcquirer(1_000)
        const slow = yield* startProcess({ acquirer })
        faults.delaysMillis.set("createTransaction", limits.idempotencyLeaseMillis + 4_000)
        const first = yield* Effect.forkChild(requestCharge(slow, shop.test, order))
        yield* pass(limits.idempotencyLeaseMillis)
        faults.delaysMillis.clear()
        const quick = yield* startProcess({ acquirer })
        const second = yield* Effect.forkChild(requestCharge(quick, shop.test, order))
        yield* pass(5_000)
        const made = yield* Fiber.join(second)

        assert.deepInclude(made, { kind: "answered", status: 201 })
        assert.deepStrictEqual(yield* Fiber.join(first), { ...made, kind: "replay" })
        assert.strictEqual(requests[0]?.txid, requests[1]?.txid)
        assert.strictEqual((yield* eventsOf(shop.test)).length, 1)
      }),
    ),
  )
})
