import { expect, it } from "vitest"
import type { Notifications } from "../../schema/resources/notifications.ts"
import { dashboardClient } from "../e2e/support/dashboardClient.ts"
import { requestsOn } from "../e2e/support/deliveries.ts"
import { paidCharge } from "../e2e/support/refunds.ts"
import { openStage, receiverSettings } from "../e2e/support/stage.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { behaviours, startTlsReceiver } from "../support/tlsReceiver.ts"
import { until } from "../support/until.ts"

it("kill -9 between a payment and its alert does not lose the alert", { timeout: 300_000 }, async ({
  onTestFinished,
}) => {
  // The first request is never answered: the process is killed while it sends.
  const receiver = await startTlsReceiver({
    behaviour: (_, index) => (index === 0 ? { kind: "silent" } : behaviours.respond(200)),
  })
  const stage = await openStage({ SIMULATOR_DELAY_MS: "10", ...receiverSettings(receiver) })
  onTestFinished(async () => {
    await stage.close()
    await receiver.close()
  })
  const { service } = stage
  const seller = await stage.newSeller()
  const dashboard = dashboardClient(service.url, await signInAsSeller(service, seller.id))
  const set = await dashboard.send<Notifications>("PUT", "/v1/me/notifications", {
    data: [{ when: "large_charge", mail: false, url: `${receiver.origin}/chat`, min_amount: 100 }],
  })
  expect(set.status).toBe(200)
  const { id } = await paidCharge(seller.live, 5_000)
  await receiver.waitFor(1)
  await service.kill9()
  await service.restart()

  await until("the next process to tell it", () => requestsOn(receiver, "/chat").length >= 2)
  const owed = async () => (await stage.redis("KEYS", "alerts:*")) as ReadonlyArray<string>
  await until("nothing to be owed", async () => (await owed()).length === 0)
  const sent = requestsOn(receiver, "/chat")
  // On a busy machine an answer may come too late, and then it is rightly told again, as the same event.
  expect(sent.map(({ body }) => body.includes(id))).toEqual(sent.map(() => true))
  expect(new Set(sent.map(({ headers }) => headers["x-event-id"])).size).toBe(1)
})
