import { PNG } from "pngjs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import type { Brand } from "../../schema/resources/brand.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { chunksOf, pngOfBytes, withChunk } from "../support/pngs.ts"
import { makeCharge } from "./support/charges.ts"
import type { ErrorBody, Page } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"

let stage: Stage
let shop: Seller
let owner: DashboardClient
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "600000" })
  shop = await stage.newSeller()
  owner = dashboardClient(stage.service.url, await signInAsSeller(stage.service, shop.id))
})
afterAll(() => stage?.close())

const path = "/v1/me/brand"
const logoOf = (width: number, height: number): string =>
  PNG.sync.write(new PNG({ width, height })).toString("base64")
/** A small file whose head says that it is this wide. */
const promised = (width: number): string => {
  const file = Buffer.from(logoOf(8, 8), "base64")
  file.writeUInt32BE(width, 16)
  return file.toString("base64")
}
const cut = Buffer.from(logoOf(64, 64), "base64").subarray(0, -16)
const none: Brand = { logo: null, color: null, payer_name: null }
const put = (body: unknown) => owner.send<Brand & ErrorBody>("PUT", path, body)

describe("a seller's brand", () => {
  it("is nothing at first, and is on payment pages and in the seller's log once it was set", async () => {
    expect((await owner.get(path)).body).toEqual(none)
    const charge = await makeCharge(shop.test)
    const pageOf = async () => (await fetch(charge.payment_url)).text()
    expect(await pageOf()).not.toContain("pay-logo")
    const brand = { logo: logoOf(120, 40), color: "#7A3CFF", payer_name: "Loja da Ana" }
    const { body: saved } = await put(brand)
    expect(saved).toEqual({ ...brand, logo: saved.logo, color: "#7a3cff" })
    expect((await owner.get(path)).body).toEqual(saved)
    const page = await pageOf()
    expect(page).toContain(`data:image/png;base64,${saved.logo}`)
    expect(page).toContain("--brand:#7a3cff")
    expect(page).toContain("Loja da Ana")
    const log = await owner.get<Page<{ readonly details: object }>>(
      "/v1/me/audit?action=seller.brand_changed",
    )
    expect(log.body.data).toMatchObject([
      { details: { has_logo: true, color: "#7a3cff", payer_name: "Loja da Ana" } },
    ])
    expect((await put({ logo: null, color: null })).body).toEqual({ ...none, payer_name: "Loja da Ana" })
    expect(await pageOf()).not.toContain("pay-logo")
    expect((await put(none)).body).toEqual(none)
    expect(await pageOf()).not.toContain("Loja da Ana")
  })

  it("a logo is written anew: nothing but its pixels is kept, and setting it again changes nothing", async () => {
    const plain = PNG.sync.write(new PNG({ width: 24, height: 8 }))
    const secret = Buffer.from("Comment\0<script>alert(1)</script>")
    const file = Buffer.concat([withChunk(plain, "tEXt", secret), Buffer.from("trailing")])
    const { body: saved } = await put({ ...none, logo: file.toString("base64") })
    const kept = Buffer.from(saved.logo ?? "", "base64")
    expect(chunksOf(kept)).toEqual({ names: ["IHDR", "IDAT", "IEND"], rest: 0 })
    expect(PNG.sync.read(kept).data).toEqual(PNG.sync.read(plain).data)
    const feed = async () => (await owner.get<Page<unknown>>("/v1/me/events?types=seller.updated")).body.data
    const before = await feed()
    expect((await put(saved)).body).toEqual(saved)
    expect(await feed()).toEqual(before)
  })

  it.each([
    ["a logo of the most bytes", { ...none, logo: pngOfBytes(limits.logoBytesMax).toString("base64") }],
    ["a logo as wide as allowed", { ...none, logo: logoOf(limits.logoPixelsMax, 1) }],
    ["a logo as large as allowed", { ...none, logo: logoOf(limits.logoPixelsMax, limits.logoPixelsMax) }],
    ["black", { ...none, color: "#000000" }],
    ["a colour of just enough contrast", { ...none, color: "#949494" }],
    ["the longest name", { ...none, payer_name: "a".repeat(limits.payerNameLengthMax) }],
  ])("takes %s", async (_, body) => {
    expect((await put(body)).status).toBe(200)
  })

  it.each([
    ["logo", "a byte more", { ...none, logo: pngOfBytes(limits.logoBytesMax + 1).toString("base64") }],
    ["logo", "a pixel more", { ...none, logo: logoOf(limits.logoPixelsMax + 1, 1) }],
    ["logo", "a head that promises gigabytes", { ...none, logo: promised(65_535) }],
    ["logo", "a head that promises no pixels", { ...none, logo: promised(0) }],
    ["logo", "a picture that ends early", { ...none, logo: cut.toString("base64") }],
    ["logo", "another kind of picture", { ...none, logo: Buffer.from("GIF89a").toString("base64") }],
    ["logo", "no base64", { ...none, logo: `${logoOf(8, 8)}<` }],
    ["logo", "no logo at all", { color: null }],
    ["color", "a word", { ...none, color: "green" }],
    ["color", "more than a colour", { ...none, color: "#0b6b58;}" }],
    ["color", "a colour of a little less contrast", { ...none, color: "#959595" }],
    ["payer_name", "a letter more", { ...none, payer_name: "a".repeat(limits.payerNameLengthMax + 1) }],
    ["payer_name", "parentheses", { ...none, payer_name: "Loja (Banco do Brasil)" }],
    ["payer_name", "a direction mark", { ...none, payer_name: "Loja \u202e" }],
    ["payer_name", "no text", { ...none, payer_name: 1 }],
  ])("refuses at %s what is %s", async (param, _, body) => {
    const { status, body: answer } = await put(body)
    expect([status, answer.error.code, answer.error.param]).toEqual([400, "validation_failed", param])
  })

  it("a colour that is too light is told its contrast", async () => {
    const { body } = await put({ ...none, color: "#ffe600" })
    expect(body.error.message).toContain("at least 3 to 1, and is 1.26 to 1")
  })
})
