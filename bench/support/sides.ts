import { randomBytes, randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Contender } from "../contenders.ts"
import { runCommand, startServer } from "./child.ts"
import { nodeFlags } from "./nodeFlags.ts"
import { type BenchRedis, dataRoot, startBenchRedis } from "./redisServer.ts"

/** Contenders that serve the API of charges: the service as its users start it, the ceiling, and peers. */
export const sideNames = [
  "corrente",
  "bare",
  "fastify",
  "fastify-qrcode",
] as const satisfies ReadonlyArray<Contender>
export type SideName = (typeof sideNames)[number]

/** A server under load, with a Redis and a seller of its own. */
export interface Side {
  readonly name: SideName
  readonly port: number
  readonly pid: number
  readonly redis: BenchRedis
  readonly sellerId: string
  /** Of test mode. */
  readonly apiKey: string
  /** Runs an `ops` command against the side's Redis; its JSON. */
  readonly ops: (args: ReadonlyArray<string>) => Promise<unknown>
  readonly stop: () => Promise<void>
}

/** ENCRYPTION_KEY of all sides: what they encrypt is not what is compared, but it should be the same. */
export const encryptionKey = randomBytes(32).toString("base64")

const pathOf = (relative: string): string => fileURLToPath(new URL(`../../${relative}`, import.meta.url))

interface SideServer {
  readonly script: string
  readonly settings?: Readonly<Record<string, string>>
}

const servers: Readonly<Record<SideName, SideServer>> = {
  // As many streams as the machine's open files permit: nothing else wants them here.
  corrente: { script: pathOf("src/main.ts"), settings: { CONNECTIONS_MAX: "1000000" } },
  bare: { script: pathOf("bench/peers/bareServer.ts") },
  fastify: { script: pathOf("bench/peers/fastifyServer.ts") },
  "fastify-qrcode": {
    script: pathOf("bench/peers/fastifyServer.ts"),
    settings: { QR_PACKAGE: "qrcode" },
  },
}
const opsScript = pathOf("src/ops/main.ts")

/** A side without its server, which may be started as often as one likes. */
export interface SideGround extends Omit<Side, "port" | "pid"> {
  /** Starts its server, one process, on a free port. `nodeArguments` stand before the script. */
  readonly startServer: (
    nodeArguments?: ReadonlyArray<string>,
  ) => Promise<Pick<Side, "port" | "pid" | "stop">>
}

/** Starts a side's Redis, one server unless told otherwise, and makes its seller (by `ops` for all). */
export const startSideGround = async (
  name: SideName,
  settings: Readonly<Record<string, string>> = {},
  openRedis: () => Promise<BenchRedis> = startBenchRedis,
): Promise<SideGround> => {
  const redis = await openRedis()
  const dataDir = mkdtempSync(join(dataRoot, `${name}-`))
  // Nothing else of the caller's environment: settings of his own would be measured instead.
  const environment = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    PORT: "0",
    REDIS_URL: redis.url,
    DATA_DIR: dataDir,
    ENCRYPTION_KEY: encryptionKey,
    ...servers[name].settings,
    ...settings,
  }
  const stop = async () => {
    await redis.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  try {
    const ops = async (args: ReadonlyArray<string>): Promise<unknown> =>
      JSON.parse(await runCommand(process.execPath, [opsScript, ...args], environment))
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

/** Starts a side: its Redis, its seller (made by `ops` for all) and its server, one process, on free ports. */
export const startSide = async (
  name: SideName,
  settings: Readonly<Record<string, string>> = {},
  nodeArguments: ReadonlyArray<string> = [],
): Promise<Side> => {
  const { startServer: start, ...ground } = await startSideGround(name, settings)
  try {
    const server = await start(nodeArguments)
    return {
      ...ground,
      ...server,
      stop: async () => {
        await server.stop()
        await ground.stop()
      },
    }
  } catch (error) {
    await ground.stop()
    throw error
  }
}

/** Runs `body` with sides, in the order of `names`, that are stopped at its end, whatever it is. */
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
