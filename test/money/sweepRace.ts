import { Redis } from "ioredis"
import { payoutIdOf } from "../../schema/ids.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import type { Withdrawal } from "../../schema/resources/withdrawal.ts"
import { noticesKey, partitionTag, timersKey } from "../../src/store/keys.ts"
import { apiPixSettings, type NoticeOf, webhookSecret } from "../e2e/support/apiPix.ts"
import { chargeWhen, makeCharge } from "../e2e/support/charges.ts"
import { type Client, eventually, makeClient } from "../e2e/support/client.ts"
import { dashboardClient } from "../e2e/support/dashboardClient.ts"
import { changeSeller, withdraw } from "../e2e/support/withdrawals.ts"
import { passedIn } from "../faults/moneyKillLane.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { makePixKey } from "../support/pixKey.ts"
import { type Psp, startPsp } from "../support/psp.ts"
import { startTestRedis } from "../support/redis.ts"
import { makeSeller } from "../support/seller.ts"
import { type Service, startService } from "../support/service.ts"
import { pause, until } from "../support/until.ts"

/** Amounts in centavos: of a charge, of a withdrawal with its fee, and of the money that a seller begins with. */
export const amounts = { charge: 7_000, withdrawal: 1_000, total: 1_100, funds: 500_000 } as const

/** The only partition, so that one process processes all notices. */
const partition = 0
const tag = partitionTag(partition)
/** The key of both processes, in base64. */
export const encryptionKey = Buffer.alloc(32, 17).toString("base64")
/** Never reached: its process logs which calls it passes. */
const noFaultPoint = "before:inbox.list@nobody"

/** A seller, and the payment of its last round, which is returned in the next. */
export interface Shop {
  readonly id: string
  readonly live: Client
  readonly pixKeyId: string
  paid: Transaction
}

/** Which of the two booked something: the process with the notice, or the one that sweeps. */
export type Winner = "notice" | "sweep"

/** What is raced for in a round, by the store that books it and the list that names it. */
const storeOf = { payment: "transactions", return: "transactions", payout: "withdrawals" } as const
const listOf = { payment: "received", return: "received", payout: "sent" } as const
export type Prize = keyof typeof storeOf
export const prizes = Object.keys(storeOf) as ReadonlyArray<Prize>

/** Who booked what. */
export interface Won {
  readonly prize: Prize
  readonly winner: Winner
}

/** A round of a seller: what the acquirer does, and nobody has told of yet. */
interface Round {
  readonly shop: Shop
  readonly charge: Transaction
  readonly withdrawal: Withdrawal
}

/** The two processes, the acquirer and the sellers. */
export interface SweepRace {
  readonly psp: Psp
  readonly redis: Redis
  readonly redisUrl: string
  readonly shops: ReadonlyArray<Shop>
  /** Plays a round of each seller; returns who booked what. */
  readonly play: (random: () => number) => Promise<ReadonlyArray<Won>>
  readonly stop: () => Promise<void>
}

const openShop = async (service: Service, psp: Psp, notify: Notify): Promise<Shop> => {
  const seller = await makeSeller(service, { partition })
  const pixKeyId = await makePixKey({ service }, seller, "live")
  const operator = dashboardClient(service.url, await signInAsOperator(service))
  await changeSeller(operator, seller, "settings", { withdrawal_auto_approval: true })
  const live = makeClient(service.url, seller.keys.live)
  const pay = async (amount: number) => {
    const { id, pix } = await makeCharge(live, { amount })
    await notify({ endToEndId: psp.pay(pix.txid) })
    return chargeWhen(live, id, "paid")
  }
  await pay(amounts.funds)
  return { id: seller.id, live, pixKeyId, paid: await pay(amounts.charge) }
}

type Notify = (about: NoticeOf) => Promise<void>

const notifyAt =
  (psp: Psp, { url }: Service): Notify =>
  async (about) => {
    const answer = await psp.notify(`${url}/v1/webhooks/api-pix/pix`, psp.notice(about), webhookSecret)
    if (answer.status !== 200) throw new Error(`the notice was answered ${answer.status}`)
  }

/** The calls that a process has passed since its log was as long as `from`. */
const passedSince = ({ log }: Service, from: number) => passedIn(log().slice(from))

/**
 * Whether a process booked something: the last it did about it was a transition. One whose transition came too late reads the
 * resource again.
 */
const hasBooked = (passed: ReadonlyArray<string>, store: string, id: string): boolean => {
  const about = passed.filter((line) => line.includes(id))
  const committed = about.findLastIndex((line) => line.startsWith(`after ${store}.transition `))
  return committed > about.findLastIndex((line) => line.startsWith(`before ${store}.load `))
}

/** Who booked something; throws where neither or both say that they did. */
const winnerOf = (
  told: ReadonlyArray<string>,
  swept: ReadonlyArray<string>,
  store: string,
  id: string,
): Winner => {
  const [byNotice, bySweep] = [hasBooked(told, store, id), hasBooked(swept, store, id)]
  if (byNotice === bySweep) throw new Error(`${id} was booked by ${byNotice ? "both" : "neither"}`)
  return byNotice ? "notice" : "sweep"
}

/** The lists of a sweep, in their order. */
const lists = { received: "GET /pix?", sent: "GET /v2/gn/pix/enviados?" } as const
type List = keyof typeof lists

/** How notices and the answer of a list are spread over time, in ms. */
const spreadMillis = 300
const stepMillis = 50

/**
 * When notices are sent, and a list is answered, in ms after the acquirer was asked for the list. They move towards each other
 * from round to round, however fast the machine is: whoever was mostly first waits longer the next time.
 */
const makeStagger = () => {
  let lead = 0
  return {
    answerMillis: () => spreadMillis / 2 + Math.max(0, lead),
    noticeMillis: (random: () => number) => random() * spreadMillis + Math.max(0, -lead),
    learn: (winners: ReadonlyArray<Winner>) => {
      const told = winners.filter((winner) => winner === "notice").length
      lead += told * 2 > winners.length ? -stepMillis : stepMillis
    },
  }
}

/** What a race plays with. */
interface Stage {
  readonly psp: Psp
  readonly redis: Redis
  /** The process that gets the notices, and the one that sweeps. */
  readonly told: Service
  readonly sweeping: Service
  readonly shops: ReadonlyArray<Shop>
  readonly notify: Notify
  readonly staggers: Readonly<Record<List, ReturnType<typeof makeStagger>>>
}

/** Makes a charge, and a withdrawal that the acquirer has; nobody asks about it but the two processes. */
const prepare = async ({ psp, redis }: Stage, shop: Shop): Promise<Round> => {
  const charge = await makeCharge(shop.live, { amount: amounts.charge })
  const withdrawal = await withdraw(shop.live, shop.pixKeyId, amounts.withdrawal)
  const payoutId = payoutIdOf(withdrawal.id)
  await eventually(`${payoutId} to be with the acquirer`, () => psp.payout(payoutId))
  await redis.zrem(timersKey(tag), `${withdrawal.id}:poll`)
  return { shop, charge, withdrawal }
}

/** Waits for the next request for a list. */
const asked = ({ psp }: Stage, list: List): Promise<void> => {
  const count = psp.requestsOf(lists[list]).length
  return until(`a sweep to ask ${lists[list]}`, () => psp.requestsOf(lists[list]).length > count)
}

/** Waits until a sweep that begins now is over: until the next one begins. */
const sweepPasses = async (stage: Stage): Promise<void> => {
  for (const list of ["received", "sent", "received"] as const) await asked(stage, list)
}

/** Sends notices about the time when a list is answered. */
const tell = async (
  stage: Stage,
  list: List,
  abouts: ReadonlyArray<NoticeOf>,
  random: () => number,
): Promise<void> => {
  const { answerMillis, noticeMillis } = stage.staggers[list]
  stage.psp.fail(lists[list], { kind: "slow", millis: answerMillis() })
  await asked(stage, list)
  await Promise.all(
    abouts.map(async (about) => {
      await pause(noticeMillis(random))
      await stage.notify(about)
    }),
  )
}

/** The acquirer gets payments, returns and ends of payouts; returns what its notices are about. */
const happen = ({ psp }: Stage, rounds: ReadonlyArray<Round>) => ({
  received: rounds.flatMap(({ shop, charge }) => {
    const endToEndId = shop.paid.end_to_end_id ?? ""
    psp.refundOf(endToEndId, { natureza: "MED_FRAUDE" })
    return [{ endToEndId: psp.pay(charge.pix.txid) }, { endToEndId }]
  }),
  sent: rounds.map(({ withdrawal }) => {
    const idEnvio = payoutIdOf(withdrawal.id)
    psp.payoutResult(idEnvio, "REALIZADO")
    return { idEnvio }
  }),
})

/** Plays a round of each seller; returns who booked what. */
const play = async (stage: Stage, random: () => number): Promise<ReadonlyArray<Won>> => {
  const { redis, told, sweeping, shops, staggers } = stage
  const rounds = await Promise.all(shops.map((shop) => prepare(stage, shop)))
  const marks = [told.log().length, sweeping.log().length] as const
  const { received, sent } = happen(stage, rounds)
  await Promise.all([
    sweepPasses(stage),
    tell(stage, "received", received, random),
    tell(stage, "sent", sent, random),
  ])
  await until(
    "all notices to be processed",
    async () => (await redis.zcard(noticesKey(tag, "unprocessed"))) === 0,
  )
  const raced = rounds.flatMap(({ shop, charge, withdrawal }) => {
    const ids = { payment: charge.id, return: shop.paid.id, payout: withdrawal.id }
    return prizes.map((prize) => ({ prize, id: ids[prize] }))
  })
  const won: Array<Won> = []
  let problem = ""
  // What a process has printed may be read later than what Redis says of it.
  await until(
    () => `the logs to say who booked what: ${problem}`,
    () => {
      const [byNotice, bySweep] = [passedSince(told, marks[0]), passedSince(sweeping, marks[1])]
      try {
        const winners = raced.map(({ prize, id }) => winnerOf(byNotice, bySweep, storeOf[prize], id))
        won.push(...raced.map(({ prize }, i) => ({ prize, winner: winners[i] as Winner })))
        return true
      } catch (error) {
        problem = String(error)
        return false
      }
    },
  )
  const winnersOf = (list: List) =>
    won.filter(({ prize }) => listOf[prize] === list).map(({ winner }) => winner)
  staggers.received.learn(winnersOf("received"))
  staggers.sent.learn(winnersOf("sent"))
  for (const { shop, charge } of rounds) shop.paid = await chargeWhen(shop.live, charge.id, "paid")
  return won
}

/** Starts two processes, one that gets notices and one that sweeps, and the sellers. */
export const startSweepRace = async (shopsMax: number): Promise<SweepRace> => {
  const psp = await startPsp()
  const server = await startTestRedis({ appendfsync: "no" })
  const redis = new Redis(server.url)
  const start = (intervalSeconds: number) =>
    startService({
      redisUrl: server.url,
      env: {
        ...apiPixSettings(psp),
        ...{
          ENCRYPTION_KEY: encryptionKey,
          RECONCILE_INTERVAL_SECONDS: `${intervalSeconds}`,
          PARTITIONS: "1",
        },
        ...{ FAULT_POINT: noFaultPoint, LOG_LEVEL: "debug" },
      },
    })
  // The first has the partition, and so the timers of notices; after its first sweep the next is a day away.
  const told = await start(86_400)
  await psp.waitFor(lists.sent, 1)
  const notify = notifyAt(psp, told)
  const shops: Array<Shop> = []
  for (let i = 0; i < shopsMax; i++) shops.push(await openShop(told, psp, notify))
  const sweeping = await start(1)
  const staggers = { received: makeStagger(), sent: makeStagger() }
  const stage = { psp, redis, told, sweeping, shops, notify, staggers }
  return {
    ...{ psp, redis, redisUrl: server.url, shops },
    play: (random) => play(stage, random),
    stop: async () => {
      redis.disconnect()
      await Promise.all([told.stop(), sweeping.stop()])
      await server.stop()
      await psp.close()
    },
  }
}
