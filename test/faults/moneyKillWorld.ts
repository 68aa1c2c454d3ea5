import { expect } from "vitest"
import { acquirerRefundIdOf, payoutIdOf } from "../../schema/ids.ts"
import type { Event } from "../../schema/resources/event.ts"
import type { Exception } from "../../schema/resources/exception.ts"
import type { Balance } from "../../schema/resources/ledger.ts"
import type { Refund } from "../../schema/resources/refund.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import type { Withdrawal } from "../../schema/resources/withdrawal.ts"
import { webhookSecret } from "../e2e/support/apiPix.ts"
import { allEvents, makeCharge } from "../e2e/support/charges.ts"
import {
  type Answer,
  type Client,
  type ErrorBody,
  eventually,
  makeClient,
  readAll,
} from "../e2e/support/client.ts"
import { balanceOf, ledgerOf } from "../e2e/support/withdrawals.ts"
import { makePixKey } from "../support/pixKey.ts"
import type { Psp } from "../support/psp.ts"
import { makeSeller } from "../support/seller.ts"
import { pause } from "../support/until.ts"
import { type Lane, partition } from "./moneyKillLane.ts"

/** The amount of the seller's first charge, in centavos. */
export const funds = 20_000
/** How long anything is waited for: a payout is sent again a minute after its last try. */
const patienceMillis = 300_000

/** A seller in live mode with money and a PIX key, on a lane whose process may die at any time. */
export interface World {
  /** A word that the requests of the path contain, and none before them. */
  readonly tag: string
  readonly psp: Psp
  readonly lane: Lane
  readonly sellerId: string
  readonly pixKeyId: string
  /** The seller's requests; one without an answer is sent again, unchanged, to the next process. */
  readonly client: Client
  /** The same, but without an answer it gives up: undefined. */
  readonly tryOnce: <T>(call: (client: Client) => Promise<T>) => Promise<T | undefined>
  /** An operator's requests, repeated likewise. */
  readonly operator: Client
  /** Those of another operator. */
  readonly otherOperator: Client
  /** Sends the PSP's notice until it is answered 200. */
  readonly notify: (about: Parameters<Psp["notice"]>[0]) => Promise<void>
}

const isLater = ({ status, body }: Answer<unknown>): boolean => {
  if (status === 503) return true
  const code = (body as Partial<ErrorBody> | undefined)?.error?.code
  return code === "idempotency_in_progress"
}

type Send = <T>(call: () => Promise<Answer<T>>) => Promise<Answer<T>>

/** Calls until there is an answer that is not "later". */
const insistOn =
  (lane: Lane): Send =>
  async (call) => {
    const deadline = performance.now() + patienceMillis
    for (;;) {
      const isOver = lane.isStopped() || performance.now() > deadline
      const answer = await call().catch((error: unknown) => {
        if (isOver) throw error
        return undefined
      })
      if (answer !== undefined && !isLater(answer)) return answer
      if (isOver) throw new Error(`still ${answer?.status}: ${answer?.text}`)
      await pause(50)
    }
  }

const clientOf = (lane: Lane, headers: Readonly<Record<string, string>>, send: Send): Client => {
  const request: Client["request"] = (method, path, input = {}) =>
    send(() =>
      makeClient(lane.origin()).request(method, path, {
        ...input,
        headers: { ...headers, ...input.headers },
      }),
    )
  return {
    origin: "the process that runs",
    key: undefined,
    request,
    get: (path) => request("GET", path),
    post: (path, input) => request("POST", path, input),
  }
}

/** Opens a world on a lane whose process runs. */
export const openWorld = async (psp: Psp, lane: Lane, tag: string): Promise<World> => {
  const seller = await makeSeller(lane, { partition })
  const pixKeyId = await makePixKey({ service: lane }, seller, "live")
  const bearer = { Authorization: `Bearer ${seller.keys.live}` }
  const once = clientOf(lane, bearer, (call) => call())
  const [one, other] = await lane.operators()
  const insist = insistOn(lane)
  const notify: World["notify"] = async (about) => {
    const { status, text } = await insist(async () => {
      const answer = await psp.notify(
        `${lane.origin()}/v1/webhooks/api-pix/pix`,
        psp.notice(about),
        webhookSecret,
      )
      return { status: answer.status, headers: answer.headers, text: await answer.text(), body: undefined }
    })
    if (status !== 200) throw new Error(`the notice was answered ${status}: ${text}`)
  }
  return {
    tag,
    psp,
    lane,
    sellerId: seller.id,
    pixKeyId,
    client: clientOf(lane, bearer, insist),
    tryOnce: (call) => call(once).catch(() => undefined),
    operator: clientOf(lane, { Cookie: one.cookie }, insist),
    otherOperator: clientOf(lane, { Cookie: other.cookie }, insist),
    notify,
  }
}

/** Waits for what may take a minute, and more than one process. */
export const patiently = <T>(
  { lane }: World,
  what: string,
  read: () => Promise<T | undefined>,
): Promise<T> => {
  const look = () => {
    if (lane.isStopped()) throw new Error(`waited for ${what} until the lane was stopped`)
    return read()
  }
  return eventually(what, look, patienceMillis)
}

/** Whether no timers are pending except expiry and release: then money is at rest. */
export const isAtRest = async ({ lane }: World): Promise<boolean> => (await lane.timers()).length === 0

/** Waits until money is at rest. */
export const atRest = (world: World): Promise<true> =>
  patiently(world, "no timer to be pending", async () => (await isAtRest(world)) || undefined)

/** Gives the seller its funds by a paid charge. */
export const fund = async (world: World): Promise<void> => {
  const { pix } = await makeCharge(world.client, { amount: funds })
  await world.notify({ endToEndId: world.psp.pay(pix.txid) })
  await atRest(world)
}

const payoutsOf = ({ psp }: World, withdrawals: ReadonlyArray<Withdrawal>) => {
  const ids = withdrawals.map(({ id }) => payoutIdOf(id))
  // One that an operator debited is named, too.
  const named = withdrawals.map(({ status, id, end_to_end_id }) =>
    status === "successful" || end_to_end_id !== null
      ? (psp.payout(payoutIdOf(id)) ?? psp.payout(end_to_end_id ?? ""))?.endToEndId
      : null,
  )
  expect(withdrawals.map(({ end_to_end_id }) => end_to_end_id)).toEqual(named)
  return {
    sent: ids.reduce((sum, id) => sum + psp.requestsOf(`PUT /v3/gn/pix/${id}`).length, 0),
    paid: ids.reduce((sum, id) => sum + (psp.payouts.get(id) ?? 0), 0),
  }
}

/** The centavos that wait, for a withdrawal or a refund: no path has both. */
const pendingOf = (balance: Pick<Balance, "pending_withdraw" | "pending_refund">): number =>
  balance.pending_withdraw + balance.pending_refund

/** The exceptions of the world's seller, and those of nobody that its tag names; oldest first. */
export const exceptionsOf = async ({ lane, sellerId, tag }: World): Promise<ReadonlyArray<Exception>> =>
  (await lane.exceptions())
    .filter(({ seller_id, details }) => seller_id === sellerId || Object.values(details).includes(tag))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))

const returnsOf = (
  { psp }: World,
  charges: ReadonlyArray<Transaction>,
  refunds: ReadonlyArray<Refund>,
  exceptions: ReadonlyArray<Exception>,
): Books["returns"] => {
  const strange = exceptions.filter(
    ({ kind }) => kind === "payment_unknown" || kind === "payment_unconfirmed",
  )
  const atPsp = [
    ...charges.flatMap(({ pix }) => psp.charge(pix.txid)?.pix ?? []),
    ...strange.flatMap(({ details }) => psp.transfer(String(details.end_to_end_id)) ?? []),
  ].flatMap(({ devolucoes }) => devolucoes)
  const sent = psp.requestsOf("PUT /pix/").map(({ path }) => path.slice(path.lastIndexOf("/") + 1))
  const own = [...refunds.map(({ id }) => acquirerRefundIdOf(id)), ...exceptions.map(({ id }) => id.slice(4))]
  return {
    sent: sent.filter((id) => own.includes(id)).length,
    made: atPsp.filter(({ status }) => status === "DEVOLVIDO").length,
  }
}

/** A seller's money in the end, here and in the PSP's books; amounts as available, reserve, pending. */
export interface Books {
  readonly events: ReadonlyArray<string>
  readonly ledger: ReadonlyArray<readonly [kind: string, ...balance: ReadonlyArray<number>]>
  readonly balance: ReadonlyArray<number>
  readonly charges: ReadonlyArray<string>
  readonly withdrawals: ReadonlyArray<string>
  /** How often the PSP was asked to pay, and how often it paid. */
  readonly payouts: { readonly sent: number; readonly paid: number }
  /** Refunds, oldest first, as `<origin> <status>`. */
  readonly refunds: ReadonlyArray<string>
  /** How often the PSP was asked to give money back, and how often it did. */
  readonly returns: { readonly sent: number; readonly made: number }
  /** Exceptions, oldest first, as `<kind> <state>`, then what was done about it: `double_payment resolved credit`. */
  readonly exceptions: ReadonlyArray<string>
}

/** Reads the books, and checks that no timer or notice is pending and that `seq` counts the events from 1. */
export const booksOf = async (world: World): Promise<Books> => {
  const { client, lane } = world
  const events: ReadonlyArray<Event> = await allEvents(client)
  const ledger = await ledgerOf(client)
  const balance = await balanceOf(client)
  const charges = await readAll<Transaction>(client, "/v1/transactions", "limit=100")
  const withdrawals = await readAll<Withdrawal>(client, "/v1/withdrawals", "limit=100")
  const refunds = await readAll<Refund>(client, "/v1/refunds", "limit=100")
  const exceptions = await exceptionsOf(world)
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1))
  expect(await lane.timers()).toEqual([])
  expect(await lane.unprocessed()).toBe(0)
  return {
    events: events.map(({ type }) => type),
    ledger: ledger.map(({ kind, balance: after }) => [
      kind,
      ...[after.available, after.reserve, pendingOf(after)],
    ]),
    balance: [balance.available, balance.reserve, pendingOf(balance)],
    charges: charges.map(({ status }) => status).toReversed(),
    withdrawals: withdrawals.map(({ status }) => status),
    payouts: payoutsOf(world, withdrawals),
    refunds: refunds.map(({ origin, status }) => `${origin} ${status}`).toReversed(),
    returns: returnsOf(world, charges, refunds, exceptions),
    exceptions: exceptions.map(({ kind, state, act }) => [kind, state, act ?? []].flat().join(" ")),
  }
}
