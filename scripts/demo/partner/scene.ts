import { Effect } from "effect"
import type { Event } from "../../../schema/resources/event.ts"
import type { Psp } from "../../../test/support/psp.ts"
import { openPsp } from "../../../test/support/pspClient.ts"
import { apiPixSettings } from "../../../test/support/pspSettings.ts"
import { type DemoFailed, waitFor } from "../demoFailed.ts"
import { short } from "../format.ts"
import { type DemoService, startService } from "../service.ts"
import type { DemoUser } from "../signIn.ts"
import { type Follower, follow } from "../stream.ts"
import type { Terminal } from "../terminal.ts"
import { makeOperator, openShop, type Shop } from "./people.ts"

/** The shop follows these events. */
const followed = [
  ...["transaction.created", "transaction.paid", "transaction.exception"],
  ...["withdrawal.awaiting", "withdrawal.approved", "withdrawal.processing"],
  ...["withdrawal.successful", "withdrawal.returned", "withdrawal.failed", "withdrawal.debited"],
  "exception.debited",
]
const typeWidth = Math.max(...followed.map(({ length }) => length))

/** What the incidents share. */
export interface PartnerScene {
  readonly terminal: Terminal
  readonly service: DemoService
  readonly bank: Psp
  /** The `Cookie` of an operator's session. */
  readonly operator: string
  readonly shop: Shop
  readonly users: ReadonlyArray<DemoUser>
  readonly follower: Follower
}

/** Waits for the shop's next event of a type about a resource; `count` says which of them, from 1. */
export const eventOf = (
  { follower }: PartnerScene,
  type: string,
  resourceId: string,
  count = 1,
): Effect.Effect<Event, DemoFailed> =>
  waitFor(
    type,
    () =>
      follower.events.filter((event) => event.type === type && event.data.object.id === resourceId)[
        count - 1
      ],
  )

/** Starts the bank and the service, and makes an operator and a shop. */
export const setPartnerScene = Effect.fnUntraced(function* (terminal: Terminal, sweepSeconds: number) {
  yield* terminal.step("A bank, a service and a shop that collects real money")
  const bank = yield* openPsp()
  terminal.good(`a bank that speaks API Pix, with mutual TLS, at ${bank.baseUrl} (a stub on this machine)`)
  const service = yield* startService({
    ...apiPixSettings(bank),
    RECONCILE_INTERVAL_SECONDS: String(sweepSeconds),
  })
  terminal.good(`the service listens on ${service.url}, with LIVE_ACQUIRER=api-pix, on its own Redis`)
  const { user: operatorUser, cookie: operator } = yield* makeOperator(service)
  terminal.good("an operator, Rui, signed in with a second factor")
  const shop = yield* openShop(service, operator)
  terminal.good(`the shop ${shop.name}, ${shop.id}: its KYC and its PIX key are approved`)
  const follower = yield* follow(service.url, shop.key, followed, ({ type, seq, data }) =>
    terminal.event("/events", `${type.padEnd(typeWidth)}  seq ${seq}  ${short(String(data.object.id))}`),
  )
  yield* waitFor("stream", () => follower.opened() || undefined)
  terminal.good("the shop follows its events: GET /events")
  terminal.say(
    "The bank notifies the service of every payment and payout, but notices get lost. So the service",
  )
  terminal.say("sweeps too: it reads the bank's books and compares them with its own, every five minutes by")
  terminal.say(`default, and here with RECONCILE_INTERVAL_SECONDS=${sweepSeconds}.`)
  const users = [operatorUser, shop.user]
  return { terminal, service, bank, operator, shop, users, follower } satisfies PartnerScene
})
