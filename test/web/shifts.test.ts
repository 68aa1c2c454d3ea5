import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { dayAfter, dayOf, dayStartMillis } from "../../actors/values/saoPauloDays.ts"
import { partitionOfId } from "../../schema/ids.ts"
import { closingLeaseKey, ledgerKey } from "../../src/store/keys.ts"
import type { Person } from "../e2e/support/accountPeople.ts"
import { makeCharge } from "../e2e/support/charges.ts"
import { eventually } from "../e2e/support/client.ts"
import { hasEnded, rowsWhen } from "../e2e/support/deliveries.ts"
import { openExceptionStore } from "../e2e/support/exceptions.ts"
import { noticeSettings, paymentBody, postNotice } from "../e2e/support/notices.ts"
import { paidCharge, refund, refundWhen } from "../e2e/support/refunds.ts"
import { clientsOf, receiverSettings, type Seller } from "../e2e/support/stage.ts"
import { fund, withdraw } from "../e2e/support/withdrawals.ts"
import { makePixKey } from "../support/pixKey.ts"
import { behaviours, startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { type Cockpit, describePages, openCockpit, widths } from "./support/cockpit.ts"
import { shiftsOf } from "./support/shifts.ts"

/** https://web.dev/articles/cls calls 0.1 good. */
const shiftMax = 0.02

describePages("pages while they are read", () => {
  let cockpit: Cockpit
  let receiver: TlsReceiver
  let shop: Seller
  const day = dayAfter(dayOf(Date.now()), -2)
  let exceptions: ReturnType<typeof openExceptionStore>
  beforeAll(async () => {
    receiver = await startTlsReceiver({ behaviour: behaviours.respond(500) })
    cockpit = await openCockpit({
      SIMULATOR_DELAY_MS: "50",
      RETRY_SCHEDULE_SECONDS: "0.05,0.05,0.05,0.05,0.05",
      ...noticeSettings,
      ...receiverSettings(receiver),
    })
    exceptions = openExceptionStore(cockpit.stage)
    const { stage } = cockpit
    shop = await stage.newSeller({ name: "Loja da Ana" })
    await stage.redis(
      ...(["XADD", ledgerKey({ sellerId: shop.id, mode: "live" }), `${dayStartMillis(day)}-0`] as const),
      ...["seq", "1", "kind", "charge_paid", "resource_type", "transaction", "resource", "txn_x"],
      ...["event", "", "postings", "external:-10000 available:10000"],
      ...["balance", "available:10000 reserve:0 pending_withdraw:0 pending_refund:0"],
    )
    // Days are closed at the start of a process, too.
    await stage.redis("DEL", closingLeaseKey)
    await stage.service.restart()
  })
  afterAll(async () => {
    await exceptions?.dispose()
    await cockpit?.close()
    await receiver?.close()
  })
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  /** The shift of each page at each width, where it is too large, with what moved. */
  const unsteady = async (signedIn: Page, paths: ReadonlyArray<string>) => {
    const browser = signedIn.context().browser()
    const storageState = await signedIn.context().storageState()
    await signedIn.context().close()
    const found = []
    for (const width of widths)
      for (const path of paths) {
        const context = await browser?.newContext({
          storageState,
          viewport: { width, height: 844 },
          locale: "pt-BR",
          timezoneId: "America/Sao_Paulo",
        })
        const page = await context?.newPage()
        if (page === undefined) throw new Error("there is no browser")
        cockpit.watch(page)
        const shifts = await shiftsOf(page, cockpit.origin + path)
        await context?.close()
        const sum = shifts.reduce((total, { value }) => total + value, 0)
        if (sum > shiftMax) found.push({ width, path, sum, shifts })
      }
    return found
  }

  const openAs = (person: Person) => cockpit.open("/app/settings", { as: person })

  const sellerPaths = [
    ...["/app", "/app/charges", "/app/links", "/app/refunds", "/app/balance", "/app/withdrawals"],
    ...[
      "/app/webhooks",
      "/app/events",
      "/app/developers",
      "/app/test",
      "/app/settings",
      "/app/settings/activity",
      "/app/settings/alerts",
      "/app/settings/reports",
    ],
  ]

  it("a newcomer's pages do not move", async () => {
    expect(await unsteady(await openAs(await cockpit.seller()), sellerPaths)).toEqual([])
  })

  it("a merchant's pages do not move", async () => {
    const seller = await cockpit.seller()
    const { test: client } = clientsOf(cockpit.stage.service.url, seller)
    const page = await openAs(seller)
    const endpointId = await page.evaluate(async (url) => {
      const answer = await fetch("/v1/me/webhook-endpoints", {
        method: "POST",
        headers: { "content-type": "application/json", "x-mode": "test" },
        body: JSON.stringify({ url, events: ["*"] }),
      })
      const { id }: { readonly id: string } = await answer.json()
      return id
    }, receiver.url)
    const charges = await Promise.all(
      Array.from({ length: 12 }, (_, index) => paidCharge(client, 20_000 + 100 * index)),
    )
    const [charge] = charges
    if (charge === undefined) throw new Error("no charge was made")
    // What changes while a page is read is news, which may move it.
    await refundWhen(client, (await refund(client, charge.id, { amount: 1_000 })).id, "succeeded")
    const pending = await makeCharge(client, { amount: 12_901 })
    const withdrawal = await withdraw(
      client,
      await makePixKey(
        cockpit.stage,
        { id: seller.sellerId, partition: partitionOfId(seller.sellerId) ?? 0 },
        "test",
      ),
      5_000,
    )
    const [delivery] = await rowsWhen(client, hasEnded)
    expect(
      await unsteady(page, [
        ...sellerPaths,
        `/app/charges/${charge.id}`,
        `/app/charges/${pending.id}`,
        `/app/withdrawals/${withdrawal.id}`,
        `/app/webhooks/${endpointId}`,
        `/app/deliveries/${delivery?.id}`,
      ]),
    ).toEqual([])
  })

  it("an operator's pages do not move", async () => {
    const { stage } = cockpit
    const other = await stage.newSeller({ kycStatus: "pending", document: "52998224725" })
    await fund(shop.live, 20_000)
    await withdraw(shop.live, await makePixKey(stage, shop, "live"), 5_000)
    await makePixKey(stage, other, "live", "pending_approval")
    const { id: chargeId } = await makeCharge(other.test)
    await postNotice(stage, paymentBody(chargeId))
    const exception = await exceptions.openUnknown()
    const page = await openAs(await cockpit.operator())
    await eventually("a closed day", async () => {
      const answer = await page.evaluate(async () => (await fetch("/v1/admin/closings")).text())
      return answer.includes(day) ? true : undefined
    })
    const admin = ["", "/health", "/withdrawals", "/to-pay", "/exceptions", "/sellers", "/invites"]
    expect(
      await unsteady(page, [
        ...[...admin, "/deliveries", "/pix-keys", "/inbox", "/closings", "/audit"].map(
          (path) => `/app/admin${path}`,
        ),
        `/app/admin/exceptions?id=${exception}`,
        `/app/admin/sellers/${other.id}`,
        `/app/admin/charges/${chargeId}`,
        `/app/admin/closings?day=${day}`,
        "/app/settings",
      ]),
    ).toEqual([])
  })

  it("the pages before the sign-in do not move", async () => {
    const page = await cockpit.open("/app/sign-in")
    expect(await unsteady(page, ["/app/sign-in", "/app/sign-in?ask=password", "/app/nowhere"])).toEqual([])
  })
})
