import { Effect } from "effect"
import type { Terminal } from "../terminal.ts"
import type { Visit } from "../visit/visit.ts"
import { closeAccounts } from "./accounts.ts"
import { contradictPayout } from "./contradiction.ts"
import { loseNotice, payTwice, takeBack } from "./payments.ts"
import { returnPayout } from "./payouts.ts"
import { setPartnerScene } from "./scene.ts"

/** How often the bank's books are read. */
const sweepSeconds = { calm: 2, quick: 1 } as const

/** Tells of five incidents at a bank in the terminal. Everything it starts ends with the scope. Returns where to look around. */
export const tellPartnerStory = Effect.fnUntraced(function* (terminal: Terminal, pace: "calm" | "quick") {
  terminal.title("Corrente and its bank: five incidents, found by sweeps and resolved to the centavo")
  const scene = yield* setPartnerScene(terminal, sweepSeconds[pace])
  const charged = yield* loseNotice(scene)
  yield* payTwice(scene, charged)
  yield* takeBack(scene, charged)
  yield* returnPayout(scene)
  yield* contradictPayout(scene)
  yield* closeAccounts(scene)
  return { service: scene.service, users: scene.users } satisfies Visit
})
