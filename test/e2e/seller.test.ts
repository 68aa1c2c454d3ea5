import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Event } from "../../schema/resources/event.ts"
import { defaultSellerSettings, type SellerProfile } from "../../schema/resources/seller.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import type { ErrorBody, Page } from "./support/client.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import { requestsOn, rowsWhen, verify } from "./support/deliveries.ts"
import { openStage, receiverSettings, type Stage } from "./support/stage.ts"

const path = "/v1/me/seller"
const kycPath = "/v1/me/kyc"

let receiver: TlsReceiver
let stage: Stage
beforeAll(async () => {
  receiver = await startTlsReceiver()
  stage = await openStage(receiverSettings(receiver))
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

/** A seller without an identification, and its dashboard. */
const openShop = async (options: Parameters<Stage["newSeller"]>[0] = {}, isSteppedUp = true) => {
  const seller = await stage.newSeller({ kycStatus: "none", ...options })
  const session = await signInAsSeller(stage.service, seller.id, { isSteppedUp })
  return { seller, dashboard: dashboardClient(stage.service.url, session) }
}
type Shop = Awaited<ReturnType<typeof openShop>>

/** The events about the seller itself in both feeds, oldest first; they must be the same. */
const sellerEvents = async ({ seller }: Shop) => {
  const feeds = await Promise.all(
    [seller.live, seller.test].map(async (client) => {
      const { body } = await client.get<Page<Event>>("/v1/events?types=seller.*&limit=100")
      return body.data.toReversed()
    }),
  )
  const [live = [], test = []] = feeds.map((events) =>
    events.map(({ type, data }) => ({ type, seller: data.object })),
  )
  expect(live).toEqual(test)
  return live
}

describe("the seller profile", () => {
  it("the seller profile is alike in both modes for a session, and refused to an API key", async () => {
    const shop = await openShop({ name: "Padaria São João" })
    const { status, body } = await shop.dashboard.get<SellerProfile>(path)
    expect(status).toBe(200)
    expect(body).toEqual({
      id: shop.seller.id,
      object: "seller",
      name: "Padaria São João",
      document: null,
      status: "active",
      kyc_status: "none",
      payout_locked_until: null,
      settings: defaultSellerSettings,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    const inTest = await shop.dashboard.request("GET", path, { headers: { "X-Mode": "test" } })
    expect(inTest.body).toEqual(body)
    const byKey = await shop.seller.live.get<ErrorBody>(path)
    expect([byKey.status, byKey.body.error.code]).toEqual([401, "session_required"])
  })

  it("renaming a seller answers the new profile and adds seller.updated to both feeds", async () => {
    const shop = await openShop()
    const { status, body } = await shop.dashboard.send<SellerProfile>("PATCH", path, { name: "Nova Loja" })
    expect([status, body.name]).toEqual([200, "Nova Loja"])
    expect((await shop.dashboard.get(path)).body).toEqual(body)
    expect(await sellerEvents(shop)).toEqual([{ type: "seller.updated", seller: body }])
  })

  it("a new password may not be the seller's name and numbers, once it is renamed too", async () => {
    const shop = await openShop({ name: "Padaria São João" })
    const refusalOf = async (newPassword: string) => {
      const body = { currentPassword: "not the password", newPassword }
      const answer = await shop.dashboard.send<ErrorBody>("POST", "/v1/me/auth/change-password", body)
      return `${answer.status} ${answer.body.error.param ?? answer.body.error.code}`
    }
    expect(await refusalOf("Padaria.Sao.Joao.26")).toBe("400 newPassword")
    expect(await refusalOf("CasaAurora123456")).toBe("401 invalid_credentials")
    expect((await shop.dashboard.send("PATCH", path, { name: "Casa Aurora" })).status).toBe(200)
    expect(await refusalOf("CasaAurora123456")).toBe("400 newPassword")
  })

  it("a seller patch that changes nothing adds no event", async () => {
    const shop = await openShop({ name: "Loja" })
    for (const patch of [{}, { name: "Loja" }, { unknown: 1 }]) {
      const { status, body } = await shop.dashboard.send<SellerProfile>("PATCH", path, patch)
      expect([status, body.name]).toEqual([200, "Loja"])
    }
    expect(await sellerEvents(shop)).toEqual([])
  })

  it.each([
    [{ name: "" }, "name"],
    [{ name: "x".repeat(121) }, "name"],
    [{ name: null }, "name"],
    [{ name: 5 }, "name"],
  ])("the seller profile refuses %j", async (patch, param) => {
    const { dashboard } = await openShop()
    const { status, body } = await dashboard.send("PATCH", path, patch)
    expect([status, body.error.code, body.error.param]).toEqual([400, "validation_failed", param])
  })

  it("a seller's name may have 120 characters", async () => {
    const { dashboard } = await openShop()
    const name = "ã".repeat(120)
    expect((await dashboard.send<SellerProfile>("PATCH", path, { name })).body.name).toBe(name)
  })

  it("changing the profile and submitting an identification require a step-up", async () => {
    const shop = await openShop({}, false)
    for (const answer of [
      await shop.dashboard.send("PATCH", path, { name: "Other" }),
      await shop.dashboard.send("POST", kycPath, { document: "52998224725", legal_name: "Ana" }),
    ]) {
      expect([answer.status, answer.body.error.code]).toEqual([403, "mfa_required"])
      expect(answer.headers.get("x-mfa-step-up")).toBe("required")
    }
    expect(await sellerEvents(shop)).toEqual([])
  })

  it("a profile change is delivered to an endpoint subscribed to seller.updated", async () => {
    const url = `${receiver.origin}/seller`
    const shop = await openShop({ endpoints: [{ url, events: ["seller.updated"], mode: "live" }] })
    const { body } = await shop.dashboard.send<SellerProfile>("PATCH", path, { name: "Nova Loja" })
    await rowsWhen(shop.seller.live, (rows) => rows.length === 1)
    const [request] = requestsOn(receiver, "/seller")
    if (request === undefined) throw new Error("nothing was delivered")
    verify(request, shop.seller.endpoints[0]?.secret ?? "")
    expect(JSON.parse(request.body)).toMatchObject({
      type: "seller.updated",
      mode: "live",
      data: { object: body },
    })
  })
})

describe("a seller that was approved without a document", () => {
  it("a seller approved without a document sets one once, and then registers it as a PIX key", async () => {
    const shop = await openShop({ kycStatus: "approved" })
    const pixKey = () =>
      shop.dashboard.send("POST", "/v1/me/pix-keys", { type: "cpf", value: "529.982.247-25" })
    expect((await pixKey()).status).toBe(400)
    const patch = (document: string) => shop.dashboard.send<SellerProfile>("PATCH", path, { document })
    const set = await patch("529.982.247-25")
    expect([set.status, set.body.document, set.body.kyc_status]).toEqual([200, "***.982.247-**", "approved"])
    expect((await patch("52998224725")).status).toBe(200)
    const other = await shop.dashboard.send("PATCH", path, { document: "123.456.789-09" })
    expect([other.status, other.body.error.code, other.body.error.param]).toEqual([
      409,
      "invalid_state",
      "document",
    ])
    expect(await sellerEvents(shop)).toEqual([{ type: "seller.updated", seller: set.body }])
    expect((await pixKey()).status).toBe(201)
  })

  it("a seller approved without a document cannot set one with wrong check digits", async () => {
    const { dashboard } = await openShop({ kycStatus: "approved" })
    const { status, body } = await dashboard.send("PATCH", path, { document: "529.982.247-24" })
    expect([status, body.error.code, body.error.param]).toEqual([400, "validation_failed", "document"])
  })
})

describe("a seller's identification", () => {
  it.each([
    ["529.982.247-25", "52998224725", "***.982.247-**"],
    ["11.222.333/0001-81", "11222333000181", "**.222.333/0001-**"],
    ["12.abc.345/01de-35", "12ABC34501DE35", "**.ABC.345/01DE-**"],
  ])(
    "an identification by %s is pending, masked in answer and event, and unreadable in Redis",
    async (document, bare, masked) => {
      const shop = await openShop()
      const input = { document, legal_name: "Ana Souza Ltda." }
      const { status, body, text } = await shop.dashboard.send<SellerProfile>("POST", kycPath, input)
      expect([status, body.kyc_status, body.document]).toEqual([200, "pending", masked])
      expect(text).not.toContain(bare)
      const events = await sellerEvents(shop)
      expect(events).toEqual([{ type: "seller.updated", seller: body }])
      const stored = JSON.stringify(await stage.redis("HGETALL", await sellerKeyOf(shop.seller.id)))
      expect(stored).toContain("Ana Souza Ltda.")
      expect(stored).not.toContain(bare)
    },
  )

  it.each([
    { document: "529.982.247-24" },
    { document: "11.222.333/0001-80" },
    { document: "111.111.111-11" },
    { document: "5299822472" },
    { document: 52_998_224_725 },
    {},
  ])("an identification in test mode is refused with %j", async (fields) => {
    const { dashboard } = await openShop()
    const { status, body } = await dashboard.request<ErrorBody>("POST", kycPath, {
      headers: { "X-Mode": "test" },
      body: { legal_name: "Ana", ...fields },
    })
    expect([status, body.error.code, body.error.param]).toEqual([400, "validation_failed", "document"])
    expect((await dashboard.get<SellerProfile>(path)).body.kyc_status).toBe("none")
  })

  it("an identification without a legal name is refused", async () => {
    const { dashboard } = await openShop()
    const { status, body } = await dashboard.send("POST", kycPath, { document: "52998224725" })
    expect([status, body.error.param]).toEqual([400, "legal_name"])
  })

  it.each([
    ["rejected", 200],
    ["pending", 200],
    ["approved", 409],
  ] as const)(
    "an identification submitted by a seller that is %s is answered with %i",
    async (kycStatus, wanted) => {
      const shop = await openShop({ kycStatus })
      const input = { document: "52998224725", legal_name: "Ana" }
      const answer = await shop.dashboard.send("POST", kycPath, input)
      expect(answer.status).toBe(wanted)
      if (wanted === 409) expect(answer.body.error.code).toBe("invalid_state")
      const { body } = await shop.dashboard.get<SellerProfile>(path)
      expect(body.kyc_status).toBe(wanted === 409 ? "approved" : "pending")
    },
  )
})

const sellerKeyOf = async (sellerId: string): Promise<string> => {
  const [key] = (await stage.redis("KEYS", `seller:*:${sellerId}`)) as ReadonlyArray<string>
  if (key === undefined) throw new Error(`no ${sellerId} in Redis`)
  return key
}
