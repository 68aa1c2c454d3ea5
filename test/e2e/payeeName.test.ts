import { hasError, isDynamicPix, parsePix } from "pix-utils"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { PaymentLink } from "../../schema/resources/paymentLink.ts"
import type { SellerProfile } from "../../schema/resources/seller.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { signInAsOperator, signInAsSeller } from "../support/dashboard.ts"
import { makeCharge } from "./support/charges.ts"
import { eventually } from "./support/client.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import { openStage, type Stage } from "./support/stage.ts"

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ PIX_MERCHANT_NAME: "CORRENTE" })
})
afterAll(() => stage?.close())

const merchantIn = ({ pix }: Transaction): string => {
  const parsed = parsePix(pix.payload)
  if (hasError(parsed) || !isDynamicPix(parsed)) throw new Error(JSON.stringify(parsed))
  return parsed.merchantName
}

/** The seller as the page of a charge names it. */
const namedOnPage = async (charge: Transaction): Promise<string> => {
  const { pathname } = new URL(charge.payment_url ?? "")
  const html = await (await fetch(`${stage.service.url}${pathname}`)).text()
  const named = /<h1 id="seller">(.*?)<\/h1>/s.exec(html)?.[1] ?? ""
  return named.replace(/<[^>]+>/g, "")
}

describe("the name that payers see", () => {
  it("payers see the approved legal name, and a later display name only beside it and never in the code", async () => {
    const seller = await stage.newSeller({ kycStatus: "none", name: "Loja da Ana" })
    const dashboard = dashboardClient(stage.service.url, await signInAsSeller(stage.service, seller.id))
    const operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
    const before = await makeCharge(seller.test)
    expect([merchantIn(before), await namedOnPage(before)]).toEqual(["CORRENTE", "Loja da Ana"])

    const kyc = { document: "52998224725", legal_name: "Ana São João Souza Comércio Ltda" }
    const submitted = await dashboard.send<SellerProfile>("POST", "/v1/me/kyc", kyc)
    expect(submitted.body.legal_name).toBe(kyc.legal_name)
    const pending = await makeCharge(seller.test)
    expect([merchantIn(pending), await namedOnPage(pending)]).toEqual(["CORRENTE", "Loja da Ana"])

    const path = `/v1/admin/sellers/${seller.id}/kyc`
    expect((await operator.send("POST", path, { status: "approved" })).status).toBe(200)
    const code = "Ana Sao Joao Souza Comerci"
    // Actors hear of changes by hints, a moment later.
    const approved = await eventually("a code with the approved name", async () => {
      const charge = await makeCharge(seller.test)
      return merchantIn(charge) === "CORRENTE" ? undefined : charge
    })
    expect(merchantIn(approved)).toBe(code.slice(0, 25))
    expect(await namedOnPage(approved)).toBe(`Loja da Ana (${kyc.legal_name})`)
    expect(await namedOnPage(before)).toBe(`Loja da Ana (${kyc.legal_name})`)
    expect(merchantIn(await makeCharge(seller.live))).toBe(code.slice(0, 25))

    await dashboard.send("PATCH", "/v1/me/seller", { name: "Banco do Povo" })
    const renamed = await makeCharge(seller.test)
    expect(merchantIn(renamed)).toBe(code.slice(0, 25))
    expect(await namedOnPage(renamed)).toBe(`Banco do Povo (${kyc.legal_name})`)

    await dashboard.send("PATCH", "/v1/me/seller", { name: kyc.legal_name })
    expect(await namedOnPage(renamed)).toBe(kyc.legal_name)
  })

  it("payers see the name that the brand has, on pages, links and receipts, beside the approved one and never in the code", async () => {
    const seller = await stage.newSeller({ kycStatus: "none", name: "Conta 12" })
    const dashboard = dashboardClient(stage.service.url, await signInAsSeller(stage.service, seller.id))
    const operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
    const brand = { logo: null, color: null, payer_name: "Padaria & Café" }
    expect((await dashboard.send("PUT", "/v1/me/brand", brand)).status).toBe(200)
    const test = await makeCharge(seller.test)
    expect([merchantIn(test), await namedOnPage(test)]).toEqual(["CORRENTE", "Padaria &amp; Café"])

    const kyc = { document: "52998224725", legal_name: "Ana Souza Ltda" }
    await dashboard.send("POST", "/v1/me/kyc", kyc)
    await operator.send("POST", `/v1/admin/sellers/${seller.id}/kyc`, { status: "approved" })
    const charge = await eventually("a code with the approved name", async () => {
      const made = await makeCharge(seller.live)
      return merchantIn(made) === "CORRENTE" ? undefined : made
    })
    expect(merchantIn(charge)).toBe("Ana Souza Ltda")
    const seenByOperator = async () =>
      (await operator.get<SellerProfile>(`/v1/admin/sellers/${seller.id}`)).body.payer_name
    expect(await seenByOperator()).toBe("Padaria & Café")
    const shown = "Padaria &amp; Café (Ana Souza Ltda)"
    expect(await namedOnPage(charge)).toBe(shown)
    await seller.test.post(`/v1/test/transactions/${test.id}/pay`)
    const { pathname } = new URL(test.payment_url ?? "")
    const receipt = await (await fetch(`${stage.service.url}${pathname}/receipt`)).text()
    expect(receipt.replace(/<[^>]+>/g, "")).toContain("Ana Souza Ltda Padaria &amp; Café")
    expect(receipt).toContain("<dd><bdi>Ana Souza Ltda</bdi></dd>")
    const link = await seller.test.post<PaymentLink>("/v1/payment-links", {
      body: { title: "Bolo", amount: 100 },
      headers: { "Idempotency-Key": "bolo" },
    })
    const page = await (await fetch(`${stage.service.url}${new URL(link.body.url).pathname}`)).text()
    expect(page.replace(/<[^>]+>/g, "")).toContain(shown)

    await dashboard.send("PUT", "/v1/me/brand", { ...brand, payer_name: "Ana Souza Ltda" })
    expect(await namedOnPage(charge)).toBe("Ana Souza Ltda")
    await dashboard.send("PUT", "/v1/me/brand", { ...brand, payer_name: null })
    expect(await namedOnPage(charge)).toBe("Conta 12 (Ana Souza Ltda)")
    expect(await seenByOperator()).toBeUndefined()
  })

  it("a seller approved without a legal name keeps the approved one beside a brand's", async () => {
    const seller = await stage.newSeller({ kycStatus: "approved", name: "Loja da Bia" })
    const dashboard = dashboardClient(stage.service.url, await signInAsSeller(stage.service, seller.id))
    await dashboard.send("PUT", "/v1/me/brand", { logo: null, color: null, payer_name: "Banco do Povo" })
    expect(await namedOnPage(await makeCharge(seller.live))).toBe("Banco do Povo (Loja da Bia)")
  })

  it("a seller approved without a legal name keeps its approved name beside a new one", async () => {
    const seller = await stage.newSeller({ kycStatus: "approved", name: "Loja da Bia" })
    const dashboard = dashboardClient(stage.service.url, await signInAsSeller(stage.service, seller.id))
    const before = await makeCharge(seller.test)
    expect([merchantIn(before), await namedOnPage(before)]).toEqual(["CORRENTE", "Loja da Bia"])
    const { body } = await dashboard.send<SellerProfile>("PATCH", "/v1/me/seller", { name: "Banco do Povo" })
    expect(body.legal_name).toBe("Loja da Bia")
    expect(await namedOnPage(before)).toBe("Banco do Povo (Loja da Bia)")
    await dashboard.send("PATCH", "/v1/me/seller", { name: "Outra Loja" })
    expect(await namedOnPage(before)).toBe("Outra Loja (Loja da Bia)")
  })

  it("a receipt goes on naming the same payee after the brand has another name", async () => {
    const seller = await stage.newSeller({ kycStatus: "none", name: "Loja da Ana" })
    const dashboard = dashboardClient(stage.service.url, await signInAsSeller(stage.service, seller.id))
    const charge = await makeCharge(seller.test)
    await seller.test.post(`/v1/test/transactions/${charge.id}/pay`)
    const { pathname } = new URL(charge.payment_url ?? "")
    const payees = () =>
      Promise.all(
        ["", "/receipt"].map(async (ending) => {
          const html = await (await fetch(`${stage.service.url}${pathname}${ending}`)).text()
          return /<dt>(?:Recebedor|Para)<\/dt><dd><bdi>(.*?)<\/bdi>/.exec(html)?.[1]
        }),
      )
    expect(await payees()).toEqual(["Loja da Ana", "Loja da Ana"])
    const brand = { logo: null, color: null, payer_name: "Bolos da Marina" }
    expect((await dashboard.send("PUT", "/v1/me/brand", brand)).status).toBe(200)
    expect(await payees()).toEqual(["Loja da Ana", "Loja da Ana"])
    const receipt = await (await fetch(`${stage.service.url}${pathname}/receipt`)).text()
    expect(receipt.replace(/<[^>]+>/g, "")).toContain("Loja da Ana Bolos da Marina")
  })
})
