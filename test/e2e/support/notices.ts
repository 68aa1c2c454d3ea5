import { createHmac } from "node:crypto"
import { simulatedEndToEndId } from "../../../actors/seller/decisions/endToEndId.ts"
import { timeOfId, txidOf } from "../../../schema/ids.ts"
import type { InboxRecord, InboxRecordDetail } from "../../../schema/resources/inbox.ts"
import { type Answer, type Client, eventually, makeClient, type Page } from "./client.ts"
import { dashboardClient } from "./dashboardClient.ts"
import type { Stage } from "./stage.ts"

/** The secret that signs the simulator's notices, and the setting that opens their route. */
const secret = "the secret of the simulator's webhooks"
export const noticeSettings = { SIMULATOR_WEBHOOK_SECRET: secret }

/** The answer to an acquirer's notice (`docs/contract/notices.md#recording`). */
export interface Receipt {
  readonly received: boolean
  readonly duplicate?: boolean
}

export const signatureOf = (body: string): string => createHmac("sha256", secret).update(body).digest("hex")

export interface NoticeCall {
  readonly path?: string
  readonly signature?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Posts a notice of the simulator, correctly signed by default, and returns any answer. */
export const postNotice = <T = Receipt>(
  stage: Pick<Stage, "service">,
  body: string,
  { path = "/v1/webhooks/simulator", signature = signatureOf(body), headers = {} }: NoticeCall = {},
): Promise<Answer<T>> =>
  makeClient(stage.service.url).post<T>(path, {
    body,
    headers: { "X-Webhook-Signature": signature, ...headers },
  })

/** The end-to-end id of the transfer that the simulator pays a charge with. */
export const transferOf = (chargeId: string): string =>
  simulatedEndToEndId(timeOfId(chargeId), txidOf(chargeId))

/** The body of an API Pix notice of a charge's payment. */
export const paymentBody = (chargeId: string, endToEndId = transferOf(chargeId)): string =>
  JSON.stringify({
    pix: [{ endToEndId, txid: txidOf(chargeId), valor: "129.90", horario: "2026-11-21T00:07:35.123Z" }],
  })

/** The newest records of the inbox, as the operators' list shows them. */
export const listInbox = async (operator: Client, query = ""): Promise<Page<InboxRecord>> => {
  const answer = await operator.get<Page<InboxRecord>>(`/v1/admin/inbox?${query}`)
  if (answer.status !== 200) throw new Error(`the inbox was not listed: ${answer.text}`)
  return answer.body
}

/** The records of all notices about a charge, newest first. */
export const recordsOf = async (operator: Client, chargeId: string): Promise<ReadonlyArray<InboxRecord>> =>
  (await listInbox(operator, "limit=100")).data.filter(({ transaction_id: id }) => id === chargeId)

export const getRecord = async (operator: Client, id: string): Promise<InboxRecordDetail> => {
  const answer = await operator.get<InboxRecordDetail>(`/v1/admin/inbox/${id}`)
  if (answer.status !== 200) throw new Error(`${id} was not found: ${answer.text}`)
  return answer.body
}

/** Waits until `holds` is true of a record, and returns it. */
export const recordWhen = (
  operator: Client,
  id: string,
  holds: (record: InboxRecordDetail) => boolean,
): Promise<InboxRecordDetail> =>
  eventually(`${id} to be processed`, async () => {
    const found = await getRecord(operator, id)
    return holds(found) ? found : undefined
  })

/**
 * Posts a notice about nothing of ours, waits until it is processed, and returns its record's id. `cookie` is of an
 * operator's session.
 */
export const noticeOfNothing = async (stage: Pick<Stage, "service">, cookie: string): Promise<string> => {
  const operator = dashboardClient(stage.service.url, { cookie })
  const answer = await postNotice(stage, "nothing")
  if (answer.status !== 200) throw new Error(`the notice was refused: ${answer.text}`)
  const [record] = (await listInbox(operator, "limit=1")).data
  if (record === undefined) throw new Error("the notice was not recorded")
  await recordWhen(operator, record.id, ({ processed_at }) => processed_at !== null)
  return record.id
}
