import { randomInt } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Corrente, CorrenteError, type Event, type ReplayGap } from "../../client/src/index.ts"
import { buildClient } from "../../scripts/client/build.ts"
import { allEvents, chargeBody } from "../e2e/support/charges.ts"
import { openStage, type Stage } from "../e2e/support/stage.ts"
import { whyNoChromium } from "../support/chromium.ts"
import { makePixKey } from "../support/pixKey.ts"
import { until } from "../support/until.ts"
import { runInBrowser } from "./support/browser.ts"
import { type FlakyProxy, startFlakyProxy } from "./support/flakyProxy.ts"
import { findNode, runProgram } from "./support/runProgram.ts"

let stage: Stage
beforeAll(async () => {
  buildClient()
  // Nothing happens by itself: tests advance the clock, or act.
  stage = await openStage({ SIMULATOR_DELAY_MS: "60000" })
})
afterAll(() => stage?.close())

/** Numbers from 0 to 1 that a seed decides. */
const randomFrom = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const followed = ["created", "paid", "paid", "partially_refunded", "chargeback"].map(
  (name) => `transaction.${name}`,
)

describe.each([20, 22])("the compiled client under Node %i", (major) => {
  const node = findNode(major)
  const where = node === undefined ? ` (skipped: no Node ${major} is on the PATH)` : ""

  it.skipIf(node === undefined)(
    `the compiled client makes every call of the running service under Node ${major}${where}`,
    async () => {
      const seller = await stage.newSeller()
      const pixKey = await makePixKey(stage, seller, "test")
      const seen = (await runProgram(node ?? "", "tour.mjs", {
        API_URL: stage.service.url,
        API_KEY: seller.keys.test,
        PIX_KEY: pixKey,
      })) as { readonly version: string; readonly seqs: ReadonlyArray<number> }
      const eventsMade = (await allEvents(seller.test)).length
      expect(seen).toEqual({
        version: expect.stringMatching(`^v${major}\\.`),
        isSame: true,
        statuses: ["paid", "paid", "succeeded", "chargeback", "cancelled"],
        charges: [true, false],
        refunds: [true],
        refund: "succeeded",
        withdrawals: ["cancelled"],
        withdrawal: "cancelled",
        pixKeys: [true],
        balance: "balance",
        exports: {
          rows: [
            "id status created_at paid_at payer document email reference txid end_to_end_id amount gross fee refunded net",
            "id status created_at completed_at amount reason origin transaction_id payer document reference end_to_end_id return_id failure_code failure_reason",
            "id status created_at completed_at amount fee total pix_key_id pix_key_type pix_key description end_to_end_id returned_amount debited_amount failure_reason",
            "date time entry_id kind resource_id description payer document reference txid end_to_end_id gross fee net credit debit balance",
          ],
          names: [
            "cobrancas-teste.ndjson",
            "devolucoes-teste.ndjson",
            "saques-teste.ndjson",
            expect.stringMatching(/^extrato-.*-teste$/),
          ],
          workbook: "PK",
        },
        ledger: true,
        seqs: Array.from({ length: eventsMade }, (_, i) => eventsMade - i),
        event: true,
        followed,
        isFollowedInOrder: true,
        deliveries: 0,
        failures: [
          "CorrenteError validation_failed 400 amount string",
          "CorrenteError resource_not_found 404  string",
          "CorrenteError validation_failed 400 amount string",
          "CorrenteError resource_not_found 404  string",
          "CorrenteError resource_not_found 404  string",
          "CorrenteError invalid_state 409  string",
          "CorrenteError invalid_api_key 401  string",
          "WebhookVerificationError signature_missing   undefined",
        ],
      })
    },
  )
})

describe("a bad network", () => {
  const seed = randomInt(2 ** 31)
  const charges = 40
  let proxy: FlakyProxy
  beforeAll(async () => {
    proxy = await startFlakyProxy(stage.service.port, randomFrom(seed), 0.4)
  })
  afterAll(() => proxy?.close())

  it(`behind a bad network no charge is made twice, and no event is lost or comes twice (seed ${seed})`, async () => {
    const seller = await stage.newSeller()
    const options = { apiKey: seller.keys.test, maxRetries: 20 }
    const shaken = new Corrente({ ...options, baseUrl: proxy.url, timeoutMillis: 3_000 })
    const direct = new Corrente({ ...options, baseUrl: stage.service.url })

    const items: Array<Event | ReplayGap> = []
    const stop = new AbortController()
    const subscription = shaken.events.subscribe({ signal: stop.signal, silenceMillisMax: 1_000 })
    let failure: unknown
    const following = (async () => {
      for await (const item of subscription) items.push(item)
    })().catch((error: unknown) => {
      failure = error
    })
    await until("the first stream", () => proxy.counts.ready !== undefined)

    const body = chargeBody() as Parameters<typeof shaken.transactions.create>[0]
    const create = async (amount: number) => (await shaken.transactions.create({ ...body, amount })).id
    const ids = await Promise.all(Array.from({ length: charges }, (_, i) => create(10_010 + 100 * i)))
    await direct.test.clock.advance({ seconds: 60 })
    await until("the payments", async () => (await allEvents(seller.test)).length === 2 * charges)
    const feed = await allEvents(seller.test)
    // What is left of the feed takes many streams; a busy machine may have opened few of them so far.
    await until("the stream to break", () => failure !== undefined || (proxy.counts.stream ?? 0) > 3)
    proxy.heal()
    await until(
      () => `${items.length} of ${feed.length} events (${JSON.stringify(proxy.counts)})`,
      () => failure !== undefined || items.length >= feed.length,
    )
    stop.abort()
    await following
    expect(failure).toBeUndefined()

    const listed: Array<string> = []
    for await (const { id } of direct.transactions.list({ limit: 15 })) listed.push(id)
    expect(listed.toSorted()).toEqual(ids.toSorted())
    expect(items.map((item) => (item as { id?: string }).id)).toEqual(feed.map(({ id }) => id))
    expect(items).toEqual(feed)
    // The network was bad indeed.
    const { stream: _, ready: __, ...faults } = proxy.counts
    expect(Object.keys(faults).length).toBeGreaterThan(5)
  })

  it("a service that is away is a CorrenteError after the last try", async () => {
    const nobody = new Corrente({ apiKey: "sk_test_1", baseUrl: "http://127.0.0.1:9", maxRetries: 1 })
    await expect(nobody.balance.get()).rejects.toBeInstanceOf(CorrenteError)
    await expect(nobody.balance.get()).rejects.toMatchObject({ code: "network_error", status: undefined })
  })
})

const noBrowser = whyNoChromium === undefined ? "" : ` (skipped: ${whyNoChromium})`
describe.skipIf(whyNoChromium !== undefined)(`a browser${noBrowser}`, () => {
  it("a browser imports the compiled client as it is, charges, follows events and verifies a webhook", async () => {
    const { keys } = await stage.newSeller()
    expect(await runInBrowser(stage.service.port, "browser.mjs", { apiKey: keys.test })).toEqual({
      status: "paid",
      listed: 1,
      followed: "transaction.paid",
      webhook: "transaction.paid",
      refusal: "signature_mismatch",
    })
  })
})
