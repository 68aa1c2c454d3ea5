import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Event } from "../../schema/resources/event.ts"
import type { Withdrawal } from "../../schema/resources/withdrawal.ts"
import { allEvents, chargeWhen, makeCharge } from "../e2e/support/charges.ts"
import { type Client, type Page, readAll } from "../e2e/support/client.ts"
import { openStage, type Stage } from "../e2e/support/stage.ts"
import { fund } from "../e2e/support/withdrawals.ts"
import { makePixKey } from "../support/pixKey.ts"
import { until } from "../support/until.ts"
import { runExample, startExample } from "./runExample.ts"

let folder: string
let stage: Stage
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "corrente-test-examples-"))
  stage = await openStage({ SIMULATOR_DELAY_MS: "50" })
})
afterAll(async () => {
  await stage?.close()
  rmSync(folder, { recursive: true, force: true })
})

let files = 0
const newFile = () => join(folder, `file-${files++}`)

const settingsOf = (client: Client) => ({ API_KEY: client.key ?? "", API_URL: client.origin })

const linesOf = (file: string): ReadonlyArray<string> => readFileSync(file, "utf8").trim().split("\n")
const keptIn = (file: string) => linesOf(file).map((line) => JSON.parse(line) as Event)

const paidCharge = async (client: Client) => {
  const { id } = await makeCharge(client)
  await chargeWhen(client, id, "paid")
  return id
}

describe("examples/follow-events.mjs", () => {
  it("follow-events.mjs keeps every event once, in order, also those that happen while it is dead", async () => {
    const { test } = await stage.newSeller()
    const [file, checkpoint] = [newFile(), newFile()]
    const settings = { ...settingsOf(test), EVENTS_FILE: file, CHECKPOINT_FILE: checkpoint }
    const before = startExample("follow-events.mjs", settings)
    await before.printed("following")
    const first = await paidCharge(test)
    await before.printed(`2 transaction.paid ${first}`)
    await before.kill9()

    const missed = await paidCharge(test)
    const after = startExample("follow-events.mjs", settings)
    await after.printed(`4 transaction.paid ${missed}`)
    const later = await paidCharge(test)
    await after.printed(`6 transaction.paid ${later}`)
    await after.kill9()
    expect(keptIn(file).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6])
    expect(readFileSync(checkpoint, "utf8")).toBe(keptIn(file).at(-1)?.id)
  })

  it("follow-events.mjs reconnects by itself when the service restarts", async () => {
    const { test } = await stage.newSeller()
    const settings = { ...settingsOf(test), EVENTS_FILE: newFile(), CHECKPOINT_FILE: newFile() }
    const example = startExample("follow-events.mjs", settings)
    await example.printed("following")
    await paidCharge(test)
    await stage.service.restart()
    const id = await paidCharge(test)
    await until("the stream to go on", () => example.output().includes(`4 transaction.paid ${id}`))
    await example.kill9()
  })

  it("follow-events.mjs exits 1 when its API key is not valid", async () => {
    const settings = { API_KEY: "sk_test_no", API_URL: stage.service.url }
    const { code, output } = await runExample("follow-events.mjs", settings)
    expect(code).toBe(1)
    expect(output).toContain("code: 'invalid_api_key'")
  })
})

describe("examples/withdraw.mjs", () => {
  it("withdraw.mjs withdraws once, however often it runs, and prints how it ended", async () => {
    const seller = await stage.newSeller()
    const { test } = seller
    const pixKeyId = await makePixKey(stage, seller, "test")
    await fund(test, 50_000)
    const run = (...args: ReadonlyArray<string>) => runExample("withdraw.mjs", settingsOf(test), args)

    const once = await run("payout-1", "10000", pixKeyId)
    expect(once).toEqual({ code: 0, output: expect.stringMatching(/^wd_\w+ successful E\w+\n$/) })
    expect(await run("payout-1", "10000", pixKeyId)).toEqual(once)
    expect(await run("payout-2", "10002", pixKeyId)).toEqual({
      code: 1,
      output: expect.stringMatching(/^wd_\w+ failed AC03\n$/),
    })
    expect(await run("payout-3", "60000", pixKeyId)).toEqual({
      code: 2,
      output: expect.stringMatching(/^refused: insufficient_balance \{.*\}\n$/),
    })
    const { body } = await test.get<Page<Withdrawal>>("/v1/withdrawals")
    expect(body.data.map(({ status }) => status)).toEqual(["failed", "successful"])
  })
})

describe("examples/reconcile.mjs", () => {
  it("reconcile.mjs finds events that are missing by seq, adds them, and then has them all", async () => {
    const { test } = await stage.newSeller()
    for (let i = 0; i < 3; i += 1) await paidCharge(test)
    const file = newFile()
    const events = await allEvents(test)
    const kept = events.filter(({ seq }) => seq !== 2 && seq !== 5)
    writeFileSync(file, kept.map((event) => `${JSON.stringify(event)}\n`).join(""))
    const settings = { ...settingsOf(test), EVENTS_FILE: file }

    const first = await runExample("reconcile.mjs", settings)
    expect(first.output).toContain(`missing: 2 ${events[1]?.type}`)
    expect(first.output).toContain("6 events, 2 of them were missing; 3 charges paid, 38970 centavos")
    expect(first.code).toBe(1)
    expect(await runExample("reconcile.mjs", settings)).toEqual({
      code: 0,
      output: "6 events, 0 of them were missing; 3 charges paid, 38970 centavos\n",
    })
    const all = await readAll<Event>(test, "/v1/events", "limit=100")
    expect(keptIn(file).map(({ id }) => id)).toEqual(expect.arrayContaining(all.map(({ id }) => id)))
  })

  it("reconcile.mjs names kept events that differ from the feed or are not in it, and passes over test events", async () => {
    const { test } = await stage.newSeller()
    await paidCharge(test)
    const file = newFile()
    const [created, paid] = await allEvents(test)
    const changed = JSON.stringify(paid).replace('"amount":12990', '"amount":1')
    const made = JSON.stringify({ ...paid, id: "evt_made_up", seq: 3 })
    const tested = JSON.stringify({ ...paid, id: created?.id, seq: 1, test_event: true })
    writeFileSync(file, `${tested}\n${changed}\n${made}\n`)
    const { code, output } = await runExample("reconcile.mjs", { ...settingsOf(test), EVENTS_FILE: file })
    expect(code).toBe(2)
    expect(output).toContain(`${paid?.id} differs from the event in the feed`)
    expect(output).toContain("evt_made_up is kept but is not in the feed")
    expect(output).not.toContain(`${created?.id} differs`)
    expect(output).toContain("2 charges paid, 12991 centavos")
  })
})
