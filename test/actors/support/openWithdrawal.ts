import { Effect } from "effect"
import type { PayoutReport } from "../../../actors/ports/acquirer.ts"
import { makeBank, processing } from "./bank.ts"
import { automatic } from "./payout.ts"
import { startProcess } from "./process.ts"
import { balanceNow, withdraw } from "./purse.ts"
import { settle } from "./settle.ts"
import { openShop } from "./shop.ts"

const noPage = { items: [], next: undefined }
/** An acquirer with books of its own, which are not read here. */
const books = { listReceived: () => Effect.succeed(noPage), listSent: () => Effect.succeed(noPage) }

/** It paid, and some of it, or all, came back. */
export const back = (returnedAmount: number): PayoutReport => ({
  ...{ status: "paid", endToEndId: "E-of-the-bank" },
  returnedAmount,
})
/** It paid another amount under our id. */
export const other: Extract<PayoutReport, { readonly status: "otherAmount" }> = {
  ...{ status: "otherAmount", amountThere: 1_500, endToEndId: "E-of-the-bank", returnedAmount: 0 },
}

/** A live withdrawal of 1,000 centavos and a fee of 100, at a bank that says of it what the test sets. */
export const openWithdrawal = (options: { readonly said?: PayoutReport; readonly isManual?: boolean } = {}) =>
  Effect.gen(function* () {
    let report = options.said ?? processing
    const bank = makeBank({ query: () => Effect.sync(() => report) })
    const shop = yield* openShop(options.isManual ? {} : automatic)
    const process = yield* startProcess({ acquirer: { ...bank.acquirer, books } })
    const { id } = yield* withdraw(process, shop.live)
    yield* settle
    const says = (next: PayoutReport) => {
      report = next
      return process.commands.reconcilePayout(id)
    }
    const available = Effect.map(balanceNow(shop.live), (balance) => balance.available)
    return { bank, shop, process, id, says, available }
  })

/** A withdrawal that ended as the bank reported. */
export const ended = (report: PayoutReport) =>
  Effect.gen(function* () {
    const opened = yield* openWithdrawal()
    yield* opened.says(report)
    return opened
  })
