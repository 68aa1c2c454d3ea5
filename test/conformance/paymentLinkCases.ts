import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { EventLog } from "../../actors/ports/eventLog.ts"
import { PaymentLinkStore, type StoredPaymentLink } from "../../actors/ports/paymentLinkStore.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { paymentLinkText } from "../../actors/values/paymentLinkText.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { timeOfId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { creationOf, freshIdBeside, newCharge, newScope, openShop, transitionOf } from "./fixtures.ts"
import { elapse, type StoreCase, storeCase } from "./stage.ts"

const linksMax: number = limits.paymentLinksPerModeMax

/** A link that is not yet written. */
const newLink = ({ sellerId, mode }: Principal, more: Partial<StoredPaymentLink> = {}) =>
  Effect.map(
    freshIdBeside("plk_", sellerId),
    (id): StoredPaymentLink => ({
      ...{ id, sellerId, mode, version: 1, active: true, paymentsMax: undefined },
      document: `{"id":"${id}","object":"payment_link","url":"","title":"Oficina \\"Ç\\""}`,
      ...{ payments: 0, paidAmount: 0, pendingPayments: 0 },
      ...more,
    }),
  )

const create = (owner: Principal, link: StoredPaymentLink, scope = newScope(), most = linksMax) =>
  Effect.flatMap(PaymentLinkStore, (store) => store.create(owner, scope, link, `{"id":"${link.id}"}`, most))

const openLink = (owner: Principal, more: Partial<StoredPaymentLink> = {}) =>
  Effect.gen(function* () {
    yield* elapse(2)
    const link = yield* newLink(owner, more)
    assert.deepStrictEqual(yield* create(owner, link), { kind: "created" })
    return link
  })

const load = (id: string) => Effect.flatMap(PaymentLinkStore, (store) => store.load(id))

/** What a link has counted. */
const countsOf = (id: string) =>
  Effect.map(load(id), (link) => [link?.payments, link?.paidAmount, link?.pendingPayments])

/** Makes a charge through a link, if it takes one. */
const chargeThrough = (owner: Principal, paymentLinkId: string) =>
  Effect.gen(function* () {
    const charge = yield* newCharge(owner)
    const store = yield* TransactionStore
    const answer = yield* store.create({ ...creationOf(owner, charge), paymentLinkId })
    return { charge, answer }
  })

/** A charge that the index has of a link; its customer has typed what the index must not take for a link. */
const listedCharge = (owner: Principal, paymentLinkId?: string) =>
  Effect.gen(function* () {
    yield* elapse(2)
    const charge = yield* newCharge(owner)
    const document = JSON.stringify({
      id: charge.id,
      status: "pending",
      customer: { name: `,"payment_link_id":"plk_0","items":[{`, email: "a@b.c", document: "aes:…" },
      ...(paymentLinkId === undefined ? {} : { payment_link_id: paymentLinkId }),
      items: [{ name: "Livro" }],
      metadata: { payment_link_id: "plk_0", items: "[{" },
      paid_at: null,
    })
    const store = yield* TransactionStore
    yield* store.create({ ...creationOf(owner, { ...charge, document }), paymentLinkId })
    return charge.id
  })

const made = (owner: Principal, linkId: string) =>
  Effect.gen(function* () {
    const { charge, answer } = yield* chargeThrough(owner, linkId)
    assert.deepStrictEqual(answer, { kind: "created" })
    return charge
  })

/** The link's payments in the feed, oldest first: the texts of their events. */
const paymentsTold = (owner: Principal) =>
  Effect.gen(function* () {
    const entries = yield* (yield* EventLog).readAfter(owner, "0", 100)
    return entries.filter(({ type }) => type === "payment_link.paid")
  })

export const paymentLinkCases: ReadonlyArray<StoreCase> = [
  storeCase(
    "a link is kept whole, and its request replays the first answer",
    Effect.gen(function* () {
      const { test, live } = yield* openShop()
      const store = yield* PaymentLinkStore
      const link = yield* newLink(test, { paymentsMax: 3 })
      const scope = newScope()
      assert.deepStrictEqual(yield* create(test, link, scope), { kind: "created" })
      assert.deepStrictEqual(yield* create(test, link, scope), { kind: "created" }, "its reply was lost")
      const answer = yield* create(test, yield* newLink(test), { ...scope, executionId: "another" })
      assert.deepStrictEqual(answer, { kind: "replay", status: 201, body: `{"id":"${link.id}"}` })
      assert.deepStrictEqual(yield* load(link.id), link)
      assert.deepStrictEqual(yield* store.get(test, link.id), link)
      assert.isUndefined(yield* store.get(live, link.id), "of the other mode")
      assert.isUndefined(yield* store.get((yield* openShop()).test, link.id), "another seller's")
    }),
  ),
  storeCase(
    "a mode has so many links and not one more, and the other mode has its own",
    Effect.gen(function* () {
      const { test, live } = yield* openShop()
      for (const _ of [1, 2]) yield* create(test, yield* newLink(test), newScope(), 2)
      assert.deepStrictEqual(yield* create(test, yield* newLink(test), newScope(), 2), { kind: "limit" })
      assert.deepStrictEqual(yield* create(live, yield* newLink(live), newScope(), 2), { kind: "created" })
    }),
  ),
  storeCase(
    "links are listed newest first, all or those of a state, which a change moves",
    Effect.gen(function* () {
      const { test } = yield* openShop()
      const store = yield* PaymentLinkStore
      const first = yield* openLink(test)
      const second = yield* openLink(test)
      const third = yield* openLink(test, { active: false })
      const ids = (active?: boolean, beforeId?: string, limit = 9) =>
        Effect.map(store.list(test, { active, beforeId, limit }), (found) =>
          "kind" in found ? found.kind : found.map(({ id }) => id),
        )
      assert.deepStrictEqual(yield* ids(), [third.id, second.id, first.id])
      assert.deepStrictEqual(yield* ids(undefined, third.id, 1), [second.id])
      assert.deepStrictEqual(yield* ids(true), [second.id, first.id])
      const { document } = second
      const off = { link: second, active: false, paymentsMax: 7, document: document.replace("Ofi", "ofi") }
      assert.deepStrictEqual(yield* store.change(off), { kind: "applied" })
      assert.deepStrictEqual(yield* ids(true), [first.id])
      assert.deepStrictEqual(yield* ids(false), [third.id, second.id])
      const after = { ...second, version: 2, active: false, paymentsMax: 7, document: off.document }
      assert.deepStrictEqual(yield* load(second.id), after)
      assert.deepStrictEqual(yield* store.change(off), { kind: "stale" })
      const gone = yield* newLink(test)
      assert.deepStrictEqual(yield* store.change({ ...off, link: gone }), { kind: "missing" })
    }),
  ),
  storeCase(
    "a payment counts in the commit that makes the charge paid, and the feed tells of it after the charge",
    Effect.gen(function* () {
      const { test } = yield* openShop()
      const link = yield* openLink(test)
      const charge = yield* made(test, link.id)
      assert.deepStrictEqual(yield* countsOf(link.id), [0, 0, 1])
      const store = yield* TransactionStore
      const paid = transitionOf(charge, "paid", { paymentLink: { id: link.id, amount: 1990 } })
      assert.deepStrictEqual(yield* store.transition(paid), { kind: "applied" })
      assert.deepStrictEqual(yield* store.transition(paid), { kind: "stale" }, "the same again")
      assert.deepStrictEqual(yield* countsOf(link.id), [1, 1990, 0])
      const [told, ...others] = yield* paymentsTold(test)
      assert.deepStrictEqual(others, [])
      assert.strictEqual(told?.resourceId, link.id)
      assert.isFalse(told?.internal)
      const counts = { payments: 1, paidAmount: 1990, pendingPayments: 0 }
      assert.strictEqual(told?.data, paymentLinkText(link.document, counts, charge.id))
      const entries = yield* (yield* EventLog).readAfter(test, "0", 100)
      assert.deepStrictEqual(
        entries.map(({ type }) => type),
        ["transaction.created", "transaction.paid", "payment_link.paid"],
      )
    }),
  ),
  storeCase(
    "a charge that ends unpaid gives its place back, and one that is paid late counts without having one",
    Effect.gen(function* () {
      const { test } = yield* openShop()
      const store = yield* TransactionStore
      const link = yield* openLink(test, { paymentsMax: 1 })
      const late = yield* made(test, link.id)
      assert.deepStrictEqual((yield* chargeThrough(test, link.id)).answer, { kind: "linkFull" })
      yield* store.transition(transitionOf(late, "expired", { paymentLink: { id: link.id } }))
      assert.deepStrictEqual(yield* countsOf(link.id), [0, 0, 0])
      const next = yield* made(test, link.id)
      yield* store.transition(transitionOf(next, "paid", { paymentLink: { id: link.id, amount: 5 } }))
      const expired = { ...late, status: "expired", version: 2 } as const
      const paidLate = transitionOf(expired, "paid", { paymentLink: { id: link.id, amount: 7 } })
      assert.deepStrictEqual(yield* store.transition(paidLate), { kind: "applied" })
      assert.deepStrictEqual(yield* countsOf(link.id), [2, 12, 0], "one more than it takes")
      assert.deepStrictEqual((yield* chargeThrough(test, link.id)).answer, { kind: "linkFull" })
    }),
  ),
  storeCase(
    "of charges made at once through a link as many are made as it has places, and nothing of the others is written",
    Effect.gen(function* () {
      const { test } = yield* openShop()
      const link = yield* openLink(test, { paymentsMax: 3 })
      const tries = Array.from({ length: 8 }, () => chargeThrough(test, link.id))
      const answers = yield* Effect.all(tries, { concurrency: "unbounded" })
      assert.strictEqual(answers.filter(({ answer }) => answer.kind === "created").length, 3)
      assert.strictEqual(answers.filter(({ answer }) => answer.kind === "linkFull").length, 5)
      const store = yield* TransactionStore
      const refused = answers.filter(({ answer }) => answer.kind === "linkFull")
      for (const { charge } of refused) assert.isUndefined(yield* store.load(charge.id))
      assert.deepStrictEqual(yield* countsOf(link.id), [0, 0, 3])
    }),
  ),
  storeCase(
    "payments at once through one link all count, and each event has counts of its own",
    Effect.gen(function* () {
      const { test } = yield* openShop()
      const store = yield* TransactionStore
      const link = yield* openLink(test)
      const charges = []
      for (const _ of Array.from({ length: 12 })) charges.push(yield* made(test, link.id))
      const pays = charges.map((charge) =>
        store.transition(transitionOf(charge, "paid", { paymentLink: { id: link.id, amount: 100 } })),
      )
      const outcomes = yield* Effect.all(pays, { concurrency: "unbounded" })
      assert.isTrue(outcomes.every(({ kind }) => kind === "applied"))
      assert.deepStrictEqual(yield* countsOf(link.id), [12, 1200, 0])
      const told = (yield* paymentsTold(test)).map(({ data }) => JSON.parse(data))
      assert.deepStrictEqual(
        told.map(({ payments, paid_amount }) => [payments, paid_amount]),
        charges.map((_, i) => [i + 1, (i + 1) * 100]),
      )
    }),
  ),
  storeCase(
    "a link that is switched off, or is not there, takes no charge",
    Effect.gen(function* () {
      const { test } = yield* openShop()
      const off = yield* openLink(test, { active: false })
      assert.deepStrictEqual((yield* chargeThrough(test, off.id)).answer, { kind: "linkInactive" })
      const gone = yield* newLink(test)
      assert.deepStrictEqual((yield* chargeThrough(test, gone.id)).answer, { kind: "linkInactive" })
    }),
  ),
  storeCase(
    "the charges of a link are listed newest first, page by page and by time, without those of others",
    Effect.gen(function* () {
      const { test, live } = yield* openShop()
      const store = yield* TransactionStore
      const link = yield* openLink(test)
      const next = yield* openLink(test)
      const ids: Array<string> = []
      for (const _ of [1, 2, 3]) {
        ids.unshift(yield* listedCharge(test, link.id))
        yield* listedCharge(test, next.id)
        yield* listedCharge(test)
      }
      const listed = (
        page: Partial<Parameters<typeof store.listOfTerms>[2]> = {},
        owner = test,
        of = link.id,
      ) =>
        Effect.map(
          store.listOfTerms(owner, [of], {
            ...{ fromMillis: undefined, toMillis: undefined, beforeId: undefined, limit: 9 },
            ...page,
          }),
          (found) => ("kind" in found ? found.kind : found.map(({ id }) => id)),
        )
      const [newest = "", middle = "", oldest = ""] = ids
      assert.deepStrictEqual(yield* listed(), ids)
      assert.deepStrictEqual(yield* listed({ limit: 2 }), [newest, middle])
      assert.deepStrictEqual(yield* listed({ beforeId: middle }), [oldest])
      const [from, to] = [timeOfId(middle), timeOfId(middle)]
      assert.deepStrictEqual(yield* listed({ fromMillis: from }), [newest, middle])
      assert.deepStrictEqual(yield* listed({ toMillis: to }), [middle, oldest])
      assert.deepStrictEqual(yield* listed({ fromMillis: from, toMillis: to }), [middle])
      assert.deepStrictEqual(yield* listed({ fromMillis: from, beforeId: newest }), [middle])
      assert.deepStrictEqual(yield* listed({}, live), [])
      assert.deepStrictEqual(yield* listed({}, (yield* openShop()).test), [])
      for (const none of ["plk_0", link.id.slice(0, -1), `${link.id}0`]) {
        assert.deepStrictEqual(yield* listed({}, test, none), [], none)
      }
    }),
  ),
]
