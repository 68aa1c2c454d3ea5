import { randomBytes } from "node:crypto"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Ledger } from "../../actors/ports/ledger.ts"
import {
  type StoredWithdrawal,
  type WithdrawalPage,
  WithdrawalStore,
} from "../../actors/ports/withdrawalStore.ts"
import { type Principal, sessionPrincipal } from "../../actors/values/principal.ts"
import { type Mode, makeId, partitionOfId } from "../../schema/ids.ts"
import { type WithdrawalStatus, withdrawalStatuses } from "../../schema/resources/withdrawal.ts"
import { hashOf, openShop } from "./fixtures.ts"
import { Stage, type StoreCase, storeCase } from "./stage.ts"
import {
  balance,
  balanceOf,
  credit,
  day,
  openPixKey,
  openTill,
  openWithdrawal,
  pass,
  request,
  requestOf,
  type Till,
  writingNothing,
} from "./withdrawals.ts"

const firstMillis = 1_795_000_000_000

const everything: WithdrawalPage = {
  status: undefined,
  fromMillis: undefined,
  toMillis: undefined,
  beforeId: undefined,
  limit: 100,
}
const everyEntry = { beforeEntryId: undefined, fromMillis: undefined, toMillis: undefined, limit: 100 }

/** The ids of a page. */
const listed = (owner: Principal, page: Partial<WithdrawalPage> = {}) =>
  Effect.gen(function* () {
    const answer = yield* (yield* WithdrawalStore).list(owner, { ...everything, ...page })
    if ("kind" in answer) return yield* Effect.die(new Error(answer.kind))
    return answer.map(({ id }) => id)
  })

/** Withdrawals requested at chosen times of their ids, 1,000 ms apart, oldest first; all cancelled but the last. */
const withdrawalsAt = (till: Pick<Till, "live" | "pixKey">, startMillis: number, count: number) =>
  Effect.forEach(Array.from({ length: count }), (_, index) =>
    Effect.gen(function* () {
      const partition = partitionOfId(till.live.sellerId) ?? 0
      const id = makeId("wd_", startMillis + index * 1_000, partition, randomBytes(14))
      const written = yield* openWithdrawal(till, {}, { id })
      return index === count - 1 ? written : yield* pass(written, "cancelled")
    }),
  )

const foreign: StoreCase = storeCase(
  "a withdrawal that was not requested, or is of another seller or mode, is neither read nor listed",
  Effect.gen(function* () {
    const store = yield* WithdrawalStore
    const till = yield* openTill()
    const { shop, live } = till
    const other = yield* openShop()
    const unwritten = (yield* requestOf(till)).withdrawal
    const withdrawal = yield* openWithdrawal(till)
    const session = sessionPrincipal(shop.sellerId, "live", "a-user")
    assert.deepStrictEqual(yield* store.get(live, withdrawal.id), withdrawal)
    assert.deepStrictEqual(yield* store.get(session, withdrawal.id), withdrawal)
    assert.deepStrictEqual(yield* listed(session), [withdrawal.id])
    for (const id of [unwritten.id, "wd_nothing-like-an-id", ""]) {
      assert.isUndefined(yield* store.get(live, id))
      assert.isUndefined(yield* store.load(id))
    }
    for (const stranger of [shop.test, other.live, other.test]) {
      assert.isUndefined(yield* store.get(stranger, withdrawal.id))
      assert.deepStrictEqual(yield* listed(stranger), [])
      assert.deepStrictEqual(yield* listed(stranger, { status: "awaiting" }), [])
    }
  }),
)

const window: StoreCase = storeCase(
  "the withdrawal list has an inclusive window, an exclusive cursor and a limit",
  Effect.gen(function* () {
    const till = yield* openTill()
    const { live } = till
    const [a, b, c, d] = (yield* withdrawalsAt(till, firstMillis, 4)).map(({ id }) => id)
    assert.deepStrictEqual(yield* listed(live), [d, c, b, a])
    const inner = { fromMillis: firstMillis + 1_000, toMillis: firstMillis + 2_000 }
    assert.deepStrictEqual(yield* listed(live, inner), [c, b])
    const between = { fromMillis: firstMillis + 1_001, toMillis: firstMillis + 1_999 }
    assert.deepStrictEqual(yield* listed(live, between), [])
    assert.deepStrictEqual(yield* listed(live, { beforeId: c ?? "" }), [b, a])
    assert.deepStrictEqual(yield* listed(live, { beforeId: a ?? "" }), [])
    assert.deepStrictEqual(yield* listed(live, { limit: 1 }), [d])
    assert.deepStrictEqual(yield* listed(live, { beforeId: d ?? "", fromMillis: firstMillis, limit: 2 }), [
      ...[c, b],
    ])
    assert.deepStrictEqual(yield* listed(live, { status: "cancelled", limit: 2 }), [c, b])
    assert.deepStrictEqual(yield* listed(live, { status: "cancelled", ...inner, beforeId: c ?? "" }), [b])
  }),
)

/** The ids of an operator's whole list, read from pages of a size. */
const operatorList = (mode: Mode, status: WithdrawalStatus, pageSize = 100) =>
  Effect.gen(function* () {
    const store = yield* WithdrawalStore
    const found: Array<StoredWithdrawal> = []
    let beforeId: string | undefined
    do {
      const page = yield* store.listForOperator({ mode, status, beforeId, limit: pageSize })
      assert.isAtMost(page.length, pageSize)
      found.push(...page)
      beforeId = page.length < pageSize ? undefined : page.at(-1)?.id
    } while (beforeId !== undefined)
    return found
  })

/** The same list from its other end. */
const operatorListOldest = (mode: Mode, status: WithdrawalStatus, pageSize = 100) =>
  Effect.gen(function* () {
    const store = yield* WithdrawalStore
    const found: Array<StoredWithdrawal> = []
    let afterId: string | undefined
    do {
      const page = yield* store.listOldestForOperator({ mode, status, afterId, limit: pageSize })
      assert.isAtMost(page.length, pageSize)
      found.push(...page)
      afterId = page.length < pageSize ? undefined : page.at(-1)?.id
    } while (afterId !== undefined)
    return found
  })

const byStatus: StoreCase = storeCase(
  "the seller and operators list a withdrawal under its current status only",
  Effect.gen(function* () {
    const till = yield* openTill(10_000)
    const { live } = till
    const isListed = (id: string, status: WithdrawalStatus) =>
      Effect.forEach(withdrawalStatuses, (one) =>
        Effect.gen(function* () {
          const wanted = one === status ? [id] : []
          assert.deepStrictEqual(yield* listed(live, { status: one }), wanted, `${one} while ${status}`)
          const operators = (yield* operatorList("live", one)).map((found) => found.id)
          assert.deepStrictEqual(operators, wanted, `operators: ${one} while ${status}`)
          const oldest = (yield* operatorListOldest("live", one)).map((found) => found.id)
          assert.deepStrictEqual(oldest, wanted, `operators, oldest first: ${one} while ${status}`)
          assert.deepStrictEqual(yield* operatorList("test", one), [])
        }),
      )
    let withdrawal = yield* openWithdrawal(till)
    yield* isListed(withdrawal.id, "awaiting")
    for (const to of ["approved", "processing", "successful"] as const) {
      withdrawal = yield* pass(withdrawal, to)
      yield* isListed(withdrawal.id, to)
    }
    assert.deepStrictEqual(yield* listed(live), [withdrawal.id])
  }),
)

const bornApproved: StoreCase = storeCase(
  "a withdrawal that is approved as it is requested is listed as approved only",
  Effect.gen(function* () {
    const till = yield* openTill()
    const written = yield* openWithdrawal(till, { eventType: "withdrawal.approved" }, { status: "approved" })
    const { id } = written
    assert.deepStrictEqual(yield* (yield* WithdrawalStore).load(id), written)
    assert.deepStrictEqual(yield* listed(till.live, { status: "approved" }), [id])
    assert.deepStrictEqual(
      (yield* operatorList("live", "approved")).map((found) => found.id),
      [id],
    )
    assert.deepStrictEqual(yield* listed(till.live, { status: "awaiting" }), [])
    assert.deepStrictEqual(yield* operatorList("live", "awaiting"), [])
  }),
)

const forOperators: StoreCase = storeCase(
  "operators list all sellers' withdrawals of a status and mode, newest first, page by page",
  Effect.gen(function* () {
    const tills = yield* Effect.forEach(Array.from({ length: 5 }), () => openTill())
    const written = yield* Effect.forEach(tills, (till, index) =>
      withdrawalsAt(till, firstMillis + index * 100, 2),
    )
    const { test } = yield* openShop()
    yield* credit(test, 5_000)
    const inTest = yield* openWithdrawal({ live: test, pixKey: yield* openPixKey(test) })
    const newestFirst = (left: StoredWithdrawal, right: StoredWithdrawal) => (left.id < right.id ? 1 : -1)
    for (const status of ["awaiting", "cancelled"] as const) {
      const wanted = written.flat().filter((one) => one.status === status)
      for (const pageSize of [2, 5, 100]) {
        assert.deepStrictEqual(yield* operatorList("live", status, pageSize), wanted.toSorted(newestFirst))
        const oldest = yield* operatorListOldest("live", status, pageSize)
        assert.deepStrictEqual(oldest, wanted.toSorted(newestFirst).reverse())
      }
    }
    assert.deepStrictEqual(yield* operatorList("test", "awaiting"), [inTest])
    assert.deepStrictEqual(yield* operatorList("live", "failed"), [])
  }),
)

/** What each call of the stores answers a principal. */
const answersTo = (principal: Principal, till: Till, withdrawalId: string) =>
  Effect.gen(function* () {
    const [store, ledger] = [yield* WithdrawalStore, yield* Ledger]
    const commit = { ...(yield* requestOf(till)), principal }
    return yield* writingNothing(
      Effect.all({
        create: request(commit),
        readPreconditions: store.readPreconditions(principal, commit.idempotency, till.pixKey.id, day),
        get: store.get(principal, withdrawalId),
        list: store.list(principal, everything),
        balance: ledger.balance(principal),
        entries: ledger.list(principal, everyEntry),
      }),
    )
  })

const keyInvalid = { kind: "keyInvalid" } as const
const shutOut = {
  ...{ create: keyInvalid, readPreconditions: keyInvalid, get: keyInvalid, list: keyInvalid },
  ...{ balance: keyInvalid, entries: keyInvalid },
}

const unknownKey: StoreCase = storeCase(
  "an unknown or another seller's API key reads and requests no withdrawal, and writes nothing",
  Effect.gen(function* () {
    const till = yield* openTill()
    const withdrawal = yield* openWithdrawal(till)
    yield* pass(withdrawal, "cancelled")
    const stranger = { ...till.live, keyHash: hashOf("no such key") }
    assert.deepStrictEqual(yield* answersTo(stranger, till, withdrawal.id), shutOut)
    const borrowed = { ...till.live, keyHash: (yield* openShop()).live.keyHash }
    assert.deepStrictEqual(yield* answersTo(borrowed, till, withdrawal.id), shutOut)
  }),
  { needs: ["contents"] },
)

const revokedKey: StoreCase = storeCase(
  "a revoked API key cannot even read its own withdrawal, and the seller's other key still works",
  Effect.gen(function* () {
    const { revokeKey } = yield* Stage
    const till = yield* openTill(5_000)
    const { shop, live } = till
    const session = sessionPrincipal(shop.sellerId, "live", "a-user")
    const commit = yield* requestOf({ ...till, live: session })
    const byKey = { ...commit, principal: live }
    assert.deepStrictEqual(yield* request(byKey), { kind: "created" })
    yield* revokeKey(live)
    const sessionTill = { ...till, live: session }
    assert.deepStrictEqual(yield* answersTo(live, sessionTill, commit.withdrawal.id), shutOut)
    assert.deepStrictEqual(yield* request(byKey), keyInvalid)
    assert.deepStrictEqual(yield* balanceOf(shop.test), balance())
    assert.deepStrictEqual(yield* listed(shop.test), [])
    yield* pass(commit.withdrawal, "cancelled")
    yield* openWithdrawal(sessionTill)
  }),
  { needs: ["revokeKey", "contents"] },
)

const refused: StoreCase = storeCase(
  "a suspended seller, or in live one without approved KYC, reads withdrawals but requests none",
  Effect.gen(function* () {
    const store = yield* WithdrawalStore
    const unapproved = ["pending", "rejected"] as const
    const shops = [
      ...[{ status: "suspended" } as const, { status: "suspended", kycStatus: "pending" } as const],
      ...unapproved.map((kycStatus) => ({ kycStatus })),
    ]
    const approvedTill = yield* openTill()
    const commit = yield* requestOf(approvedTill)
    for (const fields of shops) {
      const shop = yield* openShop(fields)
      for (const principal of [shop.live, shop.test]) {
        const isSuspended = "status" in fields
        const inLive = principal.mode === "live" ? ("kycRequired" as const) : undefined
        const kind = isSuspended ? ("sellerNotAllowed" as const) : inLive
        const { idempotency, pixKeyId } = { ...commit, ...commit.decidedOn }
        const looked = yield* store.readPreconditions(principal, idempotency, pixKeyId, day)
        assert.strictEqual(looked.kind, kind ?? "open")
        const own = { ...commit, principal }
        const { kind: answer } = yield* writingNothing(request(own))
        assert.strictEqual(answer, kind ?? "stale")
        assert.deepStrictEqual(yield* listed(principal), [])
        assert.deepStrictEqual(yield* balanceOf(principal), balance())
        assert.isUndefined(yield* store.get(principal, commit.withdrawal.id))
      }
    }
  }),
  { needs: ["contents"] },
)

/** Reads of withdrawals, and who may make them: sellers their own, operators all (`docs/contract/withdrawals.md#list`). */
export const withdrawalAccessCases: ReadonlyArray<StoreCase> = [
  foreign,
  window,
  byStatus,
  bornApproved,
  forOperators,
  unknownKey,
  revokedKey,
  refused,
]
