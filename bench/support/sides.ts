import { randomBytes, randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { runCommand, startServer } from "./child.ts"
import { type BenchRedis, dataRoot, startBenchRedis } from "./redisServer.ts"
import { nodeFlags, publicUrl } from "./settings.ts"

const pathOf = (relative: string): string => fileURLToPath(new URL(`../../${relative}`, import.meta.url))

type Settings = Readonly<Record<string, string>>

/** Contenders that serve the charges API: the service as its users start it, the bare ceiling, and peers. */
const servers = {
  // Allows as many streams as the machine has open files: nothing else needs them here. Audits would run beside the work.
  corrente: {
    script: pathOf("dist/main.mjs"),
    settings: { CONNECTIONS_MAX: "1000000", AUDIT_INTERVAL_SECONDS: "0" } as Settings,
  },
  bare: { script: pathOf("bench/peers/bareServer.ts"), settings: {} as Settings },
  fastify: { script: pathOf("bench/peers/fastifyServer.ts"), settings: {} as Settings },
  "fastify-qrcode": {
    script: pathOf("bench/peers/fastifyServer.ts"),
    settings: { QR_PACKAGE: "qrcode" } as Settings,
  },
} as const
export type SideName = keyof typeof servers
export const sideNames = Object.keys(servers) as ReadonlyArray<SideName>

const opsScript = pathOf("dist/ops.mjs")

/**
 * Node's arguments with which SIGUSR2 collects all garbage and returns the freed pages, as V8 does by itself some 16 s after a
 * process becomes idle.
 */
export const collectArguments = [
  ...["--expose-gc", "--import"],
  `data:text/javascript,process.on("SIGUSR2",()=>gc({type:"major",execution:"sync",flavor:"last-resort"}))`,
]

/** ENCRYPTION_KEY of every side, so that all encrypt alike. */
export const encryptionKey = randomBytes(32).toString("base64")

/** A side's Redis and seller, without its server, which can be started any number of times. */
export interface SideBackend {
  readonly name: SideName
  readonly redis: BenchRedis
  readonly sellerId: string
  readonly apiKey: string
  /** Runs an `ops` command against the side's Redis; returns the document it prints. */
  readonly ops: (args: ReadonlyArray<string>) => Promise<unknown>
  readonly stop: () => Promise<void>
  /** Starts its server, one process, on a free port. `nodeArguments` go before the script. */
  readonly startServer: (
    nodeArguments?: ReadonlyArray<string>,
  ) => Promise<{ readonly port: number; readonly pid: number; readonly stop: () => Promise<void> }>
}

/** A server under load, with its own Redis and seller. */
export interface Side extends Omit<SideBackend, "startServer"> {
  readonly port: number
  readonly pid: number
}

/** Starts a side's Redis (by default one server) and creates its seller with `ops`. */
export const startSideBackend = async (
  name: SideName,
  settings: Settings = {},
  openRedis: () => Promise<BenchRedis> = startBenchRedis,
): Promise<SideBackend> => {
  const redis = await openRedis()
  const dataDir = mkdtempSync(join(dataRoot, `${name}-`))
  const stop = async () => {
    await redis.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  // Leaves out the rest of the caller's environment, which would change what is measured.
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const environment = {
    PATH,
    HOME,
    NODE_COMPILE_CACHE,
    PORT: "0",
    REDIS_URL: redis.url,
    DATA_DIR: dataDir,
    ENCRYPTION_KEY: encryptionKey,
    PUBLIC_URL: publicUrl,
    ...servers[name].settings,
    ...settings,
  }
  try {
    // Where nobody signs in, passwords are cheap.
    const opsEnvironment = { ...environment, PASSWORD_COST: settings.PASSWORD_COST ?? "4" }
    const ops = async (args: ReadonlyArray<string>): Promise<unknown> =>
      JSON.parse(await runCommand(process.execPath, [opsScript, ...args], opsEnvironment))
    const seller = (await ops([
      ...["seller", "create", "--email", "bench@example.com", "--name", "Bench"],
      ...["--password", randomUUID()],
    ])) as { readonly seller_id: string; readonly api_keys: { readonly test: string } }
    return {
      name,
      redis,
      ops,
      stop,
      sellerId: seller.seller_id,
      apiKey: seller.api_keys.test,
      startServer: async (nodeArguments = []) => {
        const args = [...nodeFlags, ...nodeArguments, servers[name].script]
        const ready = /listening on http:\/\/[^\s:]+:(\d+)/
        const server = await startServer(process.execPath, args, environment, ready)
        return { port: Number(server.said), pid: server.pid, stop: server.stop }
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

interface SideOptions {
  /** Node's arguments before the script. */
  readonly nodeArguments?: ReadonlyArray<string>
  readonly openRedis?: () => Promise<BenchRedis>
}

/** Starts a side: its Redis, its seller and its server, one process, on free ports. */
export const startSide = async (
  name: SideName,
  settings: Settings = {},
  { nodeArguments = [], openRedis }: SideOptions = {},
): Promise<Side> => {
  const { startServer: start, ...backend } = await startSideBackend(name, settings, openRedis)
  try {
    const server = await start(nodeArguments)
    return { ...backend, ...server, stop: () => server.stop().then(backend.stop) }
  } catch (error) {
    await backend.stop()
    throw error
  }
}

/** Runs `body` with sides in the order of `names`, and stops them afterwards. */
export const withSides = async <A>(
  names: ReadonlyArray<SideName>,
  settings: Settings,
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

export const withService = async <A>(
  settings: Settings,
  body: (side: Side) => Promise<A>,
  options: SideOptions = {},
): Promise<A> => {
  const side = await startSide("corrente", settings, options)
  return body(side).finally(side.stop)
}
