import { acquirerRefundIdOf } from "../../schema/ids.ts"
import type { Refund } from "../../schema/resources/refund.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { type Answer, readAll } from "../e2e/support/client.ts"
import { keyOf, mustBe, noticing, type Path, paidEvents, untilSent } from "./moneyKillPath.ts"
import { atRest, type Books, fund, funds, isAtRest, type World } from "./moneyKillWorld.ts"

const amount = 5_000
const rest = funds - amount

/** The charge that gave the seller its funds. */
const fundingCharge = async ({ client }: World): Promise<Transaction> => {
  const [charge] = await readAll<Transaction>(client, "/v1/transactions", "limit=1")
  if (charge === undefined) throw new Error("the seller has no charge")
  return charge
}

const ask = async (world: World, wanted: number): Promise<Answer<Refund>> => {
  const { id } = await fundingCharge(world)
  const headers = { "Idempotency-Key": keyOf(world) }
  return world.client.post<Refund>(`/v1/transactions/${id}/refunds`, { body: { amount: wanted }, headers })
}

const requestRefund = async (world: World): Promise<Refund> => {
  const answer = await ask(world, amount)
  mustBe(201, answer)
  return answer.body
}

const pollOf = ({ id }: Refund): string => `${id}:poll_refund`

const endToEndIdOf = async (world: World): Promise<string> => (await fundingCharge(world)).end_to_end_id ?? ""

/** Ends a refund at the PSP as soon as the PSP has it; returns the transfer that it is of. */
const settle = async (
  world: World,
  refund: Refund,
  status: "DEVOLVIDO" | "NAO_REALIZADO" = "DEVOLVIDO",
): Promise<string> => {
  const { pix } = await fundingCharge(world)
  const endToEndId = await endToEndIdOf(world)
  const id = acquirerRefundIdOf(refund.id)
  const isThere = () => world.psp.charge(pix.txid)?.pix[0]?.devolucoes.some((one) => one.id === id) === true
  await untilSent(world, pollOf(refund), "to be with the PSP", isThere)
  world.psp.refundOf(endToEndId, { id, status, ...(status === "DEVOLVIDO" ? {} : { motivo: "AM09" }) })
  return endToEndId
}

const requesting = ["refunds.readPreconditions", "refunds.create"]
const sending = [
  ...["timers.claim[rfd_]", "refunds.load", "transactions.load", "refunds.transition"],
  "acquirer.refund",
]
const asking = [
  ...["timers.claim[rfd_]", "refunds.load", "timers.postpone[rfd_]", "transactions.load"],
  "acquirer.queryRefund",
]
/** Its end ends its exception, if it has one: a refund that is processing for long. */
const ending = ["exceptions.findFact", "refunds.transition"]

const fundedEntry = ["charge_paid", funds, 0, 0] as const
const heldEntry = ["refund_held", rest, 0, amount] as const

const givenBack: Books = {
  events: [...paidEvents, "refund.created", "refund.succeeded", "transaction.partially_refunded"],
  ledger: [fundedEntry, heldEntry, ["refund_settled", rest, 0, 0]],
  balance: [rest, 0, 0],
  charges: ["paid"],
  withdrawals: [],
  payouts: { sent: 0, paid: 0 },
  refunds: ["seller succeeded"],
  returns: { sent: 1, made: 1 },
  exceptions: [],
}

/** The books where nothing went back: the money was held and returned. */
const kept: Books = {
  ...givenBack,
  events: [...paidEvents, "refund.created", "refund.failed"],
  ledger: [fundedEntry, heldEntry, ["refund_returned", funds, 0, 0]],
  balance: [funds, 0, 0],
  refunds: ["seller failed"],
  returns: { sent: 1, made: 0 },
}

/** The seller refunds a part of a charge; the PSP is queried for the result. */
const sellerRefund: Path = {
  prepare: fund,
  play: async (world) => {
    await settle(world, await requestRefund(world))
    await atRest(world)
  },
  calls: [...requesting, ...sending, ...asking, ...ending],
  books: givenBack,
}

/** The PSP sends a notice of the result, which names our refund and its charge. */
const noticedRefund: Path = {
  ...sellerRefund,
  play: async (world) => {
    const endToEndId = await settle(world, await requestRefund(world))
    await world.notify({ endToEndId })
    await atRest(world)
  },
  calls: [
    ...[...requesting, ...sending, ...noticing],
    ...["refunds.load", "refunds.load", "transactions.load", "acquirer.queryRefund", ...ending],
    ...["transactions.load", "acquirer.queryCharge", "refunds.load", "pixClaims.findAll"],
    // Whoever committed the payment may have died before its exceptions ended; and one may be of the return.
    ...["exceptions.findFact", "exceptions.findFact", "exceptions.findFact", "exceptions.findFact"],
    "inbox.record",
  ],
}

/** The PSP takes the refund, cuts the connection instead of answering, and refuses to be asked about it at first. */
const lostRefundReply: Path = {
  ...sellerRefund,
  play: async (world) => {
    const endToEndId = await endToEndIdOf(world)
    world.psp.fail(`PUT /pix/${endToEndId}`, { kind: "lost" })
    world.psp.fail(`GET /pix/${endToEndId}/devolucao`, { kind: "answer", status: 403 })
    await settle(world, await requestRefund(world))
    await atRest(world)
  },
}

/** The payer's bank refuses. */
const failedRefund: Path = {
  ...sellerRefund,
  play: async (world) => {
    await settle(world, await requestRefund(world), "NAO_REALIZADO")
    await atRest(world)
  },
  books: kept,
}

/**
 * The PSP itself refuses, twice. Where the first refusal is lost with its process, the second is not believed, since the
 * first request may have been accepted; then the PSP takes the refund and makes it.
 */
const refusedRefund: Path = {
  ...sellerRefund,
  play: async (world) => {
    const endToEndId = await endToEndIdOf(world)
    const { pix } = await fundingCharge(world)
    const body = { title: "PixDevolucaoInvalida", detail: "Fora do prazo." }
    world.psp.fail(`PUT /pix/${endToEndId}`, { kind: "answer", status: 400, body }, 2)
    const refund = await requestRefund(world)
    await untilSent(world, pollOf(refund), "to be refused or made", () => {
      const [returned] = world.psp.charge(pix.txid)?.pix[0]?.devolucoes ?? []
      if (returned?.status === "EM_PROCESSAMENTO") world.psp.refundOf(endToEndId, { id: returned.id })
      return isAtRest(world)
    })
  },
  calls: [...requesting, ...sending, ...ending],
  books: kept,
}

/** The seller refunds a charge that has nothing left: the refusal is saved, and no money moves. */
const beyondCharge: Path = {
  ...sellerRefund,
  prepare: async (world) => {
    await fund(world)
    const endToEndId = await endToEndIdOf(world)
    world.psp.refundOf(endToEndId)
    await world.notify({ endToEndId })
    await atRest(world)
  },
  play: async (world) => {
    mustBe(409, await ask(world, amount))
  },
  calls: ["refunds.readPreconditions", "transactions.saveAnswer"],
  books: {
    ...givenBack,
    events: [...paidEvents, "refund.succeeded", "transaction.refunded"],
    ledger: [fundedEntry, ["charge_refunded", 0, 0, 0]],
    balance: [0, 0, 0],
    charges: ["refunded"],
    refunds: ["partner succeeded"],
    returns: { sent: 0, made: 1 },
  },
}

/** The paths of refunds that the seller begins. */
export const refundPaths = {
  sellerRefund,
  noticedRefund,
  lostRefundReply,
  failedRefund,
  refusedRefund,
  beyondCharge,
} as const satisfies Readonly<Record<string, Path>>
