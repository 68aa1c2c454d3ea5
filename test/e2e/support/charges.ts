import type { Event } from "../../../schema/resources/event.ts"
import type { Transaction } from "../../../schema/resources/transaction.ts"
import { type Answer, type Client, type ErrorBody, eventually, type Page, readAll } from "./client.ts"

/** A valid body of a charge; `changes` replace whole fields. */
export const chargeBody = (changes: Readonly<Record<string, unknown>> = {}) => ({
  amount: 12_990,
  payment_method: "pix",
  customer: { name: "Ana Souza", email: "ana@example.com", document: "529.982.247-25" },
  items: [{ name: "Assinatura", quantity: 1, unit_amount: 12_990 }],
  ...changes,
})

let keys = 0
/** An Idempotency-Key that no other test of this run uses. */
export const freshKey = (): string => `key-${process.pid}-${keys++}`

/** Posts a charge, and returns any answer. */
export const postCharge = <T = ErrorBody>(
  client: Client,
  body: unknown,
  key: string = freshKey(),
): Promise<Answer<T>> => client.post("/v1/transactions", { body, headers: { "Idempotency-Key": key } })

/** Makes a charge; fails where it is refused. */
export const makeCharge = async (
  client: Client,
  changes: Readonly<Record<string, unknown>> = {},
  key?: string,
): Promise<Transaction> => {
  const answer = await postCharge<Transaction>(client, chargeBody(changes), key)
  if (answer.status !== 201) throw new Error(`the charge was not made: ${answer.text}`)
  return answer.body
}

export const getCharge = (client: Client, id: string): Promise<Answer<Transaction>> =>
  client.get(`/v1/transactions/${id}`)

/** Waits until a charge has a status, and returns it. */
export const chargeWhen = (client: Client, id: string, status: string, timeoutMillis?: number) =>
  eventually(
    `${id} to be ${status}`,
    async () => {
      const { body } = await getCharge(client, id)
      return body.status === status ? body : undefined
    },
    timeoutMillis,
  )

/** Every event of a feed, oldest first; `query` begins with `&`. */
export const allEvents = async (client: Client, query = ""): Promise<ReadonlyArray<Event>> =>
  (await readAll<Event>(client, "/v1/events", `limit=100${query}`)).toReversed()

/** The events of a resource, oldest first. */
export const eventsOf = async (client: Client, resourceId: string): Promise<ReadonlyArray<Event>> => {
  const { body } = await client.get<Page<Event>>(`/v1/events?resource_id=${resourceId}&limit=100`)
  return body.data.toReversed()
}
