import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { sealedPlaces } from "../../actors/values/sealedPlaces.ts"
import type { Counters } from "../../schema/resources/account.ts"
import type { PixKey } from "../../schema/resources/pixKey.ts"
import { makeCipher } from "../../src/crypto/cipher.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import { pixKeyKey, sellerKey } from "../../src/store/keys.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import { freshEmailKey, freshPhoneKey, openPixShop, ownKeysPath, type PixShop } from "./support/pixKeys.ts"
import { openStage, type Stage } from "./support/stage.ts"
import { errorOf } from "./support/withdrawals.ts"

const cpf = "52998224725"

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage?.close())

const open = (options?: Parameters<Stage["newSeller"]>[0]) => openPixShop(stage, options)

/** Gives the seller a document, as an approved identification leaves it. */
const identify = (shop: PixShop, document: string) =>
  stage.redis(
    "HSET",
    sellerKey(shop.seller.id),
    "document",
    makeCipher(plainKey(stage.service.encryptionKey)).seal(
      document,
      sealedPlaces.sellerDocument(shop.seller.id),
    ),
  )

const ids = (keys: ReadonlyArray<PixKey>) => keys.map(({ id }) => id)

describe("a PIX key in test mode", () => {
  it("a test PIX key is verified at once, listed for withdrawals, and gone after its removal", async () => {
    const shop = await open({ kycStatus: "none" })
    const answer = await shop.test.send<PixKey>("POST", ownKeysPath, {
      type: "email",
      value: " Ana.Souza@Example.COM ",
    })
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^pk_[0-9A-Z]{26}$/),
        object: "pix_key",
        mode: "test",
        type: "email",
        value: "a***@example.com",
        status: "verified",
        created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
        verified_at: answer.body.created_at,
      },
    ])
    expect(await shop.test.list()).toEqual([answer.body])
    expect(await shop.usable("test")).toEqual([answer.body])
    const removed = await shop.test.remove(answer.body.id)
    expect([removed.status, removed.text]).toEqual([204, ""])
    expect(await shop.test.list()).toEqual([])
    expect(await shop.usable("test")).toEqual([])
  })

  it("a test PIX key may be anybody's CPF", async () => {
    const shop = await open({ kycStatus: "none" })
    const { status, value } = await shop.test.register({ type: "cpf", value: "123.456.789-09" })
    expect([status, value]).toEqual(["verified", "***.456.789-**"])
  })

  it("a test PIX key may be registered again after its removal, as a new one", async () => {
    const shop = await open()
    const body = freshEmailKey()
    const first = await shop.test.register(body)
    await shop.test.remove(first.id)
    const second = await shop.test.register(body)
    expect(second.id).not.toBe(first.id)
    expect(await shop.test.list()).toEqual([second])
  })
})

describe("a PIX key in live mode", () => {
  it("a live PIX key awaits approval, is not listed for withdrawals, and may be removed", async () => {
    const shop = await open()
    const pixKey = await shop.live.register()
    expect([pixKey.status, pixKey.mode, pixKey.verified_at]).toEqual(["pending_approval", "live", null])
    expect(await shop.live.list()).toEqual([pixKey])
    expect(await shop.usable("live")).toEqual([])
    expect((await shop.live.remove(pixKey.id)).status).toBe(204)
    expect(await shop.live.list()).toEqual([])
  })

  it.each(["none", "pending", "rejected"] as const)(
    "a live PIX key is refused while the seller's identification is %s",
    async (kycStatus) => {
      const shop = await open({ kycStatus })
      const refused = await shop.live.send("POST", ownKeysPath, { type: "cpf", value: "111.444.777-35" })
      expect(errorOf(refused)).toMatchObject({ status: 403, code: "kyc_required" })
      const malformed = await shop.live.send("POST", ownKeysPath, { type: "cpf", value: "1" })
      expect(errorOf(malformed)).toMatchObject({ status: 400, code: "validation_failed" })
      expect(await shop.live.list()).toEqual([])
    },
  )

  it("a live CPF or CNPJ key must be the seller's own document", async () => {
    const shop = await open()
    await identify(shop, cpf)
    for (const body of [
      { type: "cpf", value: "111.444.777-35" },
      { type: "cpf", value: "529.982.247-24" },
      { type: "cnpj", value: "11.444.777/0001-61" },
    ]) {
      const { status, body: refused, text } = await shop.live.send("POST", ownKeysPath, body)
      expect([status, refused.error.code, refused.error.param]).toEqual([400, "validation_failed", "value"])
      expect(text).not.toContain(body.value)
    }
    const own = await shop.live.register({ type: "cpf", value: "529.982.247-25" })
    expect([own.status, own.value]).toEqual(["pending_approval", "***.982.247-**"])
  })

  it("a live CPF key of a seller without a document is refused", async () => {
    const shop = await open()
    const refused = await shop.live.send("POST", ownKeysPath, { type: "cpf", value: cpf })
    expect(errorOf(refused)).toMatchObject({ status: 400, code: "validation_failed", param: "value" })
  })
})

describe("the registration of a PIX key", () => {
  it.each([
    [{ type: "cpf", value: "5299822472" }, "value"],
    [{ type: "cnpj", value: cpf }, "value"],
    [{ type: "email", value: "ana.example.com" }, "value"],
    [{ type: "phone", value: "11987654321" }, "value"],
    [{ type: "evp", value: "not-a-uuid" }, "value"],
    [{ type: "evp", value: "" }, "value"],
    [{ type: "email", value: `${"a".repeat(109)}@example.com` }, "value"],
    [{ type: "email", value: "joão@example.com" }, "value"],
    [{ type: "email", value: '"ana"@example.com' }, "value"],
    [{ type: "phone", value: "+5500987654321" }, "value"],
    [{ type: "phone", value: "+55119876543210" }, "value"],
    [{ type: "cpf", value: "529.982.247-24" }, "value"],
    [{ type: "cpf", value: "000.000.000-00" }, "value"],
    [{ type: "cnpj", value: "00000000000000" }, "value"],
    [{ type: "evp", value: "00000000-0000-0000-0000-000000000000" }, "value"],
    [{ type: "random", value: randomUUID() }, "type"],
    [{ type: "email" }, "value"],
    [{ value: "ana@example.com" }, "type"],
  ])("the registration of a PIX key refuses %j", async (body, param) => {
    const shop = await open()
    for (const dashboard of [shop.live, shop.test]) {
      const refused = await dashboard.send("POST", ownKeysPath, body)
      expect(errorOf(refused)).toMatchObject({ status: 400, code: "validation_failed", param })
    }
  })

  it("a PIX key value is taken once for each seller and mode, however it is spelled", async () => {
    const shop = await open()
    const { value } = freshPhoneKey()
    await shop.test.register({ type: "phone", value })
    const spelled = `${value.slice(0, 3)} (${value.slice(3, 5)}) ${value.slice(5, 10)}-${value.slice(10)}`
    const refused = await shop.test.send("POST", ownKeysPath, { type: "phone", value: spelled })
    expect(errorOf(refused)).toMatchObject({ status: 409, code: "invalid_state" })
    expect(refused.text).not.toContain(value)
    expect(await shop.test.list()).toHaveLength(1)
    await shop.live.register({ type: "phone", value })
    await (await open()).test.register({ type: "phone", value })
  })

  it("a seller registers at most 20 PIX keys in a mode, even with simultaneous requests", async () => {
    const shop = await open()
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => shop.test.send("POST", ownKeysPath, freshEmailKey())),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 20 }, () => 201),
      ...Array.from({ length: 5 }, () => 409),
    ])
    const kept = await shop.test.list()
    expect(kept).toHaveLength(20)
    await shop.live.register()
    await shop.test.remove(kept[0]?.id ?? "")
    await shop.test.register()
  })
})

describe("PIX keys", () => {
  it("PIX keys are listed newest first by seller and mode, and only verified ones for withdrawals", async () => {
    const shop = await open()
    const first = await shop.test.register()
    const second = await shop.test.register({ type: "evp", value: randomUUID() })
    const live = await shop.live.register()
    const other = await open()
    expect(ids(await shop.test.list())).toEqual([second.id, first.id])
    expect(await shop.usable("test")).toEqual([second, first])
    expect(ids(await shop.live.list())).toEqual([live.id])
    expect(await shop.usable("live")).toEqual([])
    expect([...(await other.test.list()), ...(await other.live.list())]).toEqual([])
    expect(await other.usable("test")).toEqual([])
  })

  it("removing a PIX key is 404 for another seller or mode, after its removal, and for an unknown id", async () => {
    const shop = await open()
    const other = await open()
    const pixKey = await shop.test.register()
    const gone = await shop.test.register()
    await shop.test.remove(gone.id)
    for (const answer of [
      await other.test.remove(pixKey.id),
      await shop.live.remove(pixKey.id),
      await shop.test.remove(gone.id),
      await shop.test.remove("pk_1"),
      await shop.test.remove(shop.seller.id),
    ]) {
      expect(errorOf(answer)).toMatchObject({ status: 404, code: "resource_not_found" })
    }
    expect(await shop.test.list()).toEqual([pixKey])
  })

  it("one of 20 simultaneous removals of a PIX key succeeds, and the others are 404", async () => {
    const shop = await open()
    const { id } = await shop.test.register()
    const answers = await Promise.all(Array.from({ length: 20 }, () => shop.test.remove(id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([
      204,
      ...Array.from({ length: 19 }, () => 404),
    ])
    expect(await shop.test.list()).toEqual([])
  })

  it("registering and removing a PIX key requires a step-up, and listing does not", async () => {
    const shop = await open()
    const pixKey = await shop.test.register()
    const session = await signInAsSeller(stage.service, shop.seller.id, { isSteppedUp: false })
    const dashboard = dashboardClient(stage.service.url, session, "test")
    for (const answer of [
      await dashboard.send("POST", ownKeysPath, freshEmailKey()),
      await dashboard.send("DELETE", `${ownKeysPath}/${pixKey.id}`),
    ]) {
      expect(errorOf(answer)).toMatchObject({ status: 403, code: "mfa_required" })
      expect(answer.headers.get("X-MFA-Step-Up")).toBe("required")
    }
    const listed = await dashboard.get<{ readonly data: ReadonlyArray<PixKey> }>(ownKeysPath)
    expect([listed.status, listed.body.data]).toEqual([200, [pixKey]])
  })

  it("PIX keys are masked in every answer and encrypted in Redis", async () => {
    const shop = await open()
    const body = freshPhoneKey()
    const texts: Array<string> = []
    for (const mode of ["live", "test"] as const) {
      const created = await shop[mode].send<PixKey>("POST", ownKeysPath, body)
      const twice = await shop[mode].send("POST", ownKeysPath, body)
      expect([created.status, twice.status]).toEqual([201, 409])
      const listed = await shop[mode].get(ownKeysPath)
      const usable = await shop.seller[mode].get("/v1/pix-keys")
      const record = await stage.redis("HGETALL", pixKeyKey(created.body.id))
      const sealed = await stage.redis("HGET", pixKeyKey(created.body.id), "value")
      expect(
        makeCipher(plainKey(stage.service.encryptionKey)).open(
          String(sealed),
          sealedPlaces.pixKeyValue(created.body.id),
        ),
      ).toBe(body.value)
      texts.push(created.text, twice.text, listed.text, usable.text, JSON.stringify(record))
    }
    for (const text of texts) expect(text).not.toContain(body.value.slice(1))
  })

  it("the counters count the live PIX keys that await approval, and none in test mode", async () => {
    const shop = await open()
    await shop.live.register()
    const removed = await shop.live.register()
    await shop.live.register()
    await shop.live.remove(removed.id)
    await shop.test.register()
    const counted = async (mode: "live" | "test") =>
      (await shop[mode].get<Counters>("/v1/me/counters")).body.pix_keys
    expect(await counted("live")).toEqual({ pending_approval: 2 })
    expect(await counted("test")).toEqual({ pending_approval: 0 })
  })
})
