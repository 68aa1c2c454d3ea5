import { randomBytes, randomUUID } from "node:crypto"
import type { Mode } from "../../../schema/ids.ts"
import { type ApiClient, apiClient } from "../../support/apiClient.ts"
import { clockedCommand } from "../../support/clockJumps.ts"
import { signInAsOperator } from "../../support/dashboard.ts"
import { type EventFollower, followEvents } from "../../support/eventFollower.ts"
import { makePixKey } from "../../support/pixKey.ts"
import { type Psp, type PspRequest, startPsp } from "../../support/psp.ts"
import { apiPixSettings } from "../../support/pspSettings.ts"
import { makeSeller, type TestSeller } from "../../support/seller.ts"
import { type Service, startService } from "../../support/service.ts"
import {
  type Behaviour,
  type RecordedRequest,
  startTlsReceiver,
  type TlsReceiver,
} from "../../support/tlsReceiver.ts"
import { pause, until } from "../../support/until.ts"
import { type FeedName, type Journal, makeJournal } from "./journal.ts"
import type { Topology } from "./topology.ts"

/** How large a world is, and what its service waits for. */
export interface WorldSize {
  readonly services: number
  readonly sellers: number
  /** Streams, spread over sellers and services. */
  readonly followers: number
  readonly writesPerSecond: number
  /** REDIS_WAIT_REPLICAS. */
  readonly waitReplicas: number
}

/** A seller of the world, who sells in both modes. */
export interface WorldSeller extends TestSeller {
  /** What its live withdrawals go to. */
  readonly pixKeyId: string
}

/** Services on one Redis with all that they talk to, and the journal of what they said. */
export interface World {
  readonly size: WorldSize
  readonly topology: Topology
  readonly services: ReadonlyArray<Service>
  /** A client of each service; requests bring their own key. */
  readonly clients: ReadonlyArray<ApiClient>
  readonly psp: Psp
  readonly receiver: TlsReceiver
  /** Changes what the receiver does with requests; undefined: it takes them. */
  readonly receive: (behaviour: Behaviour | undefined) => void
  readonly sellers: ReadonlyArray<WorldSeller>
  readonly followers: ReadonlyArray<EventFollower & { readonly feed: FeedName }>
  readonly journal: Journal
  /** The idEnvio of payouts that the bank was asked for. */
  readonly payoutsAsked: ReadonlySet<string>
  readonly encryptionKey: string
  readonly stop: () => Promise<void>
}

export const feedOf = (seller: Pick<TestSeller, "id">, mode: Mode): FeedName => `${seller.id}:${mode}`

/** The header of a seller's key. */
export const keyOf = (seller: TestSeller, mode: Mode) => ({ authorization: `Bearer ${seller.keys[mode]}` })

const connectionsPerService = 64
const startTogether = 8
/** A hundred streams that come back at once would keep services and this process busy with refusals while Redis is away. */
const followerRetryMillis = 1_000
const sellerTriesMax = 5
const sellerPauseMillis = 2_000

interface Envelope {
  readonly id: string
  readonly type: string
  readonly data: { readonly object: { readonly id: string } }
}

/** Journals webhooks, and answers them as the world says. `feeds` has the feed of each path. */
const receiverOf = async (journal: Journal, feeds: ReadonlyMap<string, FeedName>) => {
  let behaviour: Behaviour | undefined
  const receiver = await startTlsReceiver({
    behaviour: ({ path, body }: RecordedRequest) => {
      const { id, type, data } = JSON.parse(body) as Envelope
      journal.tell({ kind: "webhook", feed: feeds.get(path) ?? path, id, type, resourceId: data.object.id })
      return behaviour ?? { kind: "respond" }
    },
  })
  const receive = (next: Behaviour | undefined) => {
    behaviour = next
  }
  return { receiver, receive }
}

/** Journals what the bank is asked to do, and collects the payouts. */
const bankOf = async (journal: Journal) => {
  const payoutsAsked = new Set<string>()
  const psp = await startPsp({
    onRequest: ({ method, path, body }: PspRequest) => {
      if (method !== "PUT") return
      const id = path.slice(path.lastIndexOf("/") + 1)
      if (path.includes("/cob/")) {
        // The load names the payer after the request's key.
        const { devedor } = JSON.parse(body) as { readonly devedor: { readonly nome: string } }
        journal.tell({ kind: "bankCharge", id, key: devedor.nome })
      }
      if (path.includes("/gn/pix/")) {
        journal.tell({ kind: "bankPayout", id })
        payoutsAsked.add(id)
      }
    },
  })
  return { psp, payoutsAsked }
}

/** Makes a seller with an endpoint for the events of each mode, whose withdrawals need no operator. */
const openSeller = async (
  service: Service,
  cookie: string,
  origin: string,
  feeds: Map<string, FeedName>,
): Promise<WorldSeller> => {
  const name = randomUUID()
  const modes = ["test", "live"] as const
  const endpoints = modes.map((mode) => ({ url: `${origin}/${name}/${mode}`, events: ["*"], mode }))
  const seller = await makeSeller(service, { endpoints })
  for (const mode of modes) feeds.set(`/${name}/${mode}`, feedOf(seller, mode))
  const answer = await fetch(`${service.url}/v1/admin/sellers/${seller.id}/settings`, {
    method: "PATCH",
    headers: { cookie, "content-type": "application/json" },
    body: JSON.stringify({ withdrawal_auto_approval: true }),
  })
  if (answer.status !== 200)
    throw new Error(`settings were answered ${answer.status}: ${await answer.text()}`)
  return { ...seller, pixKeyId: await makePixKey({ service }, seller, "live") }
}

/** The same, again where a machine that others keep busy cut something short. */
const openSellerAtLast = async (...given: Parameters<typeof openSeller>): Promise<WorldSeller> => {
  for (let triesLeft = sellerTriesMax - 1; triesLeft > 0; triesLeft -= 1) {
    try {
      return await openSeller(...given)
    } catch {
      await pause(sellerPauseMillis)
    }
  }
  return openSeller(...given)
}

const openSellers = async (
  service: Service,
  count: number,
  origin: string,
  feeds: Map<string, FeedName>,
): Promise<ReadonlyArray<WorldSeller>> => {
  const { cookie } = await signInAsOperator(service)
  const sellers: Array<WorldSeller> = []
  while (sellers.length < count) {
    const group = Array.from({ length: Math.min(startTogether, count - sellers.length) }, () =>
      openSellerAtLast(service, cookie, origin, feeds),
    )
    sellers.push(...(await Promise.all(group)))
  }
  return sellers
}

/** Follows feeds of sellers in turn, at services in turn, and journals what their streams show. */
const follow = (
  services: ReadonlyArray<Service>,
  sellers: ReadonlyArray<WorldSeller>,
  count: number,
  journal: Journal,
): World["followers"] =>
  Array.from({ length: count }, (_, i) => {
    const service = services[i % services.length]
    const seller = sellers[i % sellers.length]
    if (service === undefined || seller === undefined) throw new Error("nobody can be followed")
    // Each round of all sellers follows the other mode.
    const mode = Math.floor(i / sellers.length) % 2 === 0 ? "live" : "test"
    const [feed, follower] = [feedOf(seller, mode), `follower ${i + 1}`]
    const stream = followEvents(service.url, seller.keys[mode], {
      retryMillis: followerRetryMillis,
      onEvent: (event) => journal.tell({ kind: "frame", feed, follower, ...event }),
      onControl: (event) => {
        if (event === "replay_gap") journal.tell({ kind: "gap", feed, follower })
      },
    })
    return { ...stream, feed }
  })

/** Starts everything, and waits until all streams are open. The topology is the caller's; `stop` ends the rest. */
export const openWorld = async (topology: Topology, size: WorldSize): Promise<World> => {
  const journal = makeJournal()
  const ends: Array<() => unknown> = []
  const stop = async () => {
    for (const end of ends.toReversed()) await end()
  }
  try {
    const { psp, payoutsAsked } = await bankOf(journal)
    ends.push(psp.close)
    const feeds = new Map<string, FeedName>()
    const { receiver, receive } = await receiverOf(journal, feeds)
    ends.push(receiver.close)
    const encryptionKey = randomBytes(32).toString("base64")
    const env = {
      ENCRYPTION_KEY: encryptionKey,
      SIMULATOR_DELAY_MS: "50",
      WEBHOOK_ALLOW_DESTINATIONS: receiver.origin,
      WEBHOOK_CA_FILE: receiver.caFile,
      REDIS_WAIT_REPLICAS: String(size.waitReplicas),
      ...apiPixSettings(psp),
    }
    const services: Array<Service> = []
    while (services.length < size.services) {
      const service = await startService({ redisUrl: topology.url, env, command: clockedCommand })
      ends.push(() => service.stop())
      services.push(service)
    }
    const [first] = services
    if (first === undefined) throw new Error("a world has a service")
    const clients = services.map(({ url }) => apiClient(url, "none", connectionsPerService))
    ends.push(...clients.map(({ close }) => close))
    const sellers = await openSellers(first, size.sellers, receiver.origin, feeds)
    const followers = follow(services, sellers, size.followers, journal)
    ends.push(...followers.map((follower) => follower.stop))
    await until("the streams to open", () => followers.every(({ isReady }) => isReady()))
    const parts = { size, topology, services, clients, psp, receiver, receive, sellers, followers }
    return { ...parts, journal, payoutsAsked, encryptionKey, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
