import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { partitionOfId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { PaymentLink } from "../../schema/resources/paymentLink.ts"
import type { SellerAuditEntry } from "../../schema/resources/sellerAudit.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { paymentLinksKey, rateKey } from "../../src/store/keys.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { allEvents, chargeWhen, freshKey } from "./support/charges.ts"
import { type Client, type ErrorBody, newestFirst, type Page, readAll } from "./support/client.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"

const path = "/v1/payment-links"

let stage: Stage
let seller: Seller
beforeAll(async () => {
  stage = await openStage({ TRUSTED_PROXIES: "127.0.0.1,::1" })
  seller = await stage.newSeller()
})
afterAll(() => stage?.close())

const post = <T = ErrorBody>(client: Client, body: unknown, key = freshKey()) =>
  client.post<T>(path, { body, headers: { "Idempotency-Key": key } })
const patch = <T = PaymentLink>(client: Client, id: string, body: unknown) =>
  client.request<T>("PATCH", `${path}/${id}`, { body })

const makeLink = async (client: Client, changes: Readonly<Record<string, unknown>> = {}) => {
  // Never paid by the simulator.
  const answer = await post<PaymentLink>(client, { title: "Oficina de cerâmica", amount: 12_901, ...changes })
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body
}
const linkNow = async (id: string) => (await seller.test.get<PaymentLink>(`${path}/${id}`)).body

const ana = { name: "Ana Souza", email: "ana@example.com", document: "529.982.247-25" }
let clients = 0

/** Sends the form of a link's page as a browser does, from an address of its own unless one is given. */
const submit = async (
  { url }: PaymentLink,
  fields: Readonly<Record<string, string>> = {},
  { accept = "text/html", address = `203.0.113.${++clients % 250}` } = {},
) => {
  const answer = await fetch(new URL(new URL(url).pathname, stage.service.url), {
    method: "POST",
    redirect: "manual",
    headers: { accept, "x-forwarded-for": address },
    body: new URLSearchParams({ ...ana, key: freshKey().replace(/\W/g, "").padEnd(20, "x"), ...fields }),
  })
  return { status: answer.status, location: answer.headers.get("location"), text: await answer.text() }
}
const open = async ({ url }: Pick<PaymentLink, "url">, accept = "text/html") => {
  const answer = await fetch(new URL(new URL(url).pathname, stage.service.url), { headers: { accept } })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}
const chargesOf = async (linkId: string) => {
  const { body } = await seller.test.get<Page<Transaction>>("/v1/transactions?limit=100")
  return body.data.filter(({ payment_link_id }) => payment_link_id === linkId)
}
const onlyCharge = async (linkId: string): Promise<Transaction> => {
  const [charge, ...others] = await chargesOf(linkId)
  if (charge === undefined || others.length > 0) throw new Error(`${others.length + 1} charges`)
  return charge
}
const act = (charge: Transaction, name: string) =>
  seller.test.post<Transaction>(`/v1/test/transactions/${charge.id}/${name}`)

describe("payment links by the API", () => {
  it("a link is answered whole, and the same request again makes no second one", async () => {
    const key = freshKey()
    const body = {
      ...{
        title: "Curso",
        description: "Turma de sábado",
        amount: 5000,
        payments_max: 2,
        reference: "curso-1",
      },
      ...{ return_url: "https://shop.example/obrigado", expires_at: "2099-12-31" },
    }
    const made = await post<PaymentLink>(seller.test, body, key)
    const again = await post<PaymentLink>(seller.test, body, key)
    expect([made.status, again.status, again.headers.get("idempotent-replayed")]).toEqual([201, 201, "true"])
    expect(again.body).toEqual(made.body)
    const { id, url, created_at, ...rest } = made.body
    expect(id).toMatch(/^plk_/)
    expect(new URL(url).pathname).toBe(`/l/${id.slice(4)}`)
    expect(Date.parse(created_at)).toBeGreaterThan(0)
    expect(rest).toEqual({
      ...{ object: "payment_link", mode: "test", active: true, ...body },
      ...{ amount_min: null, amount_max: null, expires_at: "2100-01-01T02:59:59.999Z" },
      ...{ payments: 0, paid_amount: 0, pending_payments: 0 },
    })
    expect(await linkNow(id)).toEqual(made.body)
  })

  it("a link without an amount has bounds, of which those left out are the widest", async () => {
    const open = await makeLink(seller.test, { amount: null })
    expect([open.amount, open.amount_min, open.amount_max]).toEqual([
      null,
      limits.amountMin,
      limits.amountMax,
    ])
    const bounded = await makeLink(seller.test, { amount: undefined, amount_min: 500 })
    expect([bounded.amount_min, bounded.amount_max]).toEqual([500, limits.amountMax])
  })

  it("a change keeps what it does not name, null takes away, and an amount and bounds replace each other", async () => {
    const link = await makeLink(seller.test, { reference: "r", description: "d", payments_max: 3 })
    const changed = await patch(seller.test, link.id, { title: "Outro", reference: null, amount_min: 200 })
    expect(changed.status).toBe(200)
    const bounds = { amount: null, amount_min: 200, amount_max: limits.amountMax }
    expect(changed.body).toEqual({ ...link, title: "Outro", reference: null, ...bounds })
    const back = await patch(seller.test, link.id, { amount: 700, active: false })
    expect(back.body).toMatchObject({ amount: 700, amount_min: null, amount_max: null, active: false })
    expect(await linkNow(link.id)).toEqual(back.body)
  })

  it("links are listed newest first in pages, by state, and in their mode alone", async () => {
    const { test, live } = await stage.newSeller()
    const made = [await makeLink(test), await makeLink(test, { active: false }), await makeLink(test)]
    const idsOf = (page: Page<PaymentLink>) => page.data.map(({ id }) => id)
    const all = newestFirst(made).map(({ id }) => id)
    const first = (await test.get<Page<PaymentLink>>(`${path}?limit=2`)).body
    const second = (await test.get<Page<PaymentLink>>(`${path}?limit=2&cursor=${first.next_cursor}`)).body
    expect([...idsOf(first), ...idsOf(second)]).toEqual(all)
    expect(second.next_cursor).toBeNull()
    const off = (await test.get<Page<PaymentLink>>(`${path}?active=false`)).body
    expect(idsOf(off)).toEqual([made[1]?.id])
    expect((await live.get<Page<PaymentLink>>(path)).body.data).toEqual([])
    expect((await live.get(`${path}/${made[0]?.id}`)).status).toBe(404)
    expect((await patch(live, made[0]?.id ?? "", { active: false })).status).toBe(404)
    const { cookie } = await signInAsSeller(stage.service, seller.id)
    const session = dashboardClient(stage.service.url, { cookie }, "test")
    const mine = await makeLink(seller.test)
    expect((await session.get<PaymentLink>(`/v1/me/payment-links/${mine.id}`)).body).toEqual(mine)
    expect((await session.get(`/v1/me/payment-links/${made[0]?.id}`)).status).toBe(404)
  })

  it.for([
    [{ title: "é".repeat(limits.paymentLinkTitleLengthMax) }, undefined],
    [{ title: "é".repeat(limits.paymentLinkTitleLengthMax + 1) }, "title"],
    [{ title: "" }, "title"],
    [{ description: "é".repeat(limits.chargeDescriptionLengthMax) }, undefined],
    [{ description: "é".repeat(limits.chargeDescriptionLengthMax + 1) }, "description"],
    [{ reference: "é".repeat(limits.chargeReferenceLengthMax) }, undefined],
    [{ reference: "é".repeat(limits.chargeReferenceLengthMax + 1) }, "reference"],
    [{ amount: limits.amountMin }, undefined],
    [{ amount: limits.amountMin - 1 }, "amount"],
    [{ amount: limits.amountMax }, undefined],
    [{ amount: limits.amountMax + 1 }, "amount"],
    [{ payments_max: 1 }, undefined],
    [{ payments_max: 0 }, "payments_max"],
    [{ payments_max: limits.paymentLinkPaymentsMax }, undefined],
    [{ payments_max: limits.paymentLinkPaymentsMax + 1 }, "payments_max"],
    [{ amount: undefined, amount_min: 500, amount_max: 500 }, undefined],
    [{ amount: undefined, amount_min: 500, amount_max: 499 }, "amount_max"],
    [{ amount_min: 500 }, "amount_min"],
    [{ expires_at: "2020-01-01T00:00:00Z" }, "expires_at"],
    [{ expires_at: "tomorrow" }, "expires_at"],
    [{ return_url: "http://shop.example" }, "return_url"],
  ] as const)("%j is refused at %s", async ([changes, param]) => {
    const { status, body } = await post<Partial<ErrorBody>>(seller.test, {
      ...{ title: "Curso", amount: 100 },
      ...changes,
    })
    expect([status, body.error?.param]).toEqual([param === undefined ? 201 : 400, param])
  })

  it("the audit log says which link was made and what was changed of it", async () => {
    const { test, id } = await stage.newSeller()
    const link = await makeLink(test, { title: "Rifa" })
    await patch(test, link.id, { title: "Rifa de Natal", active: false })
    const { cookie } = await signInAsSeller(stage.service, id)
    const session = dashboardClient(stage.service.url, { cookie }, "test")
    const log = await session.get<Page<SellerAuditEntry>>("/v1/me/audit?action=payment_link.*")
    expect(log.body.data.map(({ action, details }) => [action, details])).toEqual([
      ["payment_link.changed", { mode: "test", title: "Rifa de Natal", fields: "title active" }],
      ["payment_link.created", { mode: "test", title: "Rifa" }],
    ])
  })

  it("a mode has as many links as the limit says, and not one more", async () => {
    const { test, id: sellerId } = await stage.newSeller()
    const most = limits.paymentLinksPerModeMax
    const names = Array.from({ length: most - 1 }, (_, i) => ["0", `plk_${i}`]).flat()
    for (let i = 0; i < names.length; i += 2_000) {
      await stage.redis("ZADD", paymentLinksKey(sellerId, "test"), ...names.slice(i, i + 2_000))
    }
    expect((await post(test, { title: "Último", amount: 1 })).status).toBe(201)
    const { status, body } = await post(test, { title: "Um a mais", amount: 1 })
    expect([status, body.error.code]).toEqual([409, "invalid_state"])
  })
})

describe("payments through a link", () => {
  it("a payer's charge has what the link says, leads to its page, and counts once it is paid", async () => {
    const link = await makeLink(seller.test, { reference: "r-1", return_url: "https://shop.example/ok" })
    const page = await open(link)
    expect(page.status).toBe(200)
    expect(page.text).toContain("Oficina de cerâmica")
    expect(page.text).toContain("Modo de teste")
    expect(page.headers.get("content-security-policy")).toContain("form-action 'self'")
    const sent = await submit(link)
    expect([sent.status, sent.text]).toEqual([303, ""])
    const charge = await onlyCharge(link.id)
    expect(sent.location).toBe(`../pay/${charge.payment_url.split("/").at(-1)}`)
    expect(charge).toMatchObject({
      ...{ amount: 12_901, status: "pending", payment_link_id: link.id, show_on_page: true },
      ...{ reference: "r-1", description: "Oficina de cerâmica", return_url: "https://shop.example/ok" },
      customer: { ...ana, document: "52998224725", phone: null },
    })
    const lasts = Date.parse(charge.expires_at) - Date.parse(charge.created_at)
    expect(lasts).toBe(limits.paymentLinkChargeSeconds * 1000)
    expect(await linkNow(link.id)).toMatchObject({ payments: 0, pending_payments: 1 })

    await act(charge, "pay")
    const counts = { payments: 1, paid_amount: 12_901, pending_payments: 0 }
    expect(await linkNow(link.id)).toEqual({ ...link, ...counts })
    const [event] = (await allEvents(seller.test, "&types=payment_link.paid")).slice(-1)
    expect([event?.type, event?.internal]).toEqual(["payment_link.paid", false])
    expect(event?.data.object).toEqual({ ...link, ...counts, transaction_id: charge.id })
  })

  it("charges are listed, added up and exported by their link, with any other filter and for either credential", async () => {
    const link = await makeLink(seller.test)
    await submit(link)
    await submit(link, { name: "Bia Lima", email: "bia@example.com" })
    await submit(await makeLink(seller.test))
    const [bia, first] = newestFirst(await chargesOf(link.id))
    if (first === undefined || bia === undefined) throw new Error("no charges")
    await act(first, "pay")
    const { cookie } = await signInAsSeller(stage.service, seller.id)
    const session = dashboardClient(stage.service.url, { cookie }, "test")
    const credentials = [
      [seller.test, "/v1/transactions"],
      [session, "/v1/me/transactions"],
    ] as const
    for (const [client, charges] of credentials) {
      const idsOf = async (query: string, of = link.id) =>
        (await readAll<Transaction>(client, charges, `limit=1&payment_link_id=${of}${query}`)).map(
          ({ id }) => id,
        )
      expect(await idsOf("")).toEqual([bia.id, first.id])
      expect(await idsOf("&status=paid")).toEqual([first.id])
      expect(await idsOf("&status=expired")).toEqual([])
      expect(await idsOf("&q=bia")).toEqual([bia.id])
      expect(await idsOf(`&from=${bia.created_at}`)).toEqual([bia.id])
      expect(await idsOf("", "plk_01KA0000000700000000000000")).toEqual([])
      const totals = await client.get(`${charges}/summary?payment_link_id=${link.id}`)
      expect(totals.body).toMatchObject({ count: 2, amount: 25_802, gross: 12_901 })
      const lines = await client.get(`${charges}/export?format=ndjson&payment_link_id=${link.id}`)
      expect(
        lines.text
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line).id),
      ).toEqual([bia.id, first.id])
      const refused = await client.get<ErrorBody>(`${charges}?payment_link_id=`)
      expect([refused.status, refused.body.error.param]).toEqual([400, "payment_link_id"])
    }
    const { test: other } = await stage.newSeller()
    const foreign = await other.get<Page<Transaction>>(`/v1/transactions?payment_link_id=${link.id}`)
    expect(foreign.body.data).toEqual([])
  })

  it("the same form sent twice, also at once, makes one charge; with something else in it another", async () => {
    const link = await makeLink(seller.test)
    const key = "k".repeat(32)
    const [first, second] = await Promise.all([submit(link, { key }), submit(link, { key })])
    expect([first.status, second.status]).toEqual([303, 303])
    expect(second.location).toBe(first.location)
    expect((await submit(link, { key })).location).toBe(first.location)
    expect((await submit(link, { key, name: "Bia Lima" })).location).not.toBe(first.location)
    expect(await chargesOf(link.id)).toHaveLength(2)
  })

  it("a link for one is full while its charge is pending, free once that expires, and takes a late payment", async () => {
    const link = await makeLink(seller.test, { payments_max: 1 })
    const key = "f".repeat(32)
    const first = await submit(link, { key })
    const charge = await onlyCharge(link.id)
    const page = await open(link)
    expect([page.status, page.text.includes("Não há mais vagas")]).toEqual([409, true])
    expect((await submit(link)).status).toBe(409)
    expect((await submit(link, { key })).location, "its own payer is led on").toBe(first.location)
    await act(charge, "expire")
    await chargeWhen(seller.test, charge.id, "expired")
    expect((await submit(link)).status).toBe(303)
    const [next] = await chargesOf(link.id)
    if (next === undefined) throw new Error("no charge")
    await act(next, "pay")
    expect((await submit(link)).status).toBe(409)
    expect((await act(charge, "pay")).status).toBe(200)
    const now = await linkNow(link.id)
    expect(now).toMatchObject({ payments: 2, paid_amount: 2 * 12_901, pending_payments: 0 })
  })

  it.for([
    ["12,34", 1234],
    ["1.000", 100_000],
    ["R$ 5", 500],
    ["1.000,01", undefined],
    ["4,99", undefined],
    ["cinco", undefined],
    ["", undefined],
  ] as const)(
    "a payer who chooses %s between 5 and 1.000 reais pays %s centavos",
    async ([amount, centavos]) => {
      const link = await makeLink(seller.test, { amount: null, amount_min: 500, amount_max: 100_000 })
      const { status, text } = await submit(link, { amount })
      expect(status).toBe(centavos === undefined ? 400 : 303)
      if (centavos === undefined) expect(text).toMatch(/id="amount"[^>]*aria-invalid="true"/)
      else expect((await onlyCharge(link.id)).amount).toBe(centavos)
    },
  )

  it.for([
    ["name", "A"],
    ["name", "a\u0007b"],
    ["email", "ana"],
    ["document", "529.982.247-26"],
    ["document", "111.111.111-11"],
    ["document", "11.222.333/0001-82"],
  ] as const)(
    "a payer's %s %s is refused beside its field, and the rest stays typed",
    async ([field, value]) => {
      const link = await makeLink(seller.test)
      const { status, text } = await submit(link, { [field]: value })
      expect(status).toBe(400)
      expect(text).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"`))
      expect(text.match(/aria-invalid/g)).toHaveLength(1)
      if (field !== "email") expect(text).toContain('value="ana@example.com"')
      const { status: again, text: json } = await submit(link, { [field]: value }, { accept: "*/*" })
      expect([again, JSON.parse(json).error.param]).toEqual([400, field])
      expect(await chargesOf(link.id)).toEqual([])
    },
  )

  it("what a seller and a payer type is text on the page, whatever it is", async () => {
    const hostile = `<script>alert(1)</script>"'`
    const link = await makeLink(seller.test, { title: hostile, description: hostile })
    const { text } = await submit(link, { name: hostile, document: hostile })
    expect(text).not.toContain("<script>alert")
    expect(text).toContain("&lt;script&gt;")
  })

  it("an unknown, an inactive and an expired link say so, to people as a page and to programs as an error", async () => {
    const off = await makeLink(seller.test, { active: false })
    const unknown = { url: `${stage.service.url}/l/01KA0000000000000000000000` }
    const over = await makeLink(seller.test, { expires_at: new Date(Date.now() + 1_500).toISOString() })
    await new Promise((resolve) => setTimeout(resolve, 1_600))
    const cases = [
      [unknown, 404, "resource_not_found", "Link não encontrado"],
      [{ url: `${stage.service.url}/l/x` }, 404, "resource_not_found", "Link não encontrado"],
      [off, 409, "invalid_state", "não está recebendo"],
      [over, 409, "invalid_state", "expirou"],
    ] as const
    for (const [link, status, code, words] of cases) {
      const page = await open(link)
      expect([page.status, page.text.includes(words)]).toEqual([status, true])
      const json = await open(link, "application/json")
      expect([json.status, JSON.parse(json.text).error.code]).toEqual([status, code])
      const sent = await submit(link as PaymentLink)
      expect([sent.status, sent.text.includes(words)]).toEqual([status, true])
    }
  })

  it("a client makes as many charges as the limit says and not one more, and others go on", async () => {
    const link = await makeLink(seller.test)
    const address = "198.51.100.9"
    for (let i = 0; i < limits.paymentLinkChargesPerClientMax; i++) {
      expect((await submit(link, {}, { address })).status).toBe(303)
    }
    const refused = await submit(link, {}, { address })
    expect([refused.status, refused.text.includes("Muitas tentativas")]).toEqual([429, true])
    expect((await submit(link, {}, { address: "198.51.100.10" })).status).toBe(303)
  })

  it("a link makes as many charges a minute as the limit says, and not many more", async () => {
    const link = await makeLink(seller.test)
    const most = limits.paymentLinkChargesPerMinuteMax
    // A bucket is stored as when it is full again: all but one of its charges are made.
    const fullAt = Date.now() + ((most - 1) * 60_000) / most
    const bucket = rateKey(partitionOfId(link.id) ?? 0, `link:${link.id}`)
    await stage.redis("SET", bucket, fullAt.toFixed(3), "PX", 60_000)
    const answers = await Promise.all(Array.from({ length: 8 }, () => submit(link)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses).toContain(303)
    expect(statuses).toContain(429)
    expect((await submit(await makeLink(seller.test))).status, "through another link").toBe(303)
  })

  it("a body that is no form, or too large, is refused", async () => {
    const { url } = await makeLink(seller.test)
    const send = (body: string, type: string) =>
      fetch(url, { method: "POST", body, headers: { "content-type": type } })
    expect((await send("{}", "application/json")).status).toBe(415)
    const large = `name=${"a".repeat(limits.bodyBytesMax)}`
    expect((await send(large, "application/x-www-form-urlencoded")).status).toBe(413)
  })
})
