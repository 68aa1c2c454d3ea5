import type { Mode } from "../../../schema/ids.ts"
import type { Endpoint } from "../../../schema/resources/endpoint.ts"
import { signInAsSeller } from "../../support/dashboard.ts"
import { type Behaviour, startTlsReceiver } from "../../support/tlsReceiver.ts"
import { type DashboardClient, dashboardClient } from "./dashboardClient.ts"
import { openStage, receiverSettings, type Seller } from "./stage.ts"

/** The routes of a session's endpoints. */
export const endpointsPath = "/v1/me/webhook-endpoints"

export type MadeEndpoint = Endpoint & { readonly secret: string }

/** A stage with a receiver for its endpoints. Close it in `afterAll`. */
export const openEndpointStage = async () => {
  /** What the receiver does at a path; elsewhere it answers 200. */
  const behaviours = new Map<string, Behaviour>()
  const receiver = await startTlsReceiver({
    behaviour: (request) => behaviours.get(request.path) ?? { kind: "respond" },
  })
  const stage = await openStage({
    SIMULATOR_DELAY_MS: "20",
    RETRY_SCHEDULE_SECONDS: "60,60,60,60,60",
    ...receiverSettings(receiver),
  })

  const dashboardOf = async (seller: Seller, mode: Mode = "test") =>
    dashboardClient(stage.service.url, await signInAsSeller(stage.service, seller.id), mode)
  const bodyOf = (name: string, changes: Readonly<Record<string, unknown>> = {}) => ({
    url: `${receiver.origin}/${name}`,
    events: ["transaction.paid"],
    ...changes,
  })
  return {
    stage,
    receiver,
    behaviours,
    dashboardOf,
    /** A new seller and its dashboard in test mode. */
    open: async () => {
      const seller = await stage.newSeller()
      return { seller, dashboard: await dashboardOf(seller) }
    },
    /** The body that makes an endpoint at the receiver's path `name`. */
    bodyOf,
    create: async (dashboard: DashboardClient, name: string, changes = {}): Promise<MadeEndpoint> => {
      const answer = await dashboard.send<MadeEndpoint>("POST", endpointsPath, bodyOf(name, changes))
      if (answer.status !== 201) throw new Error(answer.text)
      return answer.body
    },
    close: async () => {
      await stage.close()
      await receiver.close()
    },
  }
}

export type EndpointStage = Awaited<ReturnType<typeof openEndpointStage>>
