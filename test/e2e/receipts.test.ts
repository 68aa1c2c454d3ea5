import { PNG } from "pngjs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { partitionOfId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { Refund } from "../../schema/resources/refund.ts"
import type { SellerAuditEntry } from "../../schema/resources/sellerAudit.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import type { Withdrawal } from "../../schema/resources/withdrawal.ts"
import { rateKey } from "../../src/store/keys.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { type MailServer, startMailServer } from "../support/mailServer.ts"
import { readPdf } from "../support/pdfText.ts"
import { makePixKey } from "../support/pixKey.ts"
import { makeCharge } from "./support/charges.ts"
import { type ErrorBody, eventually, type Page } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { paidCharge, refund, refundWhen } from "./support/refunds.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"
import { withdraw, withdrawalWhen } from "./support/withdrawals.ts"

const payer = {
  name: "João da Conceição 🎉 Łukasz",
  email: "joao@example.com",
  document: "529.982.247-25",
  phone: "+5511999990000",
}

let mailServer: MailServer
let stage: Stage
let seller: Seller
let session: DashboardClient
let charge: Transaction
let refunded: Refund
let withdrawal: Withdrawal
let pixKey: string
let asSession: Readonly<Record<string, string>>

const pay = (changes: Readonly<Record<string, unknown>> = {}) =>
  paidCharge(seller.test, 123_456, { customer: payer, ...changes })

beforeAll(async () => {
  mailServer = await startMailServer()
  stage = await openStage({ SIMULATOR_DELAY_MS: "50", SMTP_URL: mailServer.url })
  seller = await stage.newSeller()
  const signedIn = await signInAsSeller(stage.service, seller.id)
  asSession = { cookie: signedIn.cookie, "x-mode": "test" }
  session = dashboardClient(stage.service.url, signedIn, "test")
  pixKey = await makePixKey(stage, seller, "test")
  charge = await pay()
  refunded = await refundWhen(
    seller.test,
    (await refund(seller.test, charge.id, { amount: 1_003, reason: "Troca interna" })).id,
    "succeeded",
  )
  const asked = await withdraw(seller.test, pixKey, 10_000, { description: "Março" })
  await seller.test.post(`/v1/test/withdrawals/${asked.id}/approve`)
  withdrawal = await withdrawalWhen(seller.test, asked.id, "successful")
})
afterAll(async () => {
  await stage?.close()
  await mailServer?.stop()
})

const pathOf = (of: Transaction, ending: "" | ".pdf" = "") =>
  `/pay/${of.payment_url.slice(of.payment_url.lastIndexOf("/") + 1)}/receipt${ending}`

const fetched = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
  const response = await fetch(stage.service.url + path, { headers })
  const bytes = new Uint8Array(await response.arrayBuffer())
  return { status: response.status, headers: response.headers, bytes, text: new TextDecoder().decode(bytes) }
}
const asKey = () => ({ authorization: `Bearer ${seller.keys.test}` })
const browser = { accept: "text/html" }

/** What payers must not see of a charge. */
const hiddenOf = ({ fee, net_amount, metadata }: Transaction) => [
  "52998224725",
  payer.document,
  payer.email,
  payer.phone,
  "segredo-da-loja",
  "Troca interna",
  ...[fee, net_amount]
    .filter((amount) => amount > 0 && amount !== 123_456)
    .map((amount) => (amount / 100).toFixed(2).replace(".", ",")),
  ...Object.values(metadata).map(String),
]

const sum = "R$ 1.234,56"
const plain = (text: string) => text.replaceAll("\u00a0", " ")

describe("the receipt of a payment", () => {
  it("its page says what was paid, by whom, when and by which Pix, and nothing else of the charge", async () => {
    await session.send("POST", `/v1/me/transactions/${charge.id}/notes`, { text: "segredo-da-loja" })
    const { status, headers, text } = await fetched(pathOf(charge), browser)
    expect(status).toBe(200)
    expect(headers.get("cache-control")).toBe("no-store")
    expect(headers.get("content-security-policy")).toContain("default-src 'none'")
    for (const part of [
      "Comprovante de pagamento",
      sum,
      payer.name,
      "***.982.247-**",
      charge.end_to_end_id ?? "none",
      "horário de Brasília",
      "Modo de teste",
    ]) {
      expect(plain(text)).toContain(part)
    }
    for (const hidden of hiddenOf(charge)) expect(text).not.toContain(hidden)
  })

  it("its PDF is read back with amount, names, masked document and Pix id, and nothing that payers must not see", async () => {
    const { status, headers, bytes } = await fetched(pathOf(charge, ".pdf"))
    expect([status, headers.get("content-type")]).toEqual([200, "application/pdf"])
    expect(headers.get("content-disposition")).toBe(`inline; filename="comprovante-${charge.id}.pdf"`)
    const { text, title, pages, pictures } = await readPdf(bytes)
    expect([title, pages, pictures]).toEqual(["Comprovante de pagamento", 1, 0])
    for (const part of [
      sum,
      "João da Conceição Lukasz",
      "***.982.247-**",
      charge.end_to_end_id ?? "none",
      "Devolvido até agora",
      "R$ 10,03",
    ]) {
      expect(text).toContain(part)
    }
    for (const hidden of hiddenOf(charge)) expect(text).not.toContain(hidden)
  })

  it("is in English where the browser asks for it", async () => {
    const accepted = { "accept-language": "en" }
    const { text } = await readPdf((await fetched(pathOf(charge, ".pdf"), accepted)).bytes)
    expect(text).toContain("Payment receipt")
    expect((await fetched(pathOf(charge), { ...browser, ...accepted })).text).toContain("Payment receipt")
  })

  it("shows the seller's order and description only where the seller wants payers to see them", async () => {
    const order = { reference: "A-1001", description: "Assinatura de março" }
    const [shown, kept] = [await pay({ ...order, show_on_page: true }), await pay(order)]
    for (const [of, isShown] of [
      [shown, true],
      [kept, false],
    ] as const) {
      const { text } = await readPdf((await fetched(pathOf(of, ".pdf"))).bytes)
      expect([text.includes("A-1001"), text.includes("Assinatura de março")]).toEqual([isShown, isShown])
    }
  })

  it("has the seller's logo and colour, until they are taken away", async () => {
    const logo = PNG.sync.write(new PNG({ width: 64, height: 32 })).toString("base64")
    for (const [brand, pictures] of [
      [{ logo, color: "#7a3cff" }, 1],
      [{ logo: null, color: null }, 0],
    ] as const) {
      const set = await session.send("PUT", "/v1/me/brand", brand)
      expect(set.status).toBe(200)
      const { status, bytes: pdf } = await fetched(pathOf(charge, ".pdf"))
      expect(status).toBe(200)
      expect(await readPdf(pdf)).toMatchObject({ pictures, title: "Comprovante de pagamento" })
      const hasColor = (await fetched(pathOf(charge), browser)).text.includes("--brand:#7a3cff")
      expect(hasColor).toBe(pictures === 1)
    }
  })

  it("is not there before the charge is paid, nor of a token that leads to no charge", async () => {
    const pending = await makeCharge(seller.test, { customer: payer, amount: 12_302 })
    for (const ending of ["", ".pdf"] as const) {
      const unpaid = await fetched(pathOf(pending, ending))
      expect([unpaid.status, JSON.parse(unpaid.text).error.code]).toEqual([409, "invalid_state"])
      const unknown = await fetched(`/pay/${"x".repeat(43)}/receipt${ending}`)
      expect([unknown.status, JSON.parse(unknown.text).error.code]).toEqual([404, "resource_not_found"])
    }
    const page = await fetched(pathOf(pending), browser)
    expect([page.status, page.text.includes("Ainda não há comprovante")]).toEqual([409, true])
    expect((await fetched(`/pay/${"x".repeat(43)}/receipt`, browser)).status).toBe(404)
  })

  it("the payment page leads to it once the charge is paid", async () => {
    const page = await fetched(pathOf(charge).replace(/\/receipt$/, ""), browser)
    expect(page.text).toContain(`href="${pathOf(charge).replace("/pay/", "")}"`)
    const pending = await makeCharge(seller.test, { customer: payer, amount: 12_302 })
    const before = await fetched(pathOf(pending).replace(/\/receipt$/, ""), browser)
    expect(before.text).not.toContain("/receipt")
  })
})

describe("receipts of refunds and withdrawals", () => {
  it("a refund's PDF has its amount, payer and return id, and neither reason nor fee", async () => {
    for (const [path, headers] of [
      [`/v1/refunds/${refunded.id}/receipt.pdf`, asKey()],
      [`/v1/me/refunds/${refunded.id}/receipt.pdf`, asSession],
    ] as const) {
      const { status, bytes } = await fetched(path, headers)
      expect(status).toBe(200)
      const { text } = await readPdf(bytes)
      for (const part of [
        "Comprovante de devolução",
        "R$ 10,03",
        sum,
        "João da Conceição Lukasz",
        "***.982.247-**",
        refunded.return_id ?? "none",
        charge.end_to_end_id ?? "none",
      ]) {
        expect(text).toContain(part)
      }
      for (const hidden of hiddenOf(charge)) expect(text).not.toContain(hidden)
    }
  })

  it("a withdrawal's PDF has its amount, masked key, fee and Pix id", async () => {
    for (const [path, headers] of [
      [`/v1/withdrawals/${withdrawal.id}/receipt.pdf?locale=en`, asKey()],
      [`/v1/me/withdrawals/${withdrawal.id}/receipt.pdf?locale=en`, asSession],
    ] as const) {
      const { text } = await readPdf((await fetched(path, headers)).bytes)
      for (const part of [
        "Transfer receipt",
        "R$100.00",
        withdrawal.pix_key.value,
        "Março",
        withdrawal.id,
        withdrawal.end_to_end_id ?? "none",
      ]) {
        expect(text.replaceAll("R$ ", "R$")).toContain(part)
      }
    }
  })

  it("what has not ended well has no receipt, and nobody else's is found", async () => {
    const waiting = await withdraw(seller.test, pixKey, 100)
    const refused = await seller.test.get<ErrorBody>(`/v1/withdrawals/${waiting.id}/receipt.pdf`)
    expect([refused.status, refused.body.error.code]).toEqual([409, "invalid_state"])
    const other = await stage.newSeller()
    for (const path of [`/v1/refunds/${refunded.id}`, `/v1/withdrawals/${withdrawal.id}`]) {
      for (const client of [other.test, seller.live]) {
        expect((await client.get<ErrorBody>(`${path}/receipt.pdf`)).status).toBe(404)
      }
    }
    const wrong = await seller.test.get<ErrorBody>(`/v1/refunds/${refunded.id}/receipt.pdf?locale=fr`)
    expect([wrong.status, wrong.body.error.param]).toEqual([400, "locale"])
  })
})

describe("mailed receipts", () => {
  const send = (id: string, body: object, kind = "transactions", client = seller.test) =>
    client.post<ErrorBody>(`/v1/${kind}/${id}/receipt/send`, { body })
  const mailTo = (address: string) =>
    eventually(`a mail to ${address}`, async () => mailServer.mails.find(({ to }) => to.includes(address)))

  it("a mail has what the receipt says, its PDF, and the link to its page where it has one", async () => {
    const { status, body } = await send(charge.id, { email: "a@example.com" })
    expect([status, body]).toEqual([202, { status: true }])
    const mail = await mailTo("a@example.com")
    expect(mail.subject).toContain("Comprovante de pagamento")
    expect(mail.text).toContain(charge.end_to_end_id ?? "none")
    expect(mail.text).toContain(`${charge.payment_url}/receipt`)
    for (const hidden of hiddenOf(charge)) expect(mail.text).not.toContain(hidden)
    const [file] = mail.attachments
    expect([file?.name, file?.type]).toEqual([`comprovante-${charge.id}.pdf`, "application/pdf"])
    expect((await readPdf(file?.bytes ?? new Uint8Array())).text).toContain(sum)

    await session.send("POST", `/v1/me/refunds/${refunded.id}/receipt/send`, {
      email: "b@example.com",
      locale: "en",
    })
    expect((await mailTo("b@example.com")).subject).toContain("Refund receipt")
    expect((await send(withdrawal.id, { email: "c@example.com" }, "withdrawals")).status).toBe(202)
    expect((await mailTo("c@example.com")).text).toContain(withdrawal.pix_key.value)
  })

  it("the seller's audit log says who mailed which receipt, and shows no payer's address", async () => {
    const { id } = await pay()
    await send(id, { email: "fatima@example.com" })
    await session.send("POST", `/v1/me/transactions/${id}/receipt/send`, { email: "contador@example.com" })
    const log = await session.get<Page<SellerAuditEntry>>("/v1/me/audit?action=receipt.sent")
    expect(log.text).not.toContain("fatima@")
    const [newest, before] = log.body.data
    expect(newest).toMatchObject({
      ...{ resource_type: "transaction", resource_id: id, actor: { type: "user" } },
      details: { email: "c***@example.com", mode: "test" },
    })
    expect(before).toMatchObject({
      resource_id: id,
      actor: { type: "api_key" },
      details: { email: "f***@example.com" },
    })
  })

  it.for([
    ["no address", {}],
    ["a word", { email: "ana" }],
    ["two addresses", { email: "a,b@example.com" }],
    ["a name with an address", { email: "Ana<ana@example.com>" }],
  ] as const)("%s is refused", async ([_, body]) => {
    const answer = await send(charge.id, body)
    expect([answer.status, answer.body.error.param]).toEqual([400, "email"])
  })

  it("a charge that was not paid has no receipt to mail", async () => {
    const { id } = await makeCharge(seller.test, { amount: 12_302 })
    const answer = await send(id, { email: "a@example.com" })
    expect([answer.status, answer.body.error.code]).toEqual([409, "invalid_state"])
  })

  it("a receipt is mailed so often within an hour, by whichever credential, and no oftener", async () => {
    const { id } = await pay()
    for (let i = 0; i < limits.receiptMailsPerHour; i++) {
      const client = i % 2 === 0 ? seller.test : undefined
      const { status } =
        client === undefined
          ? await session.send("POST", `/v1/me/transactions/${id}/receipt/send`, { email: "d@example.com" })
          : await send(id, { email: "d@example.com" })
      expect(status).toBe(202)
    }
    const refused = await send(id, { email: "d@example.com" })
    expect([refused.status, refused.body.error.code]).toEqual([429, "rate_limited"])
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(600)
    expect((await send((await pay()).id, { email: "d@example.com" })).status).toBe(202)
  })

  it("a seller's receipts are mailed so often within an hour, whichever they are, and no oftener", async () => {
    const [last, beyond] = [await pay(), await pay()]
    const perMailMillis = (60 * 60 * 1_000) / limits.receiptMailsPerSellerPerHour
    // The bucket with all but one of its tokens taken: when it is full again.
    const key = rateKey(partitionOfId(seller.id) ?? 0, `receipts:${seller.id}`)
    const fullAt = Date.now() + (limits.receiptMailsPerSellerPerHour - 1) * perMailMillis
    await stage.redis("SET", key, String(fullAt), "PX", 3_600_000)
    expect((await send(last.id, { email: "e@example.com" })).status).toBe(202)
    expect((await send(beyond.id, { email: "e@example.com" })).status).toBe(429)
    await stage.redis("DEL", key)
  })
})
