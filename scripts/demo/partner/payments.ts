import { Effect } from "effect"
import type { Transaction } from "../../../client/src/index.ts"
import { charge } from "../charge.ts"
import { DemoFailed, waitFor } from "../demoFailed.ts"
import { reais, short } from "../format.ts"
import { readOurBooks, showBooks } from "./books.ts"
import { ask, findException, showResolved } from "./exceptions.ts"
import { eventOf, type PartnerScene } from "./scene.ts"

const priceCentavos = 12_990

/** The bank's notices that arrived. */
const noticesOf = ({ service, operator }: PartnerScene) =>
  Effect.map(
    service.call<{ readonly data: ReadonlyArray<unknown> }>("/v1/admin/inbox", { cookie: operator }),
    ({ data }) => data.length,
  )

/** Incident 1: a payment that no notice tells of. Returns the charge. */
export const loseNotice = Effect.fnUntraced(function* (scene: PartnerScene) {
  const { terminal, service, bank, shop } = scene
  yield* terminal.step("A lost notice: a customer pays, and nobody tells us")
  const made = yield* charge(service, shop.key, priceCentavos)
  terminal.good(`201 ${short(made.id)}, ${reais(made.amount)}, ${made.status}`)
  const before = yield* readOurBooks(scene)
  const endToEndId = bank.pay(made.pix.txid)
  terminal.event("bank", `the customer pays ${reais(made.amount)}: ${endToEndId}`)
  terminal.bad("the bank's notice is lost")
  showBooks(scene, "before", before)
  terminal.say("The next sweep reads GET /pix at the bank, and finds a Pix that its charge does not have.")
  const paid = yield* eventOf(scene, "transaction.paid", made.id)
  if (paid.data.object.end_to_end_id !== endToEndId) {
    return yield* new DemoFailed({ message: "the charge was paid by another Pix" })
  }
  terminal.good(`found and paid, with ${yield* noticesOf(scene)} notices in the inbox`)
  showBooks(scene, "after", yield* readOurBooks(scene))
  return made
})

/** The refund that the bank was asked for; it then sends the money back. */
const returnAtBank = Effect.fnUntraced(function* ({ terminal, bank }: PartnerScene, charged: Transaction) {
  const asked = yield* waitFor("refund", () =>
    bank
      .charge(charged.pix.txid)
      ?.pix.flatMap(({ endToEndId, devolucoes }) => devolucoes.map(({ id }) => ({ endToEndId, id })))
      .at(0),
  )
  bank.refundOf(asked.endToEndId, { id: asked.id })
  terminal.event("bank", `sends ${reais(charged.amount)} back to the customer: ${asked.endToEndId}`)
})

/** The customer pays a charge again; the sweep makes that an exception. `told`: how often the shop has heard of exceptions of the charge by then. */
const payAgain = Effect.fnUntraced(function* (scene: PartnerScene, charged: Transaction, told: number) {
  const { terminal, bank } = scene
  const endToEndId = bank.pay(charged.pix.txid)
  terminal.event("bank", `the customer pays ${reais(charged.amount)} again: ${endToEndId}`)
  yield* eventOf(scene, "transaction.exception", charged.id, told)
  const found = yield* findException(scene, "double_payment", endToEndId)
  showBooks(scene, "before", yield* readOurBooks(scene))
  return { found, endToEndId }
})

/** Incident 2: a charge that is paid twice. An operator sends the second payment back. */
export const payTwice = Effect.fnUntraced(function* (scene: PartnerScene, charged: Transaction) {
  const { terminal } = scene
  yield* terminal.step("A double payment: the customer pays the same code again")
  const { found } = yield* payAgain(scene, charged, 1)
  terminal.say("It is the shop's (credit) or the customer's (refund). Rui asked: it was a mistake.")
  yield* ask(scene, found, "refund", "Paid twice by mistake")
  yield* returnAtBank(scene, charged)
  yield* eventOf(scene, "transaction.exception", charged.id, 2)
  yield* showResolved(scene, found)
  showBooks(scene, "after", yield* readOurBooks(scene))
})

/** Incident 3: a double payment that an operator has credited is taken back by the payer's bank. */
export const takeBack = Effect.fnUntraced(function* (scene: PartnerScene, charged: Transaction) {
  const { terminal, bank } = scene
  yield* terminal.step("A payment taken back: what was credited is returned by MED")
  const { found, endToEndId } = yield* payAgain(scene, charged, 3)
  terminal.say("This time the customer wanted two, and the shop has sent both. Rui credits it.")
  yield* ask(scene, found, "credit", "Bought twice")
  yield* eventOf(scene, "transaction.exception", charged.id, 4)
  yield* showResolved(scene, found)
  bank.refundOf(endToEndId, { natureza: "MED_FRAUDE" })
  terminal.event("bank", `the payer complained of fraud: ${reais(charged.amount)} goes back. No notice`)
  showBooks(scene, "before", yield* readOurBooks(scene))
  terminal.say("The next sweep finds a return of a Pix that an exception has credited.")
  const returned = yield* findException(scene, "payment_returned", endToEndId)
  showBooks(scene, "found", yield* readOurBooks(scene))
  yield* ask(scene, returned, "debit", "The payer's bank took it back")
  yield* eventOf(scene, "exception.debited", returned.id)
  yield* showResolved(scene, returned)
  showBooks(scene, "after", yield* readOurBooks(scene))
})
