import { payoutIdOf } from "../../schema/ids.ts"
import type { Withdrawal } from "../../schema/resources/withdrawal.ts"
import { type Client, readAll } from "../e2e/support/client.ts"
import { postWithdrawal } from "../e2e/support/withdrawals.ts"
import { newEndToEndId } from "../support/pspBooks.ts"
import { changeSettings, keyOf, mustBe, noticing, type Path, paidEvents, untilSent } from "./moneyKillPath.ts"
import { atRest, type Books, fund, funds, isAtRest, type World } from "./moneyKillWorld.ts"

const amount = 5_000
const fee = 100
const rest = funds - amount - fee

const ask = (world: World, client: Client, wanted = amount) =>
  postWithdrawal<Withdrawal>(client, { amount: wanted, pix_key_id: world.pixKeyId }, keyOf(world))

const requestWithdrawal = async (world: World): Promise<Withdrawal> => {
  const answer = await ask(world, world.client)
  mustBe(201, answer)
  return answer.body
}

/** Performs an act, which may be refused as done already: by the same caller, whose answer was lost. */
const decide = async (client: Client, path: string): Promise<void> => {
  const answer = await client.post(path)
  if (answer.status !== 409) mustBe(200, answer)
}

const approve = ({ operator }: World, { id }: Withdrawal) =>
  decide(operator, `/v1/admin/withdrawals/${id}/approve`)

/** Ends a payout at the PSP as soon as the PSP has it and has been queried `lookUps` times. */
const settle = async (
  world: World,
  withdrawal: Withdrawal,
  end: { readonly status: "REALIZADO" | "NAO_REALIZADO"; readonly lookUps?: number } = {
    status: "REALIZADO",
  },
): Promise<void> => {
  const { psp } = world
  const payoutId = payoutIdOf(withdrawal.id)
  const { status, lookUps = 0 } = end
  const lookUp = `GET /v2/gn/pix/enviados/id-envio/${payoutId}`
  await untilSent(
    world,
    `${withdrawal.id}:poll`,
    "to be with the PSP",
    () => psp.payout(payoutId) !== undefined && psp.requestsOf(lookUp).length >= lookUps,
  )
  psp.payoutResult(payoutId, status, status === "REALIZADO" ? undefined : "AC03")
}

const requesting = ["withdrawals.readPreconditions", "withdrawals.create"]
const deciding = ["withdrawals.load", "withdrawals.load", "withdrawals.transition"]
const approving = ["withdrawals.load", "operatorLog.append", ...deciding]
const sending = ["timers.claim[wd_]", "withdrawals.load", "withdrawals.transition", "acquirer.sendPayout"]
const asking = ["timers.claim[wd_]", "withdrawals.load", "timers.postpone[wd_]", "acquirer.queryPayout"]
/** Its end ends its exception, if it has one: a payout that is processing for long. */
const ending = ["exceptions.findFact", "withdrawals.transition"]

const fundedEntry = ["charge_paid", funds, 0, 0] as const
const heldEntry = ["withdrawal_held", rest, 0, amount + fee] as const
const steps = (...names: ReadonlyArray<string>) => [
  ...paidEvents,
  ...names.map((name) => `withdrawal.${name}`),
]

const paidOut: Books = {
  events: steps("awaiting", "approved", "processing", "successful"),
  ledger: [fundedEntry, heldEntry, ["withdrawal_settled", rest, 0, 0]],
  balance: [rest, 0, 0],
  charges: ["paid"],
  withdrawals: ["successful"],
  payouts: { sent: 1, paid: 1 },
  refunds: [],
  returns: { sent: 0, made: 0 },
  exceptions: [],
}

/** The books where no money has left: it was held and returned. */
const returned = (end: string, ...between: ReadonlyArray<string>): Books => ({
  ...paidOut,
  events: steps("awaiting", ...between, end),
  ledger: [fundedEntry, heldEntry, ["withdrawal_returned", funds, 0, 0]],
  balance: [funds, 0, 0],
  withdrawals: [end],
  payouts: { sent: 0, paid: 0 },
})

/** A withdrawal is requested, approved by an operator and paid out; the PSP is queried for the result. */
const payout: Path = {
  prepare: fund,
  play: async (world) => {
    const withdrawal = await requestWithdrawal(world)
    await approve(world, withdrawal)
    await settle(world, withdrawal)
    await atRest(world)
  },
  calls: [...requesting, ...approving, ...sending, ...asking, ...ending],
  books: paidOut,
}

/** The payout is still processing when the PSP is first queried. */
const slowPayout: Path = {
  ...payout,
  play: async (world) => {
    const withdrawal = await requestWithdrawal(world)
    await approve(world, withdrawal)
    await settle(world, withdrawal, { status: "REALIZADO", lookUps: 1 })
    await atRest(world)
  },
  calls: [
    ...[...requesting, ...approving, ...sending, ...asking, "timers.postpone[wd_]"],
    ...[...asking, ...ending],
  ],
}

/** The PSP sends a notice of the result. */
const noticedPayout: Path = {
  ...payout,
  play: async (world) => {
    const withdrawal = await requestWithdrawal(world)
    await approve(world, withdrawal)
    await settle(world, withdrawal)
    await world.notify({ idEnvio: payoutIdOf(withdrawal.id) })
    await atRest(world)
  },
  calls: [
    ...[...requesting, ...approving, ...sending, ...noticing],
    ...["withdrawals.load", "withdrawals.load", "acquirer.queryPayout", ...ending],
    "inbox.record",
  ],
}

/** The PSP pays and cuts the connection instead of answering. */
const lostReply: Path = {
  ...payout,
  play: async (world) => {
    const withdrawal = await requestWithdrawal(world)
    world.psp.fail(`PUT /v3/gn/pix/${payoutIdOf(withdrawal.id)}`, { kind: "lost" })
    await approve(world, withdrawal)
    await settle(world, withdrawal)
    await atRest(world)
  },
}

/** The PSP pays and never answers, and the process is killed while it waits. */
const hangingReply: Path = {
  ...payout,
  play: async (world) => {
    const withdrawal = await requestWithdrawal(world)
    world.psp.fail(`PUT /v3/gn/pix/${payoutIdOf(withdrawal.id)}`, { kind: "silent" })
    await approve(world, withdrawal)
    await settle(world, withdrawal)
    world.lane.kill()
    await atRest(world)
  },
}

/** The payee's bank refuses. */
const failedPayout: Path = {
  ...payout,
  play: async (world) => {
    const withdrawal = await requestWithdrawal(world)
    await approve(world, withdrawal)
    await settle(world, withdrawal, { status: "NAO_REALIZADO" })
    await atRest(world)
  },
  books: { ...returned("failed", "approved", "processing"), payouts: { sent: 1, paid: 1 } },
}

/**
 * The PSP itself refuses, twice. Where the first refusal is lost with its process, the second is not believed, since
 * the first request may have been paid; then the PSP accepts the payout and pays.
 */
const refusedPayout: Path = {
  ...payout,
  play: async (world) => {
    const withdrawal = await requestWithdrawal(world)
    const body = { nome: "favorecido_invalido", mensagem: "A chave do favorecido não existe." }
    const refusal = { kind: "answer", status: 400, body } as const
    world.psp.fail(`PUT /v3/gn/pix/${payoutIdOf(withdrawal.id)}`, refusal, 2)
    await approve(world, withdrawal)
    const payoutId = payoutIdOf(withdrawal.id)
    await untilSent(world, `${withdrawal.id}:poll`, "to be refused or paid", () => {
      if (world.psp.payout(payoutId) !== undefined) world.psp.payoutResult(payoutId, "REALIZADO")
      return isAtRest(world)
    })
  },
  calls: [...requesting, ...approving, ...sending, ...ending],
  books: { ...returned("failed", "approved", "processing"), payouts: { sent: 1, paid: 0 } },
}

const rejected: Path = {
  ...payout,
  play: async (world) => {
    const { id } = await requestWithdrawal(world)
    await decide(world.operator, `/v1/admin/withdrawals/${id}/reject`)
  },
  calls: [...requesting, ...approving],
  books: returned("rejected"),
}

const cancelled: Path = {
  ...payout,
  play: async (world) => {
    const { id } = await requestWithdrawal(world)
    await decide(world.client, `/v1/withdrawals/${id}/cancel`)
  },
  calls: [...requesting, ...deciding],
  books: returned("cancelled"),
}

/** The seller's withdrawals need no approval. */
const autoApproved: Path = {
  ...payout,
  prepare: async (world) => {
    await changeSettings(world, { withdrawal_auto_approval: true })
    await fund(world)
  },
  play: async (world) => {
    const withdrawal = await requestWithdrawal(world)
    await settle(world, withdrawal)
    await atRest(world)
  },
  calls: [...requesting, ...sending, ...asking, ...ending],
  books: {
    ...paidOut,
    events: ["seller.updated", ...steps("approved", "processing", "successful")],
  },
}

/** An operator pays it in the bank's own application, and says so. */
const paidByHand: Path = {
  ...payout,
  settings: { API_PIX_PAYOUTS: "manual" },
  play: async (world) => {
    const withdrawal = await requestWithdrawal(world)
    await approve(world, withdrawal)
    const endToEndId = newEndToEndId()
    const body = { end_to_end_id: endToEndId }
    mustBe(200, await world.operator.post(`/v1/admin/withdrawals/${withdrawal.id}/settle`, { body }))
    // The list shows it later: what a sweep finds before is another path.
    world.psp.payOut({ amount, endToEndId })
    await atRest(world)
  },
  calls: [...requesting, ...approving],
  books: {
    ...paidOut,
    events: steps("awaiting", "approved", "successful"),
    payouts: { sent: 0, paid: 0 },
  },
}

/** The bank refused it, and the operator says so. */
const failedByHand: Path = {
  ...paidByHand,
  play: async (world) => {
    const withdrawal = await requestWithdrawal(world)
    await approve(world, withdrawal)
    const body = { reason: "The bank does not know the key" }
    mustBe(200, await world.operator.post(`/v1/admin/withdrawals/${withdrawal.id}/fail`, { body }))
  },
  calls: [...requesting, ...approving],
  books: returned("failed", "approved"),
}

/** The caller asks once, and gives up without an answer. */
const abandoned: Path = {
  ...payout,
  play: async (world) => {
    await world.tryOnce((once) => ask(world, once))
  },
  calls: requesting,
  books: {
    ...paidOut,
    events: paidEvents,
    ledger: [fundedEntry],
    balance: [funds, 0, 0],
    withdrawals: [],
    payouts: { sent: 0, paid: 0 },
  },
}

/** The caller gives up, but the withdrawal was made: its seller finds it, and it is paid out. */
const foundLater: Path = {
  ...payout,
  play: async (world) => {
    await world.tryOnce((once) => ask(world, once))
    const [withdrawal] = await readAll<Withdrawal>(world.client, "/v1/withdrawals", "limit=1")
    if (withdrawal === undefined) throw new Error("the withdrawal is not there")
    await approve(world, withdrawal)
    await settle(world, withdrawal)
    await atRest(world)
  },
}

/** The balance is too low: the refusal is saved, and no money moves. */
const beyondBalance: Path = {
  ...abandoned,
  play: async (world) => {
    const answer = await ask(world, world.client, funds)
    mustBe(409, answer)
  },
  calls: ["withdrawals.readPreconditions", "transactions.saveAnswer"],
}

/** The paths of withdrawals. */
export const payoutPaths = {
  payout,
  slowPayout,
  noticedPayout,
  lostReply,
  hangingReply,
  failedPayout,
  refusedPayout,
  rejected,
  cancelled,
  autoApproved,
  paidByHand,
  failedByHand,
  abandoned,
  foundLater,
  beyondBalance,
} as const satisfies Readonly<Record<string, Path>>
