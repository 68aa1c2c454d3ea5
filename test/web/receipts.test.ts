import { readFile } from "node:fs/promises"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { partitionOfId } from "../../schema/ids.ts"
import type { SellerPerson } from "../e2e/support/accountPeople.ts"
import { chargeWhen, makeCharge } from "../e2e/support/charges.ts"
import { refund, refundWhen } from "../e2e/support/refunds.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import { fund, withdraw, withdrawalWhen } from "../e2e/support/withdrawals.ts"
import { readPdf } from "../support/pdfText.ts"
import { makePixKey } from "../support/pixKey.ts"
import {
  axe,
  type Cockpit,
  describePages,
  expectLooksRight,
  openCockpit,
  picture,
} from "./support/cockpit.ts"
import { pressSubmit } from "./support/forms.ts"

describePages("notes and receipts", () => {
  let cockpit: Cockpit
  let seller: SellerPerson
  beforeAll(async () => {
    cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "50" })
    seller = await cockpit.seller()
  })
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  const client = () => clientsOf(cockpit.stage.service.url, seller).test
  const customer = { name: "Fátima Al-Rashid", email: "fatima@example.com", document: "529.982.247-25" }
  const makePaid = async (amount: number) => {
    const { id } = await makeCharge(client(), { amount, customer })
    return chargeWhen(client(), id, "paid")
  }

  it("a note is added to a charge's page, stands first after a reload, and is deleted once that is confirmed", async () => {
    const charge = await makePaid(104_700)
    const page = await cockpit.open(`/app/charges/${charge.id}`, { as: seller })
    const add = async (text: string, count: number) => {
      await page.getByTestId("note-text").fill(text)
      await page.getByRole("button", { name: "Adicionar nota" }).click()
      await page
        .getByTestId("note")
        .nth(count - 1)
        .waitFor()
    }
    await add("Pediu a troca 🎁\nligar às 15h", 1)
    await add("Trocado.", 2)
    expect(await page.getByTestId("note-text").inputValue()).toBe("")
    await page.reload()
    await page.getByTestId("note").nth(1).waitFor()
    const texts = await page.getByTestId("note").locator(".note-text").allInnerTexts()
    expect(texts).toEqual(["Trocado.", "Pediu a troca 🎁\nligar às 15h"])
    expect(await axe(page)).toEqual([])
    await expectLooksRight(page, "charge-notes")
    await page.getByRole("button", { name: "Excluir nota" }).first().click()
    await page.getByTestId("submit").click()
    await page.getByText("Nota excluída.").waitFor()
    expect(await page.getByTestId("note").count()).toBe(1)
    await page.context().close()
  })

  it("a paid charge's receipt is mailed from its page, and seen by its payer", async () => {
    const charge = await makePaid(20_000)
    const page = await cockpit.open(`/app/charges/${charge.id}`, { as: seller })
    await page.getByTestId("receipt-open").click()
    expect(await page.getByTestId("receipt-email").inputValue()).toBe(customer.email)
    await expectLooksRight(page, "receipt-dialog")
    const link = (await page.getByTestId("receipt-see").getAttribute("href")) ?? ""
    expect(link).toBe(`${charge.payment_url}/receipt`)
    await pressSubmit(page)
    await page.getByText(`Comprovante enviado para ${customer.email}.`).waitFor()
    await page.goto(link)
    await page.getByTestId("receipt-amount").waitFor()
    expect(await axe(page)).toEqual([])
    await expectLooksRight(page, "receipt-page")
    await page.emulateMedia({ media: "print" })
    expect(await page.getByTestId("receipt-pdf").isVisible()).toBe(false)
    await picture(page, "receipt-print")
    await page.context().close()
  })

  it("a refund's receipt is mailed from its charge's page to the payer", async () => {
    const charge = await makePaid(25_000)
    await refundWhen(client(), (await refund(client(), charge.id, { amount: 1_000 })).id, "succeeded")
    const page = await cockpit.open(`/app/charges/${charge.id}`, { as: seller })
    await page.getByTestId("refund-row").getByTestId("receipt-open").click()
    expect(await page.getByTestId("receipt-email").inputValue()).toBe(customer.email)
    await page.context().close()
  })

  it("the receipts of a refund and of a withdrawal are saved as PDFs", async () => {
    const charge = await makePaid(30_000)
    const { id: refundId } = await refundWhen(
      client(),
      (await refund(client(), charge.id, { amount: 1_000 })).id,
      "succeeded",
    )
    await fund(client(), 50_000)
    const { sellerId } = seller
    const pixKey = await makePixKey(
      cockpit.stage,
      { id: sellerId, partition: partitionOfId(sellerId) ?? 0 },
      "test",
    )
    const withdrawal = await withdrawalWhen(
      client(),
      (await withdraw(client(), pixKey, 10_000)).id,
      "successful",
    )
    for (const [path, part] of [
      [`/app/refunds?id=${refundId}`, "Comprovante de devolução"],
      [`/app/withdrawals/${withdrawal.id}`, "Comprovante de transferência"],
    ] as const) {
      const page = await cockpit.open(path, { as: seller })
      await page.getByTestId("receipt-open").waitFor()
      await expectLooksRight(page, part.includes("dev") ? "refund-receipt" : "withdrawal-receipt")
      await page.getByTestId("receipt-open").click()
      const downloading = page.waitForEvent("download")
      await page.getByTestId("receipt-save").click()
      const { text } = await readPdf(await readFile(await (await downloading).path()))
      expect(text).toContain(part)
      await page.context().close()
    }
  })
})
