import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { soundBooks } from "../e2e/support/apiPix.ts"
import { allEvents } from "../e2e/support/charges.ts"
import { exceptionsNow } from "../e2e/support/sweeps.ts"
import { balanceOf, ledgerOf } from "../e2e/support/withdrawals.ts"
import { runOps } from "../ops/cli.ts"
import { sizes } from "../support/sizes.ts"
import { amounts, encryptionKey, prizes, type SweepRace, startSweepRace, type Won } from "./sweepRace.ts"

/** Sellers, each with a round a turn: enough for the full number of rounds with 20 withdrawals a day, which no seller may exceed. */
const shopsMax = 10
/** Of fewer rounds one side could win all by chance. */
const roundsMin = 40
const turns = Math.ceil(Math.max(sizes.moneyRaceRounds, roundsMin) / shopsMax)
const seed = Date.now() % 1_000_000

/** Numbers from 0 to 1: the same ones for the same seed. */
const numbers = (begin: number) => {
  let state = begin
  return (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) / 2 ** 24
  }
}

let race: SweepRace
const won: Array<Won> = []
beforeAll(async () => {
  race = await startSweepRace(shopsMax)
  const random = numbers(seed)
  for (let turn = 0; turn < turns; turn++) won.push(...(await race.play(random)))
}, 900_000)
afterAll(() => race?.stop())

const countBy = (words: ReadonlyArray<string>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}

describe(`a notice in one process and a sweep in another, ${turns * shopsMax} rounds (seed ${seed})`, () => {
  it("a payment, a return and the end of a payout are each booked once, and told of once", async () => {
    for (const { live } of race.shops) {
      const events = await allEvents(live)
      const told = events.map(({ type, data }) => `${type} of ${data.object.id}`)
      expect(told).toHaveLength(new Set(told).size)
      expect(countBy(events.map(({ type }) => type))).toEqual({
        "seller.updated": 1,
        "transaction.created": turns + 2,
        "transaction.paid": turns + 2,
        "transaction.chargeback": turns,
        "refund.succeeded": turns,
        "withdrawal.approved": turns,
        "withdrawal.processing": turns,
        "withdrawal.successful": turns,
      })
      expect(countBy((await ledgerOf(live)).map(({ kind }) => kind))).toEqual({
        charge_paid: turns + 2,
        charge_chargeback: turns,
        withdrawal_held: turns,
        withdrawal_settled: turns,
      })
    }
  })

  it("nothing is an exception, and no money is made or lost", async () => {
    const commands = {
      redis: (command: string, ...args: ReadonlyArray<string | number>) => race.redis.call(command, ...args),
    }
    expect(await exceptionsNow(commands)).toEqual([])
    for (const { live } of race.shops) {
      expect(await balanceOf(live)).toMatchObject({
        available: amounts.funds + amounts.charge - turns * amounts.total,
        ...{ reserve: 0, pending_withdraw: 0, pending_refund: 0 },
      })
    }
    expect(new Set(race.psp.payouts.values())).toEqual(new Set([1]))
    const { exitCode, document } = await runOps(["audit", "verify"], {
      REDIS_URL: race.redisUrl,
      ENCRYPTION_KEY: encryptionKey,
    })
    expect({ exitCode, ok: document.ok ?? document.error }).toEqual(soundBooks)
  })

  for (const prize of prizes) {
    it(`both the notice and the sweep were the first to book a ${prize}`, () => {
      const winners = won.filter((one) => one.prize === prize).map(({ winner }) => winner)
      expect(winners).toHaveLength(turns * shopsMax)
      expect(new Set(winners)).toEqual(new Set(["notice", "sweep"]))
    })
  }
})
