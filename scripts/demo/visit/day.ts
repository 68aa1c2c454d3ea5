import { Effect, Random } from "effect"
import type { PixKey } from "../../../schema/resources/pixKey.ts"
import type { DemoFailed } from "../demoFailed.ts"
import type { DemoService } from "../service.ts"
import { saleOf } from "./customers.ts"

/** Sales of each hour of a day in Brazil, from midnight on. */
const salesByHour = [1, 1, 0, 0, 0, 1, 2, 3, 5, 6, 7, 8, 9, 8, 7, 6, 6, 7, 8, 9, 8, 6, 4, 2]
const hourSeconds = 3_600
/** Brazil's clock is three hours behind UTC. */
const hoursBehind = 3
const atOnce = 4

/** The last sales of the day are still to be paid. */
const dayExpirySeconds = 2 * hourSeconds

/** Payouts of the last day, one at a time: what decides each, in order. The last one waits for its approval. */
const payouts = [
  { amount: 150_000, acts: ["approve", "succeed"] },
  { amount: 45_000, acts: ["approve", "fail"] },
  { amount: 30_000, acts: ["reject"] },
  { amount: 80_000, acts: ["approve", "succeed"] },
  { amount: 20_000, acts: [] },
] as const

/** How many hours before the end refunds and payouts are made. */
const refundsBefore = 6
const payoutsBefore = 4

/** The shop whose week it is, in test mode. */
export interface Shop {
  readonly service: DemoService
  /** Its test key. */
  readonly key: string
  /** The `Cookie` of its user's session. */
  readonly cookie: string
}

const sell = ({ service, key }: Shop, number: number, expiresInSeconds: number) =>
  service.asMerchant(key, "a sale", (corrente, options) =>
    corrente.transactions.create(saleOf(number, expiresInSeconds), options),
  )

const advance = ({ service, key }: Shop, seconds: number) =>
  service.asMerchant(key, "the clock", (corrente, options) =>
    corrente.test.clock.advance({ seconds }, options),
  )

/** Gives back a part of some of the charges that were paid. */
const refundSome = Effect.fnUntraced(function* ({ service, key }: Shop) {
  const paid = yield* service.asMerchant(key, "the charges", (corrente, options) =>
    corrente.transactions.list({ status: "paid", limit: 40 }, options).page(),
  )
  const some = paid.data.filter((_, index) => index % 12 === 2)
  yield* Effect.forEach(some, ({ id, amount }, index) =>
    service.asMerchant(key, "a refund", (corrente, options) =>
      corrente.refunds.create(
        id,
        { amount: index === 0 ? amount : Math.floor(amount / 200) * 100, reason: "Produto com defeito" },
        options,
      ),
    ),
  )
})

const payOut = Effect.fnUntraced(function* ({ service, key, cookie }: Shop) {
  const pixKey = yield* service.call<PixKey>("/v1/me/pix-keys", {
    cookie,
    headers: { "X-Mode": "test" },
    body: { type: "email", value: "ana@example.com" },
  })
  yield* Effect.forEach(payouts, ({ amount, acts }) =>
    service.asMerchant(key, "a withdrawal", async (corrente, options) => {
      const { id } = await corrente.withdrawals.create({ amount, pix_key_id: pixKey.id }, options)
      for (const act of acts) await corrente.test.withdrawals[act](id, options)
    }),
  )
})

/** How the days of the week go, beside the last one, whose evening it is when somebody looks around. */
const weekShares = [0.9, 0.7, 0.8, 1, 0.85, 1.1, 0.75]
/** The hour in São Paulo at which the last day is shown: most of its bars are there by then. */
const shownHour = 22

/** The hours to live, first to last: the hour of the day, and the share of its usual sales. */
const hoursToLive = (firstHour: number) => {
  const pastHours = 24 * weekShares.length
  const restHours = (shownHour - firstHour + 24) % 24
  return Array.from({ length: pastHours + restHours }, (_, index) => ({
    hour: (firstHour + index) % 24,
    share: weekShares[Math.floor(index / 24)] ?? 1,
  }))
}

/**
 * Lives a week of a shop and its day until the evening, in test mode, hour by hour of the test clock: charges of all states, refunds and
 * payouts. Returns the number of the next sale.
 */
export const liveAWeek = Effect.fnUntraced(function* (shop: Shop) {
  const hours = hoursToLive((new Date().getUTCHours() + 24 - hoursBehind) % 24)
  let number = 0
  for (const [index, { hour, share }] of hours.entries()) {
    const count = Math.round((salesByHour[hour] ?? 0) * share)
    const numbers = Array.from({ length: count }, (_, each) => number + each)
    yield* Effect.forEach(numbers, (each) => sell(shop, each, dayExpirySeconds), { concurrency: atOnce })
    number += count
    yield* advance(shop, hourSeconds)
    if (index === hours.length - refundsBefore) yield* refundSome(shop)
    if (index === hours.length - payoutsBefore) yield* payOut(shop)
  }
  return number
})

/** The pause between two sales while somebody looks around. */
const saleSecondsMin = 2
const saleSecondsMax = 6

/** Goes on selling, a charge every few seconds, so that the dashboard moves; until it is interrupted. */
export const keepSelling = (shop: Shop, firstNumber: number): Effect.Effect<never, DemoFailed> =>
  Effect.gen(function* () {
    for (let number = firstNumber; ; number++) {
      yield* sell(shop, number, hourSeconds)
      yield* Effect.sleep(`${yield* Random.nextIntBetween(saleSecondsMin, saleSecondsMax)} seconds`)
    }
  })
