import { Effect } from "effect"
import type { Transaction } from "../../../client/src/index.ts"
import type { Exception } from "../../../schema/resources/exception.ts"
import { charge } from "../charge.ts"
import { DemoFailed, waitFor } from "../demoFailed.ts"
import { reais, short } from "../format.ts"
import { openExceptions, readOurBooks, showBooks } from "./books.ts"
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

/** Incident 2: a charge that is paid twice. An operator sends the second payment back. */
export const payTwice = Effect.fnUntraced(function* (scene: PartnerScene, charged: Transaction) {
  const { terminal, service, bank, operator } = scene
  yield* terminal.step("A double payment: the customer pays the same code again")
  const second = bank.pay(charged.pix.txid)
  terminal.event("bank", `the customer pays ${reais(charged.amount)} again: ${second}`)
  yield* eventOf(scene, "transaction.exception", charged.id)
  const [found] = yield* openExceptions(scene)
  if (found?.kind !== "double_payment" || found.details.end_to_end_id !== second) {
    return yield* new DemoFailed({ message: "the double payment is no open exception" })
  }
  terminal.bad(
    `${short(found.id)} ${found.kind}, ${reais(found.amount)}, ${found.state}: an operator must decide`,
  )
  showBooks(scene, "before", yield* readOurBooks(scene))
  const path = `/v1/admin/exceptions/${found.id}`
  const resolution = { act: "refund", reason: "Paid twice by mistake" }
  terminal.say("It is the shop's (credit) or the customer's (refund). Rui asked: it was a mistake.")
  terminal.command(`POST ${path}/resolve ${JSON.stringify(resolution)}`)
  yield* service.call(`${path}/resolve`, { cookie: operator, body: resolution })
  yield* returnAtBank(scene, charged)
  yield* eventOf(scene, "transaction.exception", charged.id, 2)
  const resolved = yield* service.call<Exception>(path, { cookie: operator })
  if (resolved.state !== "resolved") {
    return yield* new DemoFailed({ message: `the double payment is still ${resolved.state}` })
  }
  terminal.good(`${short(resolved.id)} ${resolved.kind}, ${resolved.state} by ${resolved.act}`)
  showBooks(scene, "after", yield* readOurBooks(scene))
})
