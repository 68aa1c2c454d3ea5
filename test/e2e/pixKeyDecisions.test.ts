import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Counters } from "../../schema/resources/account.ts"
import type { AuditEntry } from "../../schema/resources/operator.ts"
import type { PixKey } from "../../schema/resources/pixKey.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { readAll } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { freshEmailKey, openPixShop, ownKeysPath, type PixShop } from "./support/pixKeys.ts"
import { openStage, type Stage } from "./support/stage.ts"

let stage: Stage
let operator: DashboardClient
beforeAll(async () => {
  stage = await openStage()
  operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
})
afterAll(() => stage?.close())

const decide = (id: string, act: "approve" | "refuse") =>
  operator.send<PixKey>("POST", `/v1/admin/pix-keys/${id}/${act}`)

/** How many live keys of a seller await approval. Drops the cached counters first. */
const countPending = async (shop: PixShop): Promise<number> => {
  for (const key of (await stage.redis("KEYS", "counters:*")) as ReadonlyArray<string>) {
    await stage.redis("DEL", key)
  }
  return (await shop.live.get<Counters>("/v1/me/counters")).body.pix_keys.pending_approval
}

/** How many of the answers have this status. */
const tally = (answers: ReadonlyArray<{ readonly status: number }>, status: number): number =>
  answers.filter((answer) => answer.status === status).length

describe("PIX keys that await approval", () => {
  it("PIX keys that await approval are counted until they are approved, refused or removed", async () => {
    const shop = await openPixShop(stage)
    const [first, second, third] = [
      await shop.live.register(),
      await shop.live.register(),
      await shop.live.register(),
    ]
    expect(await countPending(shop)).toBe(3)
    await decide(first.id, "approve")
    expect(await countPending(shop)).toBe(2)
    await decide(second.id, "refuse")
    expect(await countPending(shop)).toBe(1)
    await shop.live.remove(third.id)
    expect(await countPending(shop)).toBe(0)
  })

  it("one of 20 simultaneous decisions on a PIX key succeeds, and the others are 409", async () => {
    const shop = await openPixShop(stage)
    const { id } = await shop.live.register()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => decide(id, i % 2 === 0 ? "approve" : "refuse")),
    )
    expect([tally(answers, 200), tally(answers, 409)]).toEqual([1, 19])
    const { status } = answers.find((answer) => answer.status === 200)?.body ?? {}
    expect((await shop.live.list()).map((pixKey) => pixKey.status)).toEqual([status])
    // An act is on record before it is done, so a decision that then came too late may be there as well.
    const acts = (await readAll<AuditEntry>(operator, "/v1/admin/audit", "limit=100")).filter(
      ({ resource_id }) => resource_id === id,
    )
    expect(acts.map(({ action }) => action)).toContain(
      status === "verified" ? "pix_key.approved" : "pix_key.refused",
    )
  })

  it("one of 20 simultaneous registrations of the same PIX key succeeds, and the others are 409", async () => {
    const shop = await openPixShop(stage)
    const body = freshEmailKey()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => shop.live.send<PixKey>("POST", ownKeysPath, body)),
    )
    expect([tally(answers, 201), tally(answers, 409)]).toEqual([1, 19])
    expect(await shop.live.list()).toHaveLength(1)
  })
})
