import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { makeCipher } from "../../src/crypto/cipher.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import { makePaymentUrls } from "../../src/payments/paymentUrls.ts"
import { makeRestore } from "../../src/payments/restore.ts"
import { freePort } from "../../src/start/ownRedis/redisChild.ts"
import { readEntries } from "../../src/store/events/eventLog.ts"
import * as keys from "../../src/store/keys.ts"
import type { Contender } from "../contenders.ts"
import type { ReadyAt } from "../load/streamReader.ts"
import { findNchan, type NchanInstallation, writeNchanConfig } from "../peers/nchan.ts"
import { type Child, startServer } from "../support/child.ts"
import { nodeFlags } from "../support/nodeFlags.ts"
import { publicUrl } from "../support/publicUrl.ts"
import { type BenchRedis, dataRoot } from "../support/redisServer.ts"
import { type SideBackend, startSideBackend } from "../support/sides.ts"

/** Contenders that serve event streams, in the order of their turns. */
export const streamNames = ["corrente", "bare", "node", "nchan"] as const satisfies ReadonlyArray<Contender>
export type StreamName = (typeof streamNames)[number]

/** A server of event streams: one process. */
export interface StreamServer extends Child {
  readonly name: StreamName
  readonly port: number
}

/** The content of every event: a charge as the service stores it and as it shows it. */
export interface EventTemplate {
  readonly type: string
  readonly resourceId: string
  readonly stored: string
  readonly shown: string
}

/** What all contenders share: one Redis whose streams they read, and the events. */
export interface StreamEnvironment {
  /** The contenders installed on this machine. */
  readonly names: ReadonlyArray<StreamName>
  readonly redis: BenchRedis
  readonly template: EventTemplate
  /** Decrypts the documents in an entry's data, as the service does. */
  readonly restore: (data: string) => string
  readonly nchan: NchanInstallation | undefined
  /** Starts a contender. `nodeArguments` go before the script; nginx ignores them. */
  readonly start: (name: StreamName, nodeArguments?: ReadonlyArray<string>) => Promise<StreamServer>
}

/** The most an environment must hold. */
export interface StreamEnvironmentOptions {
  readonly connectionsMax: number
  readonly eventsMax: number
}

/** When a contender's stream counts as open: nchan sends no `ready` frame. */
export const readyAtOf = (name: StreamName): ReadyAt => (name === "nchan" ? "head" : "frame")

const pathOf = (relative: string): string => fileURLToPath(new URL(`../../${relative}`, import.meta.url))

const peerScripts = { bare: pathOf("bench/peers/bareStream.ts"), node: pathOf("bench/peers/nodeStream.ts") }

const charge = {
  // The simulator never pays an amount ending in 01 (docs/contract/transactions.md#test-amounts).
  amount: 12_901,
  payment_method: "pix",
  customer: { name: "Maria Aparecida de Souza", email: "maria.souza@example.com", document: "52998224725" },
  items: [{ name: "Camiseta básica algodão M", quantity: 1, unit_amount: 12_901 }],
  metadata: { order_id: "2026-0001234", channel: "web" },
}

/** Creates a charge and reads its event from the feed. */
const makeTemplate = async (
  backend: SideBackend,
  port: number,
  restore: (data: string) => string,
): Promise<EventTemplate> => {
  const response = await fetch(`http://127.0.0.1:${port}/v1/transactions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${backend.apiKey}`,
      "content-type": "application/json",
      "idempotency-key": "template",
    },
    body: JSON.stringify(charge),
  })
  if (response.status !== 201) throw new Error(`creating a charge failed: ${await response.text()}`)
  const feed = { sellerId: backend.sellerId, mode: "test" } as const
  const [entry] = readEntries(await backend.redis.client.xrange(keys.eventsKey(feed), "-", "+"))
  if (entry === undefined) throw new Error("the charge has no event")
  return { type: entry.type, resourceId: entry.resourceId, stored: entry.data, shown: restore(entry.data) }
}

const startNchan = async (
  installation: NchanInstallation,
  options: StreamEnvironmentOptions,
): Promise<StreamServer> => {
  const port = await Effect.runPromise(freePort)
  const folder = mkdtempSync(join(dataRoot, "nchan-"))
  const args = writeNchanConfig(installation, folder, {
    port,
    // nginx needs some for its listening socket and its own channels.
    connectionsMax: options.connectionsMax + 50,
    messagesMax: options.eventsMax,
  })
  const server = await startServer(installation.nginx, args, process.env, /getrlimit\(RLIMIT_NOFILE\)/)
  const stop = async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return { name: "nchan", port, pid: server.pid, stop }
}

const startPeer = async (
  name: keyof typeof peerScripts,
  nodeArguments: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv,
): Promise<StreamServer> => {
  const server = await startServer(
    process.execPath,
    [...nodeFlags, ...nodeArguments, peerScripts[name]],
    env,
    /listening on http:\/\/[^\s:]+:(\d+)/,
  )
  return { name, port: Number(server.said), pid: server.pid, stop: server.stop }
}

/** Runs `body` in an environment, and tears it down afterwards. */
export const withStreamEnvironment = async <A>(
  options: StreamEnvironmentOptions,
  body: (environment: StreamEnvironment) => Promise<A>,
): Promise<A> => {
  const key = randomBytes(32)
  const restore = makeRestore({
    open: makeCipher(plainKey(key)).open,
    urls: makePaymentUrls(plainKey(key), () => publicUrl),
  })
  const nchan = await findNchan()
  const backend = await startSideBackend("corrente", { ENCRYPTION_KEY: key.toString("base64") })
  const { redis } = backend
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    PORT: "0",
    REDIS_URL: redis.url,
    ENCRYPTION_KEY: key.toString("base64"),
  }
  try {
    // The server that makes the template is handed out as the first one asked for.
    const service = await backend.startServer()
    let first: StreamServer | undefined = { name: "corrente", ...service }
    try {
      return await body({
        names: streamNames.filter((name) => name !== "nchan" || nchan !== undefined),
        redis,
        template: await makeTemplate(backend, service.port, restore),
        restore,
        nchan,
        start: async (name, nodeArguments = []) => {
          if (name === "nchan") {
            if (nchan === undefined) throw new Error("nginx with nchan is not installed")
            return startNchan(nchan, options)
          }
          if (name !== "corrente") return startPeer(name, nodeArguments, env)
          const found = nodeArguments.length === 0 ? first : undefined
          first = found === undefined ? first : undefined
          return found ?? { name, ...(await backend.startServer(nodeArguments)) }
        },
      })
    } finally {
      await service.stop()
    }
  } finally {
    await backend.stop()
  }
}
