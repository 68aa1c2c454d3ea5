import { Effect } from "effect"
import { payoutIdOf } from "../../../schema/ids.ts"
import { webhookSecret } from "../../../test/support/pspSettings.ts"
import { attempt, DemoFailed, waitFor } from "../demoFailed.ts"
import { reais, short } from "../format.ts"
import { readOurBooks, showBooks } from "./books.ts"
import { eventOf, type PartnerScene } from "./scene.ts"

/** What the shop withdraws, and how the bank ends it. */
interface Payout {
  readonly amountCentavos: number
  readonly description: string
  readonly end: "successful" | "failed"
}

/** How the bank ends a payout. */
const endings = {
  successful: { status: "REALIZADO", code: undefined, does: "pays it out" },
  failed: { status: "NAO_REALIZADO", code: "AC03", does: "says NAO_REALIZADO: it could not pay it" },
} as const

/** The shop withdraws, the operator approves, the bank ends it, and its notice arrives. */
export const payOut = Effect.fnUntraced(function* (
  scene: PartnerScene,
  { amountCentavos, description, end }: Payout,
) {
  const { terminal, service, bank, operator, shop } = scene
  const wanted = { amount: amountCentavos, pix_key_id: shop.pixKeyId, description }
  const made = yield* service.asMerchant(shop.key, "the withdrawal", (corrente, options) =>
    corrente.withdrawals.create(wanted, options),
  )
  terminal.good(
    `201 ${short(made.id)}, ${reais(made.amount)} and a fee of ${reais(made.fee)}, ${made.status}`,
  )
  const approval = `/v1/admin/withdrawals/${made.id}/approve`
  terminal.command(`POST ${approval}`)
  yield* service.call(approval, { cookie: operator, body: {} })
  const idEnvio = payoutIdOf(made.id)
  yield* waitFor("payout", () => bank.payout(idEnvio))
  const { status, code, does } = endings[end]
  bank.payoutResult(idEnvio, status, code)
  terminal.event("bank", `${does}, and its notice arrives`)
  const notified = yield* attempt("the bank's notice", () =>
    bank.notify(`${service.url}/v1/webhooks/api-pix/pix`, bank.notice({ idEnvio }), webhookSecret),
  )
  if (!notified.ok) return yield* new DemoFailed({ message: `the notice was answered ${notified.status}` })
  yield* eventOf(scene, `withdrawal.${end}`, made.id)
  return { made, idEnvio }
})

/** Incident 4: a payout that comes back whole after it was successful. It is credited by itself. */
export const returnPayout = Effect.fnUntraced(function* (scene: PartnerScene) {
  const { terminal, service, bank, shop } = scene
  yield* terminal.step("A returned payout: a withdrawal arrives, and comes back")
  const { made, idEnvio } = yield* payOut(scene, {
    ...{ amountCentavos: 10_000, description: "Novembro", end: "successful" },
  })
  const before = yield* readOurBooks(scene)
  showBooks(scene, "before", before)
  bank.payoutReturn(idEnvio)
  terminal.event(
    "bank",
    `the receiver's bank gives ${reais(made.amount)} back: the account is closed. No notice`,
  )
  terminal.say(
    "The next sweep reads GET /v2/gn/pix/enviados, asks about this payout, and credits what came back.",
  )
  yield* eventOf(scene, "withdrawal.returned", made.id)
  const { status, returned_amount } = yield* service.asMerchant(
    shop.key,
    "the withdrawal",
    (corrente, options) => corrente.withdrawals.get(made.id, options),
  )
  if (returned_amount !== made.amount) {
    return yield* new DemoFailed({ message: `of the payout ${returned_amount ?? 0} centavos came back` })
  }
  terminal.good(
    `credited by itself: status ${status}, returned_amount ${reais(returned_amount)}; the fee stays with us`,
  )
  showBooks(scene, "after", yield* readOurBooks(scene))
})
