import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { OperatorPixKey } from "../../schema/api/pixKeys.ts"
import type { AuditEntry } from "../../schema/resources/operator.ts"
import type { PixKey } from "../../schema/resources/pixKey.ts"
import { type DashboardSession, signInAsOperator } from "../support/dashboard.ts"
import {
  type Answer,
  alteredCursors,
  type ErrorBody,
  newestFirst,
  type Page,
  readAll,
} from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { freshPhoneKey, openPixShop, type PixShop } from "./support/pixKeys.ts"
import { openStage, type Stage } from "./support/stage.ts"
import { errorOf, fund, postWithdrawal, withdraw } from "./support/withdrawals.ts"

const path = "/v1/admin/pix-keys"

let stage: Stage
let session: DashboardSession
let operator: DashboardClient
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "50" })
  session = await signInAsOperator(stage.service)
  operator = dashboardClient(stage.service.url, session)
})
afterAll(() => stage?.close())

/** A seller with a live key that awaits approval. */
const newPending = async (options?: Parameters<Stage["newSeller"]>[0]) => {
  const shop = await openPixShop(stage, options)
  return { shop, pixKey: await shop.live.register() }
}

const decide = <T = OperatorPixKey>(
  act: "approve" | "refuse",
  { id }: Pick<PixKey, "id">,
  body?: unknown,
): Promise<Answer<T>> => operator.send<T>("POST", `${path}/${id}/${act}`, body)

/** What operators did to a key, newest first. */
const actsOn = async ({ id }: Pick<PixKey, "id">) => {
  const { body } = await operator.get<Page<AuditEntry>>("/v1/admin/audit?limit=100")
  return body.data.filter(({ resource_id }) => resource_id === id)
}

const actOf = (pixKey: PixKey, action: string, details: object) => ({
  id: expect.any(String),
  action,
  operator_id: session.userId,
  resource_type: "pix_key",
  resource_id: pixKey.id,
  details,
  created_at: expect.any(String),
  ip_address: expect.any(String),
})

/** A seller's key as operators see it. */
const shownTo = (shop: PixShop, pixKey: PixKey): OperatorPixKey => ({
  ...pixKey,
  seller_id: shop.seller.id,
  seller_name: "Loja de teste",
})

describe("an operator's decision on a PIX key", () => {
  it("an operator approves a PIX key, which can then be withdrawn to", async () => {
    const { shop, pixKey } = await newPending()
    await fund(shop.seller.live, 20_000)
    const early = await postWithdrawal(shop.seller.live, { amount: 5_000, pix_key_id: pixKey.id })
    expect(errorOf(early)).toMatchObject({ status: 409, code: "pix_key_not_verified" })

    const { status, body } = await decide("approve", pixKey, { reason: "a known holder" })
    const verified = {
      ...pixKey,
      status: "verified" as const,
      verified_at: expect.stringMatching(/^\d{4}-.*Z$/),
    }
    expect([status, body]).toEqual([200, shownTo(shop, verified)])
    expect(await shop.live.list()).toEqual([verified])
    expect(await shop.usable("live")).toEqual([verified])
    expect(await actsOn(pixKey)).toEqual([actOf(pixKey, "pix_key.approved", { reason: "a known holder" })])
    const withdrawal = await withdraw(shop.seller.live, pixKey.id, 5_000)
    expect(withdrawal.pix_key).toEqual({ type: pixKey.type, value: pixKey.value })
  })

  it("an operator refuses a PIX key, which its seller still sees and may register again", async () => {
    const shop = await openPixShop(stage)
    const value = freshPhoneKey()
    const pixKey = await shop.live.register(value)
    const { status, body } = await decide("refuse", pixKey, { reason: "another holder" })
    const refused = { ...pixKey, status: "refused" as const, verified_at: null }
    expect([status, body]).toEqual([200, shownTo(shop, refused)])
    expect(await shop.live.list()).toEqual([refused])
    expect(await shop.usable("live")).toEqual([])
    expect(await actsOn(pixKey)).toEqual([actOf(pixKey, "pix_key.refused", { reason: "another holder" })])

    const again = await shop.live.register(value)
    expect((await shop.live.remove(pixKey.id)).status).toBe(204)
    expect(await shop.live.list()).toEqual([again])
    // Removing the refused one did not free the value.
    const third = await shop.live.send("POST", "/v1/me/pix-keys", value)
    expect(errorOf(third)).toMatchObject({ status: 409, code: "invalid_state" })
  })

  it.each([
    ["no body", undefined],
    ["an empty object", {}],
    ["a reason of 500 characters", { reason: "x".repeat(500) }],
  ])("an operator approves a PIX key with %s", async (_, body) => {
    const { pixKey } = await newPending()
    expect((await decide("approve", pixKey, body)).status).toBe(200)
    expect(await actsOn(pixKey)).toEqual([actOf(pixKey, "pix_key.approved", body ?? {})])
  })

  it.each([
    ["a reason of 501 characters", { reason: "x".repeat(501) }],
    ["a number as reason", { reason: 5 }],
    ["unfinished JSON", "{"],
    ["a list", "[]"],
  ])("an operator's decision on a PIX key with %s is refused", async (_, body) => {
    const { shop, pixKey } = await newPending()
    for (const act of ["approve", "refuse"] as const) {
      const answer = await decide<ErrorBody>(act, pixKey, body)
      expect(errorOf(answer)).toMatchObject({ status: 400, code: "validation_failed" })
    }
    expect(await shop.live.list()).toEqual([pixKey])
    expect(await actsOn(pixKey)).toEqual([])
  })

  it("an operator decides a PIX key once, and none that is verified, removed or unknown", async () => {
    const { shop, pixKey } = await newPending()
    await decide("refuse", pixKey)
    const ofTest = await shop.test.register()
    const removed = await shop.live.register()
    await shop.live.remove(removed.id)
    for (const [key, status] of [
      [pixKey, "refused"],
      [ofTest, "verified"],
      [removed, "removed"],
    ] as const) {
      for (const act of ["approve", "refuse"] as const) {
        const answer = await decide<ErrorBody>(act, key)
        const refused = { status: 409, code: "invalid_state", details: { status } }
        expect(errorOf(answer)).toMatchObject(refused)
      }
    }
    expect(await actsOn(pixKey)).toEqual([actOf(pixKey, "pix_key.refused", {})])
    expect([...(await actsOn(ofTest)), ...(await actsOn(removed))]).toEqual([])
    for (const id of ["pk_1", shop.seller.id, pixKey.id.replace("pk_", "wd_")]) {
      const unknown = await decide<ErrorBody>("approve", { id })
      expect(errorOf(unknown)).toMatchObject({ status: 404, code: "resource_not_found" })
    }
  })

  it("an operator without a step-up neither decides nor lists PIX keys", async () => {
    const { shop, pixKey } = await newPending()
    const other = await signInAsOperator(stage.service, { isSteppedUp: false })
    const client = dashboardClient(stage.service.url, other)
    for (const answer of [
      await client.send("POST", `${path}/${pixKey.id}/approve`),
      await client.send("POST", `${path}/${pixKey.id}/refuse`),
      await client.send("GET", path),
    ]) {
      expect(errorOf(answer)).toMatchObject({ status: 403, code: "mfa_required" })
      expect(answer.headers.get("X-MFA-Step-Up")).toBe("required")
    }
    expect(await shop.live.list()).toEqual([pixKey])
    expect(await actsOn(pixKey)).toEqual([])
  })
})

describe("the operators' list of PIX keys", () => {
  const read = (query: string) => readAll<OperatorPixKey>(operator, path, query)

  it("the operators' list of PIX keys has all live ones awaiting approval, newest first, page by page", async () => {
    const pending: Array<OperatorPixKey> = []
    for (const partition of [3, 40, 3, 17]) {
      const { shop, pixKey } = await newPending({ partition })
      await shop.test.register()
      pending.unshift(shownTo(shop, pixKey))
    }
    const all = await read("limit=100")
    // Keys of other tests are older.
    expect(all.slice(0, pending.length)).toEqual(pending)
    for (const { mode, status } of all) expect([mode, status]).toEqual(["live", "pending_approval"])
    expect(await read("limit=3")).toEqual(all)
    expect(await read("limit=1&mode=live&status=pending_approval")).toEqual(all)
  })

  it("the operators' list of PIX keys filters by status and mode", async () => {
    const { shop, pixKey } = await newPending()
    const ofTest = await shop.test.register()
    await decide("approve", pixKey)
    const isOurs = ({ seller_id }: OperatorPixKey) => seller_id === shop.seller.id
    const found = async (query: string) => (await read(query)).filter(isOurs).map(({ id }) => id)
    expect(await found("status=pending_approval")).toEqual([])
    expect(await found("status=verified")).toEqual([pixKey.id])
    expect(await found("status=verified&mode=test")).toEqual([ofTest.id])
    expect(await found("status=refused")).toEqual([])
    await shop.live.remove(pixKey.id)
    expect(await found("status=verified")).toEqual([])
    expect(await found("status=removed")).toEqual([pixKey.id])
  })

  it("the operators' list of one seller's PIX keys has every status but removed, newest first", async () => {
    const { shop, pixKey: first } = await newPending()
    const second = await shop.live.register()
    const removed = await shop.live.register()
    await shop.live.remove(removed.id)
    await decide("refuse", first)
    const listed = async (filter: string) => {
      const found = await readAll<OperatorPixKey>(operator, path, `seller_id=${shop.seller.id}${filter}`)
      return found.map(({ id, status }) => [id, status])
    }
    expect(await listed("&limit=1")).toEqual(
      newestFirst([first, second]).map(({ id }) => [id, id === first.id ? "refused" : "pending_approval"]),
    )
    expect(await listed("&status=refused")).toEqual([[first.id, "refused"]])
    expect(await listed("&mode=test")).toEqual([])
    expect((await operator.get<Page<OperatorPixKey>>(`${path}?seller_id=x`)).body.data).toEqual([])
  })

  it("the operators' list of PIX keys refuses altered cursors and those of another filter", async () => {
    await newPending()
    await newPending()
    const { body } = await operator.get<Page<OperatorPixKey>>(`${path}?limit=1`)
    const cursor = body.next_cursor ?? ""
    expect(cursor).not.toBe("")
    const refusals = [
      ...alteredCursors(cursor).map((altered) => `limit=1&cursor=${altered}`),
      `status=verified&cursor=${cursor}`,
      `mode=test&cursor=${cursor}`,
    ]
    const answers = await Promise.all(refusals.map((query) => operator.get<ErrorBody>(`${path}?${query}`)))
    for (const [i, answer] of answers.entries()) {
      expect([refusals[i], errorOf(answer).code]).toEqual([refusals[i], "invalid_cursor"])
    }
  })

  it.each(["status=pending", "mode=prod", "limit=0", "limit=101"])(
    "the operators' list of PIX keys refuses %s",
    async (query) => {
      const answer = await operator.get<ErrorBody>(`${path}?${query}`)
      const param = query.split("=")[0]
      expect(errorOf(answer)).toMatchObject({ status: 400, code: "validation_failed", param })
    },
  )

  it("PIX key values are masked for operators, and absent from the operators' log", async () => {
    const shop = await openPixShop(stage)
    const value = freshPhoneKey()
    const pixKey = await shop.live.register(value)
    const listed = await operator.get(`${path}?limit=100`)
    const approved = await decide("approve", pixKey)
    const audited = await operator.get("/v1/admin/audit?limit=100")
    expect(listed.text).toContain(pixKey.id)
    for (const { text } of [listed, approved, audited]) expect(text).not.toContain(value.value.slice(1))
  })
})
