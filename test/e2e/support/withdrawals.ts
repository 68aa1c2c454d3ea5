import type { Event } from "../../../schema/resources/event.ts"
import type { Balance, LedgerEntry } from "../../../schema/resources/ledger.ts"
import type { SellerProfile } from "../../../schema/resources/seller.ts"
import type { Withdrawal } from "../../../schema/resources/withdrawal.ts"
import { chargeWhen, freshKey, makeCharge } from "./charges.ts"
import { type Answer, type Client, type ErrorBody, eventually, type Page, readAll } from "./client.ts"
import type { DashboardClient } from "./dashboardClient.ts"
import type { Seller } from "./stage.ts"

/** Gives a seller money in its client's mode, by a paid charge; the amount must not be one of the test amounts. */
export const fund = async (client: Client, amount: number): Promise<void> => {
  const { id } = await makeCharge(client, { amount })
  await chargeWhen(client, id, "paid")
}

/** Requests a withdrawal, and returns any answer. */
export const postWithdrawal = <T = ErrorBody>(
  client: Pick<Client, "post">,
  body: unknown,
  key: string = freshKey(),
  path = "/v1/withdrawals",
): Promise<Answer<T>> => client.post(path, { body, headers: { "Idempotency-Key": key } })

/** Requests a withdrawal; fails where it is refused. */
export const withdraw = async (
  client: Client,
  pixKey: string,
  amount: number,
  changes: object = {},
): Promise<Withdrawal> => {
  const answer = await postWithdrawal<Withdrawal>(client, { amount, pix_key_id: pixKey, ...changes })
  if (answer.status !== 201) throw new Error(`the withdrawal was not made: ${answer.text}`)
  return answer.body
}

export const getWithdrawal = async (client: Client, id: string): Promise<Withdrawal> => {
  const answer = await client.get<Withdrawal>(`/v1/withdrawals/${id}`)
  if (answer.status !== 200) throw new Error(`${id} was not found: ${answer.text}`)
  return answer.body
}

/** Waits until a withdrawal has a status, and returns it. */
export const withdrawalWhen = (client: Client, id: string, status: string): Promise<Withdrawal> =>
  eventually(`${id} to be ${status}`, async () => {
    const found = await getWithdrawal(client, id)
    return found.status === status ? found : undefined
  })

export const cancel = <T = ErrorBody>(client: Client, id: string): Promise<Answer<T>> =>
  client.post(`/v1/withdrawals/${id}/cancel`)

/** Cancels a withdrawal that awaits approval, so that the next may be requested; fails where that is refused. */
export const mustCancel = async (client: Client, id: string): Promise<void> => {
  const answer = await cancel(client, id)
  if (answer.status !== 200) throw new Error(`${id} was not cancelled: ${answer.text}`)
}

export const balanceOf = async (client: Client): Promise<Balance> =>
  (await client.get<Balance>("/v1/balance")).body

/** All of a ledger, oldest first. */
export const ledgerOf = async (client: Client): Promise<ReadonlyArray<LedgerEntry>> =>
  (await readAll<LedgerEntry>(client, "/v1/ledger", "limit=100")).toReversed()

/** The events of a withdrawal, oldest first. */
export const withdrawalEvents = async (client: Client, id: string): Promise<ReadonlyArray<Event>> => {
  const { body } = await client.get<Page<Event>>(`/v1/events?resource_type=withdrawal&resource_id=${id}`)
  return body.data.toReversed()
}

/** Changes a seller as an operator; fails where that is refused. */
export const changeSeller = async (
  operator: DashboardClient,
  seller: Pick<Seller, "id">,
  what: "settings" | "kyc" | "status" | "payout-lock",
  body: object,
): Promise<SellerProfile> => {
  const method = what === "settings" ? "PATCH" : "POST"
  const answer = await operator.send<SellerProfile>(method, `/v1/admin/sellers/${seller.id}/${what}`, body)
  if (answer.status !== 200) throw new Error(`the seller was not changed: ${answer.text}`)
  return answer.body
}

/** An error without its message and request id. */
export const errorOf = ({ status, body }: Answer<ErrorBody>) => {
  const { code, type, param, details } = body.error
  return { status, code, type, param, details }
}
