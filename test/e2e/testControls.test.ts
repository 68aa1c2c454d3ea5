import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { eventsOf, getCharge, makeCharge } from "./support/charges.ts"
import type { Client, ErrorBody } from "./support/client.ts"
import { requestsOn, rowsWhen } from "./support/deliveries.ts"
import { openStage, receiverSettings, type Seller, type Stage } from "./support/stage.ts"

let receiver: TlsReceiver
let stage: Stage
let seller: Seller
beforeAll(async () => {
  receiver = await startTlsReceiver()
  // Nothing happens by itself while the tests run.
  stage = await openStage({ SIMULATOR_DELAY_MS: "3600000", ...receiverSettings(receiver) })
  seller = await stage.newSeller({ endpoints: [{ url: `${receiver.origin}/forced`, events: ["*"] }] })
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

type Act = "pay" | "expire" | "fail" | "refund" | "chargeback"
const acts: ReadonlyArray<Act> = ["pay", "expire", "fail", "refund", "chargeback"]

const force = <T = Transaction>(client: Client, id: string, act: string) =>
  client.post<T>(`/v1/test/transactions/${id}/${act}`)

interface Case {
  readonly act: Act
  readonly status: string
  /** What was done to the charge before. */
  readonly after: ReadonlyArray<Act>
  readonly time: keyof Transaction
}

const cases: ReadonlyArray<Case> = [
  { act: "pay", status: "paid", after: [], time: "paid_at" },
  { act: "expire", status: "expired", after: [], time: "expired_at" },
  { act: "pay", status: "paid", after: ["expire"], time: "paid_at" },
  { act: "fail", status: "failed", after: [], time: "failed_at" },
  { act: "refund", status: "refunded", after: ["pay"], time: "refunded_at" },
  { act: "chargeback", status: "chargeback", after: ["pay"], time: "chargeback_at" },
]

describe("a charge under the test controls", () => {
  for (const { act, status, after, time } of cases) {
    const name = after.length === 0 ? act : `${act} after ${after.join(", ")}`
    it(`the test control ${name} makes a charge ${status}, with event and delivery, and is 409 when repeated`, async () => {
      const { id } = await makeCharge(seller.test)
      for (const step of after) expect((await force(seller.test, id, step)).status).toBe(200)
      const forced = await force(seller.test, id, act)
      expect([forced.status, forced.body.status]).toEqual([200, status])
      expect(forced.body[time]).toEqual(expect.any(String))
      expect(forced.body.customer.document).toBe("52998224725")
      expect(forced.text).toBe((await getCharge(seller.test, id)).text)

      const event = (await eventsOf(seller.test, id)).at(-1)
      expect(event?.type).toBe(`transaction.${status}`)
      expect(event?.data.object).toEqual(forced.body)
      await rowsWhen(seller.test, ([row]) => row?.status === "success", `&event_id=${event?.id}`)
      const sent = requestsOn(receiver, "/forced").filter(({ body }) => body.includes(event?.id ?? "-"))
      expect(sent).toHaveLength(1)

      const again = await force<ErrorBody>(seller.test, id, act)
      expect(again.status).toBe(409)
      expect(again.body.error).toMatchObject({ code: "invalid_state", details: { status } })
      expect((await eventsOf(seller.test, id)).at(-1)?.id).toBe(event?.id)
    })
  }

  it("a test control that a charge's status does not allow is refused and changes nothing", async () => {
    const pending = await makeCharge(seller.test)
    const failed = await makeCharge(seller.test)
    await force(seller.test, failed.id, "fail")
    const tried: ReadonlyArray<readonly [string, ReadonlyArray<Act>]> = [
      [pending.id, ["refund", "chargeback"]],
      [failed.id, acts],
    ]
    for (const [id, refused] of tried) {
      const { text } = await getCharge(seller.test, id)
      for (const act of refused) {
        const { status, body } = await force<ErrorBody>(seller.test, id, act)
        expect([act, status, body.error.code]).toEqual([act, 409, "invalid_state"])
      }
      expect((await getCharge(seller.test, id)).text).toBe(text)
    }
  })

  it("test controls find no charge of another seller or mode, and no unknown id", async () => {
    const other = await stage.newSeller()
    const foreign = await makeCharge(other.test)
    const live = await makeCharge(seller.live)
    for (const act of acts) {
      for (const id of [foreign.id, live.id, foreign.id.replace("txn_", "wd_"), "nothing"]) {
        const { status, body } = await force<ErrorBody>(seller.test, id, act)
        expect([id, status, body.error.code]).toEqual([id, 404, "resource_not_found"])
      }
    }
    expect((await getCharge(seller.live, live.id)).body.status).toBe("pending")
    expect((await getCharge(other.test, foreign.id)).body.status).toBe("pending")
  })
})

describe("test controls under a live key", () => {
  it("a live key is refused on every test control route before anything else is checked", async () => {
    const charge = await makeCharge(seller.live)
    const paths = [
      ...acts.map((act) => `/v1/test/transactions/${charge.id}/${act}`),
      ...["approve", "reject", "succeed", "fail"].map((act) => `/v1/test/withdrawals/nothing/${act}`),
      "/v1/test/clock/advance",
    ]
    for (const path of paths) {
      const { status, body } = await seller.live.post<ErrorBody>(path, { body: "no JSON" })
      expect([path, status, body.error.code]).toEqual([path, 403, "permission_denied"])
    }
    expect((await getCharge(seller.live, charge.id)).body.status).toBe("pending")
  })
})
