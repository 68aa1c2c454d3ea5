import { expect, type TestContext } from "vitest"
import { type ApiAnswer, type ApiClient, apiClient } from "../support/apiClient.ts"
import { type EventFollower, followEvents } from "../support/eventFollower.ts"
import { makeSeller, type TestSeller } from "../support/seller.ts"
import { type Service, startService } from "../support/service.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { until } from "../support/until.ts"
import { audit, endpointPath, postbackPath, settle } from "./audit.ts"
import { bodyOf, type ChargeLoad, type OfferedCharge, startChargeLoad } from "./chargeLoad.ts"

/** The service under load, with its clients and observers. All of it ends with its test. */
export interface Stage {
  readonly service: Service
  readonly load: ChargeLoad
  readonly charges: ReadonlyArray<OfferedCharge>
  /** The charges' seller, with one endpoint at `receiver` for `transaction.paid`. */
  readonly seller: TestSeller
  readonly client: ApiClient
  readonly follower: EventFollower
  readonly receiver: TlsReceiver
  /** A seller beside the one under load, with an endpoint at `receiver` too. */
  readonly bystander: { readonly client: ApiClient; readonly follower: EventFollower }
}

/** Registers how to end something that was started; each test has its own, since tests of a file may run at once. */
export type AtEnd = TestContext["onTestFinished"]

/** Makes a charge that is paid. */
export const charge = (client: ApiClient, key: string): Promise<ApiAnswer> =>
  client.send("POST", "/v1/transactions", {
    headers: { "idempotency-key": key },
    body: bodyOf(key, 1),
  })

/** Two clients under one API key: a request of `payer` does not hold up `client`. */
interface Clients {
  readonly client: ApiClient
  /** With one connection. */
  readonly payer: ApiClient
}

/**
 * Sends a request, and completes with its pending answer once the service has the request: it was sent on an open
 * connection, and a later one on another connection was answered.
 */
export const underWay = async (
  { client, payer }: Clients,
  send: (client: ApiClient) => Promise<ApiAnswer>,
) => {
  await payer.get("/health")
  const answer = send(payer)
  // A failure matters only when the test awaits it.
  answer.catch(() => {})
  await client.get("/health")
  return { answer }
}

/**
 * Requests a charge on both clients at once, and completes with the pending answer while the acquirer is asked for it: the other request
 * was told so. Which of them comes first is nobody's choice.
 */
export const chargeUnderWay = async ({ client, payer }: Clients, key: string) => {
  // Connections that are open already, so that neither request waits for its own.
  await Promise.all([client, payer].map((one) => one.get("/health")))
  const answers = [client, payer].map((one) => charge(one, key))
  // A failure matters only when the test awaits it.
  for (const answer of answers) answer.catch(() => {})
  const first = await Promise.race(answers.map(async (answer) => ({ answer, status: (await answer).status })))
  expect(first.status).toBe(409)
  const pending = answers.find((answer) => answer !== first.answer)
  if (pending === undefined) throw new Error("There is no other request.")
  return { answer: pending }
}

const followedSeller = async (atEnd: AtEnd, service: Service, endpointUrl: string) => {
  const seller = await makeSeller(service, {
    endpoints: [{ url: endpointUrl, events: ["transaction.paid"] }],
  })
  const follower = followEvents(service.url, seller.keys.test)
  atEnd(follower.stop)
  const client = apiClient(service.url, seller.keys.test)
  atEnd(client.close)
  await until("the stream to open", follower.isReady)
  return { seller, follower, client }
}

/** Starts the service, its clients and its load, and waits until both sellers have seen an event. */
export const startStage = async (
  atEnd: AtEnd,
  options: {
    readonly name: string
    readonly chargesPerSecond: number
    /** Absent: the service runs its own. */
    readonly redisUrl?: string
  },
): Promise<Stage> => {
  const receiver = await startTlsReceiver()
  atEnd(receiver.close)
  const service = await startService({
    ...(options.redisUrl === undefined ? {} : { redisUrl: options.redisUrl }),
    env: {
      SIMULATOR_DELAY_MS: "50",
      // An attempt that a stalled machine cut short comes again before its scene counts as stuck.
      RETRY_SCHEDULE_SECONDS: "2,5,10,10,10",
      WEBHOOK_ALLOW_DESTINATIONS: receiver.origin,
      WEBHOOK_CA_FILE: receiver.caFile,
    },
  })
  atEnd(service.stop)
  const { seller, follower, client } = await followedSeller(atEnd, service, receiver.origin + endpointPath)
  const bystander = await followedSeller(atEnd, service, `${receiver.origin}/bystander`)
  await charge(bystander.client, "first")
  const load = startChargeLoad(service.url, seller.keys.test, {
    chargesPerSecond: options.chargesPerSecond,
    postbackUrl: receiver.origin + postbackPath,
    name: options.name,
  })
  atEnd(load.stop)
  // A client without any event has no position to resume from.
  await until("the first events", () => follower.events.length > 0 && bystander.follower.events.length > 0)
  return { service, load, charges: load.charges, seller, client, follower, receiver, bystander }
}

/** Ends the load, waits for what is still owed, checks the invariants, and ends the service. */
export const finishAndAudit = async (stage: Stage): Promise<void> => {
  const { load, service } = stage
  await load.finish()
  expect(load.surprises).toEqual([])
  expect(load.unavailable().withoutRetryAfter).toBe(0)
  await settle(stage)
  await audit(stage)
  expect(await service.terminate()).toEqual({ code: 0, signal: null })
}
