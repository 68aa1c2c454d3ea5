import { expect, it } from "vitest"
import { apiClient } from "../support/apiClient.ts"
import { makeSeller } from "../support/seller.ts"
import { startService } from "../support/service.ts"
import { type Respond, startTlsReceiver } from "../support/tlsReceiver.ts"
import { pause, until } from "../support/until.ts"
import { charge } from "./stage.ts"

const charges = 12
/** How long each process lives after it listens. */
const livesMillis = [300, 1_500, 800]

it("kill -9 of the process leaves no ordered delivery waiting, and none out of order", {
  timeout: 300_000,
}, async ({ onTestFinished }) => {
  /** What each charge's receiver has accepted, in order. */
  const accepted = new Map<string, Array<string>>()
  const arrived = new Map<string, Array<string>>()
  const respond: Respond = ({ body, headers }) => {
    const { type, data } = JSON.parse(body)
    const id: string = data.object.id
    arrived.set(id, [...(arrived.get(id) ?? []), type])
    const isRefused = headers["x-attempt"] === "1" && type === "transaction.paid"
    if (!isRefused) accepted.set(id, [...(accepted.get(id) ?? []), type])
    return { kind: "respond", status: isRefused ? 503 : 200, delayMillis: 30 }
  }
  const receiver = await startTlsReceiver({ behaviour: respond })
  onTestFinished(receiver.close)
  const service = await startService({
    env: {
      SIMULATOR_DELAY_MS: "50",
      RETRY_SCHEDULE_SECONDS: "1,1,1,1,1",
      WEBHOOK_ALLOW_DESTINATIONS: receiver.origin,
      WEBHOOK_CA_FILE: receiver.caFile,
    },
  })
  onTestFinished(service.stop)
  const events = ["transaction.paid", "transaction.chargeback"]
  const seller = await makeSeller(service, {
    endpoints: [{ url: receiver.url, events, ordering: "resource" }],
  })
  const client = apiClient(service.url, seller.keys.test)
  onTestFinished(client.close)

  const ids: Array<string> = []
  for (let i = 0; i < charges; i++) {
    const { id } = (await charge(client, `ordered-${i}`)).json() as { readonly id: string }
    ids.push(id)
  }
  for (const id of ids) {
    const read = async () =>
      (await client.get(`/v1/transactions/${id}`)).json() as { readonly status: string }
    await until(`${id} to be paid`, async () => (await read()).status === "paid")
    await client.send("POST", `/v1/test/transactions/${id}/chargeback`)
  }
  for (const life of livesMillis) {
    await pause(life)
    await service.kill9()
    await service.restart()
  }
  const last = "transaction.chargeback"
  const isDone = () => ids.every((id) => accepted.get(id)?.includes(last))
  await until(
    () => `deliveries of ${ids.filter((id) => !accepted.get(id)?.includes(last)).join(", ")}`,
    isDone,
  )
  for (const id of ids) {
    // At least once: what was not recorded before a kill is sent again, and holds the later event up again.
    expect(accepted.get(id)?.[0], id).toBe("transaction.paid")
    expect(arrived.get(id)?.lastIndexOf("transaction.paid"), id).toBeLessThan(
      arrived.get(id)?.indexOf(last) ?? -1,
    )
  }
})
