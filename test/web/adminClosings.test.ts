import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { dayAfter, dayOf, dayStartMillis } from "../../actors/values/saoPauloDays.ts"
import { closingLeaseKey, ledgerKey } from "../../src/store/keys.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit } from "./support/cockpit.ts"

describePages("closed days", () => {
  const [first, second] = [dayAfter(dayOf(Date.now()), -3), dayAfter(dayOf(Date.now()), -2)] as const
  let cockpit: Cockpit
  beforeAll(async () => {
    cockpit = await openCockpit()
    const { stage } = cockpit
    const seller = await stage.newSeller()
    for (const [day, gained, left] of [
      [first, 10_000, 10_000],
      [second, 5_000, 15_000],
    ] as const)
      await stage.redis(
        ...["XADD", ledgerKey({ sellerId: seller.id, mode: "live" }), `${dayStartMillis(day)}-0`],
        ...["seq", "1", "kind", "charge_paid", "resource_type", "transaction", "resource", "txn_x"],
        ...["event", "", "postings", `external:-${gained} available:${gained}`],
        ...["balance", `available:${left} reserve:0 pending_withdraw:0 pending_refund:0`],
      )
    // Days are closed at the start of a process, too.
    await stage.redis("DEL", closingLeaseKey)
    await stage.service.restart()
  })
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  it("a closed day appears by itself, and its table adds up", async () => {
    const page = await cockpit.open("/app/admin/closings", { as: await cockpit.operator() })
    const row = page.locator(`[data-testid="closing-row"][data-id="${second}"] a`)
    await row.waitFor()
    await expectLooksRight(page, "admin-closings")
    await row.click()
    const books = page.locator('table[data-adds-up="true"]')
    await books.waitFor()
    const available = (name: string) =>
      books.locator(`[data-row="${name}"] .money`).first().getAttribute("data-amount")
    expect([await available("opening"), await available("charge_paid"), await available("closing")]).toEqual([
      ...["10000", "5000", "15000"],
    ])
    await expectLooksRight(page, "admin-closing")
    await page.context().close()
  })
})
