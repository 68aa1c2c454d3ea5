import { Effect } from "effect"
import { initialSettings } from "../../../actors/seller/decisions/newSeller.ts"
import { type BankScript, makeBank } from "./bank.ts"
import { type ProcessOptions, startProcess } from "./process.ts"
import { withdraw } from "./purse.ts"
import { settle } from "./settle.ts"
import { openShop } from "./shop.ts"
import { startMillis } from "./store.ts"

/** A shop whose withdrawals need nobody's approval. */
export const automatic = { settings: { ...initialSettings, withdrawalAutoApproval: true } }

/** A live withdrawal that is sent to the scripted bank at once, when the test starts. */
export const openPayout = (script: BankScript, options: Omit<ProcessOptions, "acquirer"> = {}) =>
  Effect.gen(function* () {
    const bank = makeBank(script)
    const shop = yield* openShop(automatic)
    const process = yield* startProcess({ ...options, acquirer: bank.acquirer })
    const { id } = yield* withdraw(process, shop.live, { body: { description: "to the owner" } })
    yield* settle
    return { bank, shop, process, id }
  })

/** The times of the bank's calls, in seconds after the test's start. */
export const secondsOf = (millis: ReadonlyArray<number>) => millis.map((at) => (at - startMillis) / 1_000)
