import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import type { Note } from "../../schema/resources/note.ts"
import type { SellerAuditEntry } from "../../schema/resources/sellerAudit.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { notesKey } from "../../src/store/keys.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { makeCharge } from "./support/charges.ts"
import type { ErrorBody, Page } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"

let stage: Stage
let seller: Seller
let session: DashboardClient
let charge: Transaction
const cookies = { of: "" }

beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "3600000" })
  seller = await stage.newSeller()
  const { cookie } = await signInAsSeller(stage.service, seller.id)
  cookies.of = cookie
  session = dashboardClient(stage.service.url, { cookie }, "test")
  charge = await makeCharge(seller.test)
})
afterAll(() => stage?.close())

const pathOf = (id: string, noteId = "") => `/v1/me/transactions/${id}/notes${noteId && `/${noteId}`}`
const add = (text: unknown, id = charge.id, by = session) =>
  by.send<Note & ErrorBody>("POST", pathOf(id), { text })
const listed = async (id = charge.id) =>
  (await session.get<{ data: ReadonlyArray<Note> }>(pathOf(id))).body.data

describe("notes on a charge", () => {
  it("a note is listed as it was written, newest first, with its author, until its author deletes it", async () => {
    const { id } = await makeCharge(seller.test)
    expect(await listed(id)).toEqual([])
    const first = await add("Pediu a troca 🎁\r\nligar às 15h\tçé", id)
    const second = await add("Trocado.", id)
    expect([first.status, second.status]).toEqual([201, 201])
    expect(first.body).toMatchObject({ object: "note", text: "Pediu a troca 🎁\r\nligar às 15h\tçé" })
    expect(first.body.author.name).not.toBe("")
    expect(await listed(id)).toEqual([second.body, first.body])
    expect((await session.send("DELETE", pathOf(id, first.body.id))).status).toBe(204)
    expect((await session.send<ErrorBody>("DELETE", pathOf(id, first.body.id))).body.error.code).toBe(
      "resource_not_found",
    )
    expect(await listed(id)).toEqual([second.body])
  })

  it.for([
    ["a character", "a", undefined],
    ["the longest text", "é".repeat(limits.noteLengthMax), undefined],
    ["a longer text", "é".repeat(limits.noteLengthMax + 1), "text"],
    ["no text", "", "text"],
    ["spaces alone", " \n ", "text"],
    ["a control character", "a\u0007", "text"],
    ["a number", 1, "text"],
  ] as const)("%s: taken or refused", async ([_, text, param]) => {
    const { status, body } = await add(text)
    expect([status, body.error?.param]).toEqual([param === undefined ? 201 : 400, param])
  })

  it("a charge has so many notes at most, and again one once one is deleted", async () => {
    const { id } = await makeCharge(seller.test)
    for (let i = 0; i < limits.notesPerChargeMax; i++) expect((await add(`note ${i}`, id)).status).toBe(201)
    const more = await add("one more", id)
    expect([more.status, more.body.error.code]).toEqual([409, "invalid_state"])
    const notes = await listed(id)
    expect(notes.length).toBe(limits.notesPerChargeMax)
    await session.send("DELETE", pathOf(id, notes[0]?.id))
    expect((await add("one more", id)).status).toBe(201)
  })

  it("a note is its author's to delete", async () => {
    const { id } = await makeCharge(seller.test)
    const { body } = await add("mine", id)
    const stored = JSON.stringify({ ...body, author: { id: "another", name: "Bia" } })
    await stage.redis("HSET", notesKey(id), body.id, stored)
    const refused = await session.send<ErrorBody>("DELETE", pathOf(id, body.id))
    expect([refused.status, refused.body.error.code]).toEqual([403, "permission_denied"])
    expect((await listed(id)).length).toBe(1)
  })

  it("nobody else has a seller's notes: no other seller, mode or API key", async () => {
    const other = await stage.newSeller()
    const { cookie } = await signInAsSeller(stage.service, other.id)
    const stranger = dashboardClient(stage.service.url, { cookie }, "test")
    const inLive = dashboardClient(stage.service.url, { cookie: cookies.of }, "live")
    const { body } = await add("ours alone")
    for (const client of [stranger, inLive]) {
      expect((await client.get<ErrorBody>(pathOf(charge.id))).status).toBe(404)
      expect((await add("theirs", charge.id, client)).status).toBe(404)
      expect((await client.send<ErrorBody>("DELETE", pathOf(charge.id, body.id))).status).toBe(404)
    }
    expect((await seller.test.get<ErrorBody>(pathOf(charge.id))).status).toBe(401)
  })

  it("charges, events, exports and the payment page have no note; the audit log has the act without its text", async () => {
    const secret = "segredo-da-loja"
    const { body } = await add(secret)
    const page = await fetch(charge.payment_url.replace(/^https?:\/\/[^/]+/, stage.service.url))
    const texts = [
      (await seller.test.get(`/v1/transactions/${charge.id}`)).text,
      (await seller.test.get("/v1/events")).text,
      (await seller.test.get("/v1/transactions/export?format=ndjson")).text,
      await page.text(),
    ]
    expect(page.status).toBe(200)
    for (const text of texts) expect(text).not.toContain(secret)
    const log = await session.get<Page<SellerAuditEntry>>("/v1/me/audit?action=transaction.note_added")
    expect(log.text).not.toContain(secret)
    expect(log.body.data[0]).toMatchObject({
      resource_type: "transaction",
      resource_id: charge.id,
      details: { mode: "test", note_id: body.id },
    })
  })
})
