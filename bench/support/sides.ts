import { randomBytes, randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Contender } from "../contenders.ts"
import { runCommand, startServer } from "./child.ts"
import { nodeFlags } from "./nodeFlags.ts"
import { publicUrl } from "./publicUrl.ts"
import { type BenchRedis, dataRoot, startBenchRedis } from "./redisServer.ts"

/** Contenders that serve the charges API: the service as its users start it, the bare ceiling, and peers. */
export const sideNames = [
  "corrente",
  "bare",
  "fastify",
  "fastify-qrcode",
] as const satisfies ReadonlyArray<Contender>
export type SideName = (typeof sideNames)[number]

/** A server under load, with its own Redis and seller. */
export interface Side {
  readonly name: SideName
  readonly port: number
  readonly pid: number
  readonly redis: BenchRedis
  readonly sellerId: string
  /** The seller's test-mode key. */
  readonly apiKey: string
  /** Runs an `ops` command against the side's Redis; returns the document it prints. */
  readonly ops: (args: ReadonlyArray<string>) => Promise<unknown>
  readonly stop: () => Promise<void>
}

/** ENCRYPTION_KEY of every side, so that all encrypt alike. */
export const encryptionKey = randomBytes(32).toString("base64")

const pathOf = (relative: string): string => fileURLToPath(new URL(`../../${relative}`, import.meta.url))

interface SideServer {
  readonly script: string
  readonly settings?: Readonly<Record<string, string>>
}

const servers: Readonly<Record<SideName, SideServer>> = {
  // Allows as many streams as the machine has open files: nothing else needs them here. Audits would run beside the work.
  corrente: {
    script: pathOf("src/main.ts"),
    settings: { CONNECTIONS_MAX: "1000000", AUDIT_INTERVAL_SECONDS: "0" },
  },
  bare: { script: pathOf("bench/peers/bareServer.ts") },
  fastify: { script: pathOf("bench/peers/fastifyServer.ts") },
  "fastify-qrcode": {
    script: pathOf("bench/peers/fastifyServer.ts"),
    settings: { QR_PACKAGE: "qrcode" },
  },
}
const opsScript = pathOf("src/ops/main.ts")

/** A side's Redis and seller, without its server, which can be started any number of times. */
export interface SideBackend extends Omit<Side, "port" | "pid"> {
  /** Starts its server, one process, on a free port. `nodeArguments` go before the script. */
  readonly startServer: (
    nodeArguments?: ReadonlyArray<string>,
  ) => Promise<Pick<Side, "port" | "pid" | "stop">>
}

/** Starts a side's Redis (by default one server) and creates its seller with `ops`. */
export const startSideBackend = async (
  name: SideName,
  settings: Readonly<Record<string, string>> = {},
  openRedis: () => Promise<BenchRedis> = startBenchRedis,
): Promise<SideBackend> => {
  const redis = await openRedis()
  const dataDir = mkdtempSync(join(dataRoot, `${name}-`))
  // Leaves out the rest of the caller's environment, which would change what is measured: what tests start is a bundle, in which
  // nothing can be left out (bench/costs).
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const environment = {
    ...{ PATH, HOME, NODE_COMPILE_CACHE },
    PORT: "0",
    REDIS_URL: redis.url,
    DATA_DIR: dataDir,
    ENCRYPTION_KEY: encryptionKey,
    PUBLIC_URL: publicUrl,
    ...servers[name].settings,
    ...settings,
  }
  const stop = async () => {
    await redis.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  try {
    // Commands are not measured and may start as their caller's processes do. Where nobody signs in, passwords are cheap.
    const opsEnvironment = {
      ...environment,
      NODE_OPTIONS: process.env.NODE_OPTIONS,
      PASSWORD_COST: settings.PASSWORD_COST ?? "4",
    }
    const ops = async (args: ReadonlyArray<string>): Promise<unknown> =>
      JSON.parse(await runCommand(process.execPath, [opsScript, ...args], opsEnvironment))
    const seller = (await ops([
      ...["seller", "create", "--email", "bench@example.com", "--name", "Bench"],
      ...["--password", randomUUID()],
    ])) as { readonly seller_id: string; readonly api_keys: { readonly test: string } }
    return {
      name,
      redis,
      sellerId: seller.seller_id,
      apiKey: seller.api_keys.test,
      ops,
      stop,
      startServer: async (nodeArguments = []) => {
        const server = await startServer(
          process.execPath,
          [...nodeFlags, ...nodeArguments, servers[name].script],
          environment,
          /listening on http:\/\/[^\s:]+:(\d+)/,
        )
        return { port: Number(server.said), pid: server.pid, stop: server.stop }
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Starts a side: its Redis, its seller (created with `ops`) and its server, one process, on free ports. */
export const startSide = async (
  name: SideName,
  settings: Readonly<Record<string, string>> = {},
  nodeArguments: ReadonlyArray<string> = [],
): Promise<Side> => {
  const { startServer: start, ...backend } = await startSideBackend(name, settings)
  try {
    const server = await start(nodeArguments)
    return {
      ...backend,
      ...server,
      stop: async () => {
        await server.stop()
        await backend.stop()
      },
    }
  } catch (error) {
    await backend.stop()
    throw error
  }
}

/** Runs `body` with sides in the order of `names`, and stops them afterwards. */
export const withSides = async <A>(
  names: ReadonlyArray<SideName>,
  settings: Readonly<Record<string, string>>,
  body: (sides: ReadonlyArray<Side>) => Promise<A>,
): Promise<A> => {
  const started = await Promise.allSettled(names.map((name) => startSide(name, settings)))
  const sides = started.flatMap((side) => (side.status === "fulfilled" ? [side.value] : []))
  try {
    for (const side of started) if (side.status === "rejected") throw side.reason
    return await body(sides)
  } finally {
    for (const side of sides) await side.stop()
  }
}
