import { isDynamicPix, parsePix } from "pix-utils"
import { expect } from "vitest"
import type { InboxRecord, InboxRecordDetail } from "../../../schema/resources/inbox.ts"
import type { Transaction } from "../../../schema/resources/transaction.ts"
import { runOps } from "../../ops/cli.ts"
import { signInAsOperator } from "../../support/dashboard.ts"
import { type Psp, type PspOptions, startPsp } from "../../support/psp.ts"
import { newEndToEndId } from "../../support/pspBooks.ts"
import { apiPixSettings, webhookSecret } from "../../support/pspSettings.ts"
import type { ServiceOptions } from "../../support/service.ts"
import { chargeWhen, makeCharge } from "./charges.ts"
import { type Client, type ErrorBody, eventually, makeClient } from "./client.ts"
import { type DashboardClient, dashboardClient } from "./dashboardClient.ts"
import { getRecord, listInbox, type Receipt, recordWhen } from "./notices.ts"
import { openStage, type Stage } from "./stage.ts"

export { apiPixSettings, webhookSecret }

/** What a notice is about: a transfer to a charge with its refunds, or a payout. */
export type NoticeOf = Parameters<Psp["notice"]>[0]

/** The service with a PSP on this machine as its live acquirer, and an operator's dashboard. */
export interface ApiPixStage extends Stage {
  readonly psp: Psp
  readonly operator: DashboardClient
  /** Sends the PSP's notice of what its books say, and returns the text of the answer, which must be 200. */
  readonly tell: (about: NoticeOf) => Promise<string>
  /** Posts a body to the inbox, signed with a secret or not at all. */
  readonly post: (
    body: string,
    secret?: string,
  ) => Promise<{ readonly status: number; readonly text: string; readonly code: string | undefined }>
}

/** Starts the PSP and the service, with further settings. Close the stage in `afterAll`. */
export const openApiPixStage = async (
  settings: Readonly<Record<string, string>> = {},
  options: ServiceOptions = {},
  pspOptions: PspOptions = {},
): Promise<ApiPixStage> => {
  const psp = await startPsp(pspOptions)
  const stage = await openStage({ ...apiPixSettings(psp), ...settings }, options)
  // The sweep of the start is over before a test has the PSP fail; the next comes minutes later.
  await psp.waitFor((pspOptions.bank ?? "efi") === "efi" ? "GET /v2/gn/pix/enviados?" : "GET /pix?", 1)
  const operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
  const post: ApiPixStage["post"] = async (body, secret) => {
    const answer = await psp.notify(`${stage.service.url}/v1/webhooks/api-pix/pix`, body, secret)
    const text = await answer.text()
    const parsed: Partial<ErrorBody> = JSON.parse(text)
    return { status: answer.status, text, code: parsed.error?.code }
  }
  return {
    ...stage,
    psp,
    operator,
    post,
    tell: async (about) => {
      const { status, text } = await post(psp.notice(about), webhookSecret)
      if (status !== 200) throw new Error(`the notice was answered ${status}: ${text}`)
      return text
    },
    close: async () => {
      await stage.close()
      await psp.close()
    },
  }
}

/** The answers to a new notice, and to a duplicate. */
export const received = JSON.stringify({ received: true } satisfies Receipt)
export const duplicate = JSON.stringify({ received: true, duplicate: true } satisfies Receipt)

/** A seller as `ops seller create` makes it, by its live key. */
export const createSellerByOps = async ({ service }: Stage): Promise<Client> => {
  const person = ["--email", "ana@example.com", "--password", "long enough for anyone", "--name", "Ana Souza"]
  const { exitCode, stderr, document } = await runOps(["seller", "create", ...person, "--kyc", "approved"], {
    DATA_DIR: service.dataDir,
  })
  if (exitCode !== 0) throw new Error(`the seller was not made: ${stderr}`)
  return makeClient(service.url, document.api_keys.live)
}

/** Parses a charge's BR Code as a payer's bank does. */
export const readBrCode = ({ pix }: Transaction) => {
  const parsed = parsePix(pix.payload)
  if ("error" in parsed || !isDynamicPix(parsed)) throw new Error(`not a dynamic PIX: ${pix.payload}`)
  return parsed
}

/** A made-up notice of a payment, which the PSP need not know of. */
export const paymentNotice = ({ pix, amount }: Transaction, endToEndId = newEndToEndId()) => {
  const reais = `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, "0")}`
  const transfer = { endToEndId, txid: pix.txid, valor: reais, horario: "2026-11-21T00:07:35.123Z" }
  return { endToEndId, body: JSON.stringify({ pix: [transfer] }) }
}

/** Makes a charge, which a payer pays and the PSP sends a notice of; waits until it is paid here. */
export const payCharge = async (
  { psp, tell }: ApiPixStage,
  client: Client,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly charge: Transaction; readonly endToEndId: string }> => {
  const made = await makeCharge(client, changes)
  const endToEndId = psp.pay(made.pix.txid)
  expect(await tell({ endToEndId })).toBe(received)
  return { charge: await chargeWhen(client, made.id, "paid"), endToEndId }
}

/** The record of the correctly signed notice with that provider event id; fails where there is none. */
export const recordOf = async ({ operator }: ApiPixStage, providerEventId: string): Promise<InboxRecord> => {
  const { data } = await listInbox(operator, "limit=100")
  const found = data.find((record) => record.signature_valid && record.provider_event_id === providerEventId)
  if (found === undefined) throw new Error(`no notice ${providerEventId} was recorded`)
  return found
}

/** The record of a notice, once `holds` is true of it: by default, once it was processed. */
export const noticeWhen = async (
  stage: ApiPixStage,
  providerEventId: string,
  holds: (record: InboxRecordDetail) => boolean = ({ processed_at }) => processed_at !== null,
): Promise<InboxRecordDetail> => {
  const { id } = await recordOf(stage, providerEventId)
  return recordWhen(stage.operator, id, holds)
}

/** The result of `ops audit verify` on the service's data: its exit code, and `ok` or the error. */
export const auditVerify = async ({
  service,
}: Stage): Promise<{ readonly exitCode: number; readonly ok: unknown }> => {
  const { exitCode, document } = await runOps(["audit", "verify", "--full"], { DATA_DIR: service.dataDir })
  return { exitCode, ok: document.ok ?? document.error }
}

/** The result of {@link auditVerify} where everything adds up. */
export const soundBooks = { exitCode: 0, ok: true }

/** Makes an operator reprocess a record, and waits until that is done. */
export const reprocess = async ({ operator }: ApiPixStage, id: string): Promise<InboxRecordDetail> => {
  const before = await getRecord(operator, id)
  const answer = await operator.send("POST", `/v1/admin/inbox/${id}/reprocess`)
  if (answer.status !== 202) throw new Error(`${id} was not processed again: ${answer.text}`)
  return eventually(`${id} to be processed again`, async () => {
    const found = await getRecord(operator, id)
    return found.attempts > before.attempts ? found : undefined
  })
}
