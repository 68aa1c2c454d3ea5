import type { Event } from "../../../schema/resources/event.ts"
import type { Refund } from "../../../schema/resources/refund.ts"
import type { Transaction } from "../../../schema/resources/transaction.ts"
import { chargeWhen, eventsOf, freshKey, makeCharge } from "./charges.ts"
import { type Answer, type Client, type ErrorBody, eventually } from "./client.ts"
import { balanceOf } from "./withdrawals.ts"

/** Makes a charge that the simulator pays by itself; the amount must not be one of the test amounts. */
export const paidCharge = async (
  client: Client,
  amount: number,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<Transaction> => {
  const { id } = await makeCharge(client, { amount, ...changes })
  return chargeWhen(client, id, "paid")
}

/** Makes a charge of test mode, and pays it by the test control. */
export const payNow = async (client: Client, amount: number): Promise<Transaction> => {
  const { id } = await makeCharge(client, { amount })
  const { status, body, text } = await client.post<Transaction>(`/v1/test/transactions/${id}/pay`)
  if (status !== 200) throw new Error(`the charge was not paid: ${text}`)
  return body
}

/** Requests a refund, and returns any answer. `body` undefined: none is sent. */
export const postRefund = <T = ErrorBody>(
  client: Pick<Client, "post">,
  chargeId: string,
  body?: unknown,
  key: string = freshKey(),
  path = "/v1/transactions",
): Promise<Answer<T>> =>
  client.post(`${path}/${chargeId}/refunds`, {
    ...(body === undefined ? {} : { body }),
    headers: { "Idempotency-Key": key },
  })

/** Requests a refund; fails where it is refused. */
export const refund = async (
  client: Pick<Client, "post">,
  chargeId: string,
  body?: object,
): Promise<Refund> => {
  const answer = await postRefund<Refund>(client, chargeId, body)
  if (answer.status !== 201) throw new Error(`the refund was not made: ${answer.text}`)
  return answer.body
}

export const getRefund = async (client: Client, id: string): Promise<Refund> => {
  const answer = await client.get<Refund>(`/v1/refunds/${id}`)
  if (answer.status !== 200) throw new Error(`${id} was not found: ${answer.text}`)
  return answer.body
}

/** Waits until a refund has a status, and returns it. */
export const refundWhen = (client: Client, id: string, status: string): Promise<Refund> =>
  eventually(`${id} to be ${status}`, async () => {
    const found = await getRefund(client, id)
    return found.status === status ? found : undefined
  })

/** The balance by bucket, in centavos; withdrawals left out. */
export const refundBuckets = async (client: Client) => {
  const { available, reserve, pending_refund } = await balanceOf(client)
  return { available, reserve, pending_refund }
}

/** The types of a resource's events, oldest first. */
export const typesOf = async (client: Client, id: string): Promise<ReadonlyArray<Event["type"]>> =>
  (await eventsOf(client, id)).map(({ type }) => type)
