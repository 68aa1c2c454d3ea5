import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { txidOf } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { InboxRecord } from "../../schema/resources/inbox.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { makeCharge } from "./support/charges.ts"
import { type ErrorBody, readAll } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { getRecord, noticeSettings, postNotice } from "./support/notices.ts"
import { openStage, type Stage } from "./support/stage.ts"

const inboxBytesMax = 512 * 1024

let stage: Stage
let operator: DashboardClient
beforeAll(async () => {
  // The simulator confirms nothing within a test, so notices of a charge that is never paid stay unprocessed.
  stage = await openStage({
    ...noticeSettings,
    SIMULATOR_DELAY_MS: "3600000",
    PARTITIONS: "2",
    INBOX_BYTES_MAX: String(inboxBytesMax),
  })
  operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
})
afterAll(() => stage?.close())

let lastTransfer = 0
/** A notice of `transfers` transfers to a charge, with `padding` bytes that nobody reads. */
const bodyOf = (chargeId: string, transfers: number, padding = 0): string =>
  JSON.stringify({
    pix: Array.from({ length: transfers }, () => ({
      endToEndId: `E${String(++lastTransfer).padStart(31, "0")}`,
      txid: txidOf(chargeId),
    })),
    padding: "x".repeat(padding),
  })

/** The memory that the inbox takes in Redis, in bytes. */
const bytesHeld = async (): Promise<number> => {
  const names = (await stage.redis("KEYS", "inb*")) as ReadonlyArray<string>
  const sizes = await Promise.all(names.map((name) => stage.redis("MEMORY", "USAGE", name, "SAMPLES", 0)))
  return sizes.reduce<number>((sum, size) => sum + Number(size), 0)
}

const recordsAbout = async (chargeId: string): Promise<ReadonlyArray<InboxRecord>> => {
  const all = await readAll<InboxRecord>(operator, "/v1/admin/inbox", "limit=100")
  return all.filter(({ transaction_id }) => transaction_id === chargeId)
}

describe("the inbox", () => {
  it("the inbox stores a body of 130 notices once, with a record of each notice", async () => {
    const { test } = await stage.newSeller()
    const { id } = await makeCharge(test, { amount: 1_001 })
    const before = await bytesHeld()
    const body = bodyOf(id, 130, 50_000)
    expect((await postNotice(stage, body)).text).toBe('{"received":true}')
    const records = await recordsAbout(id)
    expect(records).toHaveLength(130)
    for (const { id: recordId } of [records[0], records[129]] as ReadonlyArray<InboxRecord>) {
      expect((await getRecord(operator, recordId)).raw_body).toBe(body)
    }
    // A copy with each notice would take 9 MB.
    expect((await bytesHeld()) - before).toBeLessThan(130 * 1_500 + 2 * body.length)
    expect((await postNotice(stage, body)).text).toBe('{"received":true,"duplicate":true}')
    expect(await recordsAbout(id)).toHaveLength(130)
  })

  it("a full inbox refuses notices with 503 and Retry-After, and stays within its bound", async () => {
    const { test } = await stage.newSeller()
    const { id } = await makeCharge(test, { amount: 1_001 })
    const answers = []
    for (let i = 0; i < 20 && answers.at(-1)?.status !== 503; i++) {
      answers.push(await postNotice<ErrorBody>(stage, bodyOf(id, 20, 20_000)))
    }
    const refused = answers.at(-1)
    expect(refused?.status).toBe(503)
    expect(refused?.headers.get("retry-after")).toBe(String(limits.inboxFullRetrySeconds))
    expect(refused?.body.error.code).toBe("service_unavailable")
    expect(answers.length).toBeGreaterThan(1)
    expect(await bytesHeld()).toBeLessThan(1.2 * 2 * inboxBytesMax)
  })

  it("the inbox keeps little of megabytes of unsigned notices", async () => {
    const { test } = await stage.newSeller()
    const { id } = await makeCharge(test, { amount: 1_001 })
    const before = await bytesHeld()
    for (let i = 0; i < 2 * limits.unsignedNoticesMax; i++) {
      const answer = await postNotice(stage, bodyOf(id, 100, 200_000), { signature: "0".repeat(64) })
      expect(answer.status).toBe(401)
    }
    expect((await bytesHeld()) - before).toBeLessThan(limits.unsignedNoticesMax * 32 * 1024)
  })
})
