import { createHmac, randomBytes } from "node:crypto"
import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeId, payoutIdOf, txidOf } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { InboxRecord, InboxRecordDetail } from "../../schema/resources/inbox.ts"
import type { AuditEntry } from "../../schema/resources/operator.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { makePixKey } from "../support/pixKey.ts"
import { chargeWhen, eventsOf, getCharge, makeCharge } from "./support/charges.ts"
import type { Client, ErrorBody, Page } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import {
  getRecord,
  listInbox,
  noticeSettings,
  paymentBody,
  postNotice,
  recordsOf,
  recordWhen,
  signatureOf,
  transferOf,
} from "./support/notices.ts"
import { findKey, openStage, type Stage } from "./support/stage.ts"
import { balanceOf, withdraw, withdrawalWhen } from "./support/withdrawals.ts"

/** The simulator reports nothing by itself within a test: whatever happens is caused by a notice. */
const settings = { ...noticeSettings, SIMULATOR_DELAY_MS: "3600000" }

let stage: Stage
let operator: DashboardClient
beforeAll(async () => {
  stage = await openStage(settings)
  operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
})
afterAll(() => stage?.close())

const neverPaid = { amount: 1_001 }

/** The only record about a charge. */
const onlyRecordOf = async (chargeId: string): Promise<InboxRecord> => {
  const records = await recordsOf(operator, chargeId)
  expect(records).toHaveLength(1)
  return records[0] as InboxRecord
}

/** A charge that is paid by a notice. */
const payByNotice = async (client: Client) => {
  const charge = await makeCharge(client)
  expect((await postNotice(stage, paymentBody(charge.id))).text).toBe('{"received":true}')
  return chargeWhen(client, charge.id, "paid")
}

describe("an acquirer's notice", () => {
  it("an acquirer's notice pays its charge once, however often it comes", async () => {
    const { test } = await stage.newSeller()
    const charge = await payByNotice(test)
    expect(charge.end_to_end_id).toBe(transferOf(charge.id))
    const { id } = await onlyRecordOf(charge.id)
    const record = await recordWhen(operator, id, ({ processed_at }) => processed_at !== null)
    for (const path of ["/v1/webhooks/simulator", "/v1/webhooks/simulator/pix"]) {
      const again = await postNotice(stage, paymentBody(charge.id), { path })
      expect([again.status, again.text]).toEqual([200, '{"received":true,"duplicate":true}'])
    }
    expect(await getRecord(operator, id)).toEqual(record)
    const types = (await eventsOf(test, charge.id)).map(({ type }) => type)
    expect(types).toEqual(["transaction.created", "transaction.paid"])
    expect(await balanceOf(test)).toMatchObject({ available: 12_990 })
  })

  it("a notice that the acquirer does not confirm credits nothing, and is tried again when repeated", async () => {
    const { test } = await stage.newSeller()
    const charge = await makeCharge(test, neverPaid)
    await postNotice(stage, paymentBody(charge.id))
    const { id } = await onlyRecordOf(charge.id)
    const record = await recordWhen(operator, id, ({ attempts }) => attempts > 0)
    expect(record).toMatchObject({ attempts: 1, processed_at: null, error: expect.any(String) })
    expect((await listInbox(operator, "state=unprocessed&limit=100")).data.map(({ id }) => id)).toContain(id)
    expect((await getCharge(test, charge.id)).body.status).toBe("pending")
    // When it comes again, it is tried again at once, since it may be true by now.
    expect((await postNotice(stage, paymentBody(charge.id))).text).toBe('{"received":true,"duplicate":true}')
    await recordWhen(operator, id, ({ attempts }) => attempts === 2)
    expect(await balanceOf(test)).toMatchObject({ available: 0 })
  })

  it("a payout notice settles the withdrawal that it names", async () => {
    const seller = await stage.newSeller()
    await payByNotice(seller.test)
    const made = await withdraw(seller.test, await makePixKey(stage, seller, "test"), 5_000)
    await seller.test.post(`/v1/test/withdrawals/${made.id}/approve`)
    await withdrawalWhen(seller.test, made.id, "processing")
    const gnExtras = { idEnvio: payoutIdOf(made.id) }
    const body = JSON.stringify({ pix: [{ gnExtras, status: "REALIZADO", valor: "50.00" }] })
    expect((await postNotice(stage, body)).text).toBe('{"received":true}')
    await withdrawalWhen(seller.test, made.id, "successful")
    const { data } = await listInbox(operator, "limit=100")
    expect(data.find(({ withdrawal_id }) => withdrawal_id === made.id)).toMatchObject({
      event_type: "pix.sent",
      transaction_id: null,
    })
  })

  it("a notice about nothing of ours, or in an unknown form, is accepted and recorded with the reason", async () => {
    const strange = makeId("txn_", Date.now(), 3, randomBytes(14))
    const bodies = [paymentBody(strange), "no JSON at all", `{"pix":[]} ${randomBytes(4).toString("hex")}`]
    for (const body of bodies) {
      const answer = await postNotice(stage, body, { headers: { "Content-Type": "text/plain" } })
      expect([answer.status, answer.text]).toEqual([200, '{"received":true}'])
    }
    const { data } = await listInbox(operator, "limit=3")
    for (const { id } of data) {
      const record = await recordWhen(operator, id, ({ processed_at }) => processed_at !== null)
      expect(record.error).toEqual(expect.any(String))
      expect(bodies).toContain(record.raw_body)
    }
  })
})

describe("a notice with a bad signature", () => {
  it("a notice with a bad signature is refused, recorded, never processed, and blocks no real one", async () => {
    const { test } = await stage.newSeller()
    const charge = await makeCharge(test)
    const body = paymentBody(charge.id)
    for (const signature of ["", "00".repeat(32), signatureOf(`${body} `), `sha256=${signatureOf(body)}`]) {
      const refused = await postNotice<ErrorBody>(stage, body, { signature })
      expect([refused.status, refused.body.error.code]).toEqual([401, "invalid_signature"])
    }
    const forged = await recordsOf(operator, charge.id)
    expect(forged).toHaveLength(4)
    for (const record of forged) {
      expect(record).toMatchObject({ signature_valid: false, processed_at: null, attempts: 0 })
      const answer = await operator.send("POST", `/v1/admin/inbox/${record.id}/reprocess`)
      expect([answer.status, answer.body.error.code]).toEqual([409, "invalid_state"])
    }
    expect((await getCharge(test, charge.id)).body.status).toBe("pending")
    const upperCase = signatureOf(body).toUpperCase()
    expect((await postNotice(stage, body, { signature: upperCase })).text).toBe('{"received":true}')
    await chargeWhen(test, charge.id, "paid")
    const unprocessed = await listInbox(operator, "state=unprocessed&limit=100")
    const ids = new Set(forged.map(({ id }) => id))
    expect(unprocessed.data.filter(({ id }) => ids.has(id))).toEqual([])
  })
})

describe("the routes of notices", () => {
  /** Without the request log, which follows its requests a second later. */
  const keyCount = async () => {
    const keys = (await stage.redis("KEYS", "*")) as ReadonlyArray<string>
    return keys.filter((key) => !key.startsWith("request")).length
  }

  it("a notice for an acquirer that is not configured is 404 and not stored", async () => {
    const before = await keyCount()
    for (const path of ["/v1/webhooks/api-pix", "/v1/webhooks/nobody/pix", "/v1/webhooks/__proto__"]) {
      const answer = await postNotice<ErrorBody>(stage, "{}", { path })
      expect([answer.status, answer.body.error.code]).toEqual([404, "resource_not_found"])
    }
    expect(await keyCount()).toBe(before)
  })

  it("a notice arrives however its acquirer spells the address that it was given", async () => {
    const { test } = await stage.newSeller()
    const { pathname } = new URL("/v1/webhooks/simulator", stage.service.url)
    for (const end of ["", "/", "/pix", "/pix/", "//pix", "//pix/"]) {
      for (const query of ["", "?tenant=7&ignorar=/pix"]) {
        const charge = await makeCharge(test)
        const path = `${pathname}${end}${query}`
        expect([path, (await postNotice(stage, paymentBody(charge.id), { path })).text]).toEqual([
          path,
          '{"received":true}',
        ])
        await chargeWhen(test, charge.id, "paid")
      }
    }
    const wrongMethod = await fetch(`${stage.service.url}${pathname}//pix`)
    expect([wrongMethod.status, wrongMethod.headers.get("allow")]).toEqual([405, "POST"])
    const nowhere = await postNotice<ErrorBody>(stage, "{}", { path: `${pathname}/pix/more` })
    expect(nowhere.status).toBe(404)
  })

  it("the secret in the address vouches for a notice, and is neither logged, measured nor stored", async () => {
    const { test } = await stage.newSeller()
    const hmac = encodeURIComponent(noticeSettings.SIMULATOR_WEBHOOK_SECRET)
    const post = (body: string, end: string) =>
      postNotice<Partial<ErrorBody>>(stage, body, {
        path: `/v1/webhooks/simulator${end}`,
        signature: "",
        headers: { "X-Original-URL": `/v1/webhooks/simulator${end}` },
      })
    for (const end of [
      `?hmac=${hmac}`,
      `/pix?hmac=${hmac}&ignorar=`,
      `?hmac=${hmac}/pix`,
      `//pix?hmac=${hmac}`,
    ]) {
      const charge = await makeCharge(test)
      const body = paymentBody(charge.id)
      for (const wrong of ["?hmac=wrong", `?hmac=${hmac}0`, "?hmac=", `?HMAC=${hmac}`]) {
        const refused = await post(body, wrong)
        expect([wrong, refused.status, refused.body.error?.code]).toEqual([wrong, 401, "invalid_signature"])
        expect(refused.text).not.toContain(noticeSettings.SIMULATOR_WEBHOOK_SECRET)
      }
      expect((await post(body, end)).text).toBe('{"received":true}')
      await chargeWhen(test, charge.id, "paid")
      const [newest] = await recordsOf(operator, charge.id)
      const record = await getRecord(operator, newest?.id ?? "")
      expect(record.signature_valid).toBe(true)
      expect(JSON.stringify(record)).not.toMatch(/hmac=|the secret of/)
    }
    const twice = await post("{}", `?hmac=${hmac}&hmac=${hmac}`)
    expect([twice.status, twice.body.error?.param]).toEqual([400, "hmac"])
    const metrics = await (await fetch(`${stage.service.url}/metrics`)).text()
    const routes = new Set([...metrics.matchAll(/route="([^"]*webhooks[^"]*)"/g)].map(([, route]) => route))
    expect([...routes].sort()).toEqual(["/v1/webhooks/:slug", "/v1/webhooks/:slug/pix"])
    for (const text of [metrics, stage.service.log()]) {
      expect(text).not.toContain(hmac)
      expect(text).not.toContain(noticeSettings.SIMULATOR_WEBHOOK_SECRET)
    }
  })

  it("an empty notice and one that is too large are refused and not stored", async () => {
    const before = await keyCount()
    const empty = await postNotice<ErrorBody>(stage, "")
    expect([empty.status, empty.body.error.code]).toEqual([400, "validation_failed"])
    const large = await postNotice<ErrorBody>(stage, "x".repeat(limits.bodyBytesMax + 1))
    expect([large.status, large.body.error.code]).toEqual([413, "payload_too_large"])
    expect(await keyCount()).toBe(before)
  })

  it("a notice's signature is checked over its exact bytes, even when they are not UTF-8", async () => {
    const bytes = Uint8Array.from([0xff, 0xfe, 0x00, 0x7b, ...randomBytes(8)])
    const signature = createHmac("sha256", noticeSettings.SIMULATOR_WEBHOOK_SECRET)
      .update(bytes)
      .digest("hex")
    const response = await fetch(`${stage.service.url}/v1/webhooks/simulator`, {
      method: "POST",
      headers: { "X-Webhook-Signature": signature, "Content-Type": "application/octet-stream" },
      body: bytes,
    })
    expect([response.status, await response.text()]).toEqual([200, '{"received":true}'])
  })
})

describe("the operators' inbox", () => {
  it("an inbox record shows a notice whole but for credentials, and is ciphertext in Redis", async () => {
    const { test } = await stage.newSeller()
    const charge = await makeCharge(test, neverPaid)
    const body = paymentBody(charge.id)
    const headers = { Authorization: "Bearer hunter2", Cookie: "a=hunter2", "X-Acquirer": "p".repeat(2_000) }
    await postNotice(stage, body, { headers })
    const { id } = await onlyRecordOf(charge.id)
    const record = await recordWhen(operator, id, ({ attempts }) => attempts > 0)
    expect(Schema.is(InboxRecordDetail)(record)).toBe(true)
    expect(record).toEqual({
      id: expect.stringMatching(/^inb_[0-9A-Z]{26}$/),
      acquirer: { id: "simulator", slug: "simulator" },
      provider_event_id: `${transferOf(charge.id)}:received`,
      event_type: "pix.received",
      signature_valid: true,
      received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      processed_at: null,
      attempts: 1,
      error: expect.any(String),
      transaction_id: charge.id,
      withdrawal_id: null,
      end_to_end_id: transferOf(charge.id),
      reprocessed_at: null,
      raw_body: body,
      headers: record.headers,
    })
    expect(record.headers).toMatchObject({
      "content-type": "application/json",
      "x-webhook-signature": signatureOf(body),
      "x-acquirer": "p".repeat(1_024),
    })
    expect(JSON.stringify(record)).not.toContain("hunter2")
    const stored = JSON.stringify(await stage.redis("HGETALL", await findKey(stage, `inb:*:${id}`)))
    for (const text of [txidOf(charge.id), "x-acquirer", "hunter2"]) expect(stored).not.toContain(text)
  })

  it("the inbox is listed in pages, newest first, and refuses foreign cursors and wrong parameters", async () => {
    const all = await listInbox(operator, "limit=100")
    expect(all.data.length).toBeGreaterThan(2)
    for (const record of all.data) expect(Schema.is(InboxRecord)(record)).toBe(true)
    expect(Object.keys(all.data[0] ?? {})).not.toContain("raw_body")
    const ids = all.data.map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted().reverse())
    const first = await listInbox(operator, "limit=2")
    const rest = await listInbox(operator, `limit=100&cursor=${first.next_cursor}`)
    expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual(ids)
    expect(rest.next_cursor).toBeNull()
    for (const [query, code] of [
      [`state=unprocessed&cursor=${first.next_cursor}`, "invalid_cursor"],
      ["state=other", "validation_failed"],
      ["limit=0", "validation_failed"],
    ]) {
      const answer = await operator.get<ErrorBody>(`/v1/admin/inbox?${query}`)
      expect([answer.status, answer.body.error.code]).toEqual([400, code])
    }
  })

  it("an operator reprocesses an inbox record, which is logged and counted", async () => {
    const { test } = await stage.newSeller()
    const charge = await makeCharge(test, neverPaid)
    await postNotice(stage, paymentBody(charge.id))
    const { id } = await onlyRecordOf(charge.id)
    await recordWhen(operator, id, ({ attempts }) => attempts === 1)
    const answer = await operator.send("POST", `/v1/admin/inbox/${id}/reprocess`)
    expect([answer.status, answer.text]).toEqual([202, "{}"])
    const record = await recordWhen(operator, id, ({ attempts }) => attempts === 2)
    expect(record.reprocessed_at).toEqual(expect.any(String))
    const audit = await operator.get<Page<AuditEntry>>("/v1/admin/audit?limit=1")
    expect(audit.body.data).toMatchObject([{ action: "inbox.reprocessed", resource_id: id }])
  })

  it("an unknown inbox record is 404, read or reprocessed", async () => {
    const unknown = makeId("inb_", Date.now(), 1, randomBytes(14))
    for (const id of [unknown, "inb_x", makeId("txn_", Date.now(), 1, randomBytes(14))]) {
      for (const [method, path] of [
        ["GET", `/v1/admin/inbox/${id}`],
        ["POST", `/v1/admin/inbox/${id}/reprocess`],
      ] as const) {
        const answer = await operator.send(method, path)
        expect([answer.status, answer.body.error.code]).toEqual([404, "resource_not_found"])
      }
    }
  })
})
