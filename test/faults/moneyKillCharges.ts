import type { Transaction } from "../../schema/resources/transaction.ts"
import { chargeBody, postCharge } from "../e2e/support/charges.ts"
import { ledgerOf } from "../e2e/support/withdrawals.ts"
import { changeSettings, comesDue, keyOf, mustBe, noticing, type Path, paidEvents } from "./moneyKillPath.ts"
import { atRest, isAtRest, patiently, type World } from "./moneyKillWorld.ts"

const chargeAmount = 7_000
const makeTaggedCharge = async (world: World): Promise<Transaction> => {
  const answer = await postCharge<Transaction>(
    world.client,
    chargeBody({ amount: chargeAmount }),
    keyOf(world),
  )
  mustBe(201, answer)
  return answer.body
}

const charging = ["transactions.claim", "acquirer.createCharge", "transactions.create"]
const querying = ["transactions.load", "acquirer.queryCharge"]
/** The Pix that pays is claimed first; what was kept of the charge by exceptions ends with the payment. */
const paying = [
  ...["pixClaims.claim", "pixClaims.findAll", "transactions.transition"],
  ...["exceptions.findFact", "exceptions.findFact", "exceptions.findFact"],
]

const nothing = async () => {}

/** A payer pays a charge, and the PSP sends a notice. */
const charge: Path = {
  prepare: nothing,
  play: async (world) => {
    const { pix } = await makeTaggedCharge(world)
    await world.notify({ endToEndId: world.psp.pay(pix.txid) })
    await atRest(world)
  },
  calls: [...charging, ...noticing, ...querying, ...paying, "inbox.record"],
  books: {
    events: paidEvents,
    ledger: [["charge_paid", chargeAmount, 0, 0]],
    balance: [chargeAmount, 0, 0],
    charges: ["paid"],
    withdrawals: [],
    payouts: { sent: 0, paid: 0 },
    refunds: [],
    returns: { sent: 0, made: 0 },
    exceptions: [],
  },
}

/** The PSP sends no notice, and is queried. */
const unnoticedCharge: Path = {
  ...charge,
  play: async (world) => {
    const { id, pix } = await makeTaggedCharge(world)
    world.psp.pay(pix.txid)
    const timer = `${id}:ask`
    let isDue = false
    await patiently(world, `${id} to be paid`, async () => {
      if (!isDue) isDue = await world.lane.makeDue(timer)
      if (!(await isAtRest(world))) return undefined
      const { body } = await world.client.get<Transaction>(`/v1/transactions/${id}`)
      if (body.status !== "pending") return true
      // It was queried before the payer paid. Only a sweep would find the payment now, and there is none here.
      await world.lane.setDue(timer)
      return undefined
    })
  },
  // A charge's timer is claimed with its charge, which need not be loaded.
  calls: [
    ...[...charging, "timers.claim[txn_]", "timers.postpone[txn_]"],
    ...["acquirer.queryCharge", ...paying],
  ],
}

/** A paid charge is refunded at the PSP, which sends a notice. */
const refund: Path = {
  ...charge,
  play: async (world) => {
    const { pix } = await makeTaggedCharge(world)
    const endToEndId = world.psp.pay(pix.txid)
    await world.notify({ endToEndId })
    await atRest(world)
    world.psp.refundOf(endToEndId)
    await world.notify({ endToEndId })
    await atRest(world)
  },
  calls: [
    ...[...charge.calls, ...noticing, ...querying, "pixClaims.findAll", "transactions.transition"],
    ...["exceptions.findFact", "inbox.record"],
  ],
  books: {
    ...charge.books,
    events: [...paidEvents, "refund.succeeded", "transaction.refunded"],
    ledger: [...charge.books.ledger, ["charge_refunded", 0, 0, 0]],
    balance: [0, 0, 0],
    charges: ["refunded"],
    refunds: ["partner succeeded"],
    returns: { sent: 0, made: 1 },
  },
}

/** Part of a paid charge is held in the reserve until its release is due. */
const reserve: Path = {
  ...charge,
  prepare: (world) => changeSettings(world, { reserve_bps: 2_000, reserve_days: 30 }),
  play: async (world) => {
    const { id, pix } = await makeTaggedCharge(world)
    await world.notify({ endToEndId: world.psp.pay(pix.txid) })
    await atRest(world)
    await comesDue(world, `${id}:release`)
    await patiently(world, "the reserve to be released", async () =>
      (await ledgerOf(world.client)).length === 2 ? true : undefined,
    )
  },
  calls: [...charge.calls, "timers.claim[txn_]", "transactions.transition"],
  books: {
    ...charge.books,
    events: ["seller.updated", ...paidEvents],
    ledger: [
      ["charge_paid", 5_600, 1_400, 0],
      ["reserve_released", 7_000, 0, 0],
    ],
  },
}

/** The paths of charges. */
export const chargePaths = { charge, unnoticedCharge, refund, reserve } as const satisfies Readonly<
  Record<string, Path>
>
