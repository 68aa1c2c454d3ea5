import { Effect } from "effect"
import { exceptedThere } from "../../../src/closings/partnerBalance.ts"
import type { Psp } from "../../../test/support/psp.ts"
import { reais } from "../format.ts"
import { openExceptions } from "./exceptions.ts"
import type { PartnerScene } from "./scene.ts"

/** Where the shop's money is by our books, in centavos. */
export interface OurBooks {
  readonly available: number
  /** What the withdrawal in progress holds. */
  readonly held: number
  /** What Corrente has earned. */
  readonly fees: number
  /** What the open exceptions say is at the bank besides; negative where they say that it left. */
  readonly exceptions: number
}

/** Reads our books: the balance, the ledger's fees, and the open exceptions. */
export const readOurBooks = Effect.fnUntraced(function* (scene: PartnerScene) {
  const { service, shop } = scene
  const balance = yield* service.asMerchant(shop.key, "the balance", (corrente, options) =>
    corrente.balance.get(options),
  )
  const entries = yield* service.asMerchant(shop.key, "the ledger", (corrente, options) =>
    corrente.ledger.list({ limit: 100 }, options).page(),
  )
  const fees = entries.data
    .flatMap(({ postings }) => postings)
    .filter(({ bucket }) => bucket === "fees")
    .reduce((sum, { amount }) => sum + amount, 0)
  const open = yield* openExceptions(scene)
  return {
    available: balance.available,
    held: balance.pending_withdraw,
    fees,
    exceptions: open.reduce((sum, exception) => sum + exceptedThere(exception), 0),
  } satisfies OurBooks
})

/** What the bank holds for us, in centavos. */
export const heldAtBank = (bank: Psp): number => {
  const { received, refunded, sent, returned } = bank.totals()
  return received - refunded - sent + returned
}

/** What the bank holds and our books do not know of; negative where they have more than the bank. */
export const unbooked = (bank: Psp, { available, held, fees, exceptions }: OurBooks): number =>
  heldAtBank(bank) - available - held - fees - exceptions

/** Shows what the bank holds beside our books. */
export const showBooks = (
  { terminal, bank }: PartnerScene,
  who: "before" | "found" | "after",
  ours: OurBooks,
): void => {
  const more = [
    ["held", ours.held],
    ["fees", ours.fees],
    ["open exceptions", ours.exceptions],
  ] as const
  const parts = [
    `available ${reais(ours.available)}`,
    ...more.filter(([, amount]) => amount !== 0).map(([name, amount]) => `${name} ${reais(amount)}`),
  ]
  const missing = unbooked(bank, ours)
  const sign = missing === 0 ? "=" : "≠"
  const rest = missing === 0 ? "" : `: ${reais(missing)} not booked`
  terminal.event(who, `the bank holds ${reais(heldAtBank(bank))} ${sign} ${parts.join(" + ")}${rest}`)
}
