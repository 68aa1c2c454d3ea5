import { PNG } from "pngjs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import type { Brand } from "../../schema/resources/brand.ts"
import { signInAsSeller } from "../support/dashboard.ts"
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
/** A picture of so many bytes: what follows its end is part of no chunk, and of the file. */
const logoOfBytes = (bytes: number): string =>
  Buffer.concat([Buffer.from(logoOf(8, 8), "base64"), Buffer.alloc(bytes)])
    .subarray(0, bytes)
    .toString("base64")
const put = (body: unknown) => owner.send<Brand & ErrorBody>("PUT", path, body)

describe("a seller's brand", () => {
  it("is nothing at first, and is on payment pages and in the seller's log once it was set", async () => {
    expect((await owner.get(path)).body).toEqual({ logo: null, color: null })
    const charge = await makeCharge(shop.test)
    const pageOf = async () => (await fetch(charge.payment_url)).text()
    expect(await pageOf()).not.toContain("pay-logo")
    const brand = { logo: logoOf(120, 40), color: "#7A3CFF" }
    const saved = { ...brand, color: "#7a3cff" }
    expect((await put(brand)).body).toEqual(saved)
    expect((await owner.get(path)).body).toEqual(saved)
    const page = await pageOf()
    expect(page).toContain(`data:image/png;base64,${brand.logo}`)
    expect(page).toContain("--brand:#7a3cff")
    const log = await owner.get<Page<{ readonly details: object }>>(
      "/v1/me/audit?action=seller.brand_changed",
    )
    expect(log.body.data).toMatchObject([{ details: { has_logo: true, color: "#7A3CFF" } }])
    expect((await put({ logo: null, color: null })).body).toEqual({ logo: null, color: null })
    expect(await pageOf()).not.toContain("pay-logo")
  })

  it.each([
    ["a logo of the most bytes", { logo: logoOfBytes(limits.logoBytesMax), color: null }],
    ["a logo as wide as allowed", { logo: logoOf(limits.logoPixelsMax, 1), color: null }],
    ["black", { logo: null, color: "#000000" }],
  ])("takes %s", async (_, body) => {
    expect((await put(body)).status).toBe(200)
  })

  it.each([
    ["logo", "a byte more", { logo: logoOfBytes(limits.logoBytesMax + 1), color: null }],
    ["logo", "a pixel more", { logo: logoOf(limits.logoPixelsMax + 1, 1), color: null }],
    ["logo", "another kind of picture", { logo: Buffer.from("GIF89a").toString("base64"), color: null }],
    ["logo", "no base64", { logo: `${logoOf(8, 8)}<`, color: null }],
    ["logo", "no logo at all", { color: null }],
    ["color", "a word", { logo: null, color: "green" }],
    ["color", "more than a colour", { logo: null, color: "#0b6b58;}" }],
  ])("refuses at %s what is %s", async (param, _, body) => {
    const { status, body: answer } = await put(body)
    expect([status, answer.error.code, answer.error.param]).toEqual([400, "validation_failed", param])
  })
})
