import { randomBytes, randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { runCommand, startServer } from "./child.ts"
import { type BenchRedis, dataRoot, startBenchRedis } from "./redisServer.ts"

/** Who is measured: the service as its users start it, and the ceiling. */
export const sideNames = ["corrente", "bare"] as const
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

/** One for both sides: what they encrypt is not what is compared, but it should be the same. */
const encryptionKey = randomBytes(32).toString("base64")

const pathOf = (relative: string): string => fileURLToPath(new URL(`../../${relative}`, import.meta.url))

const scripts: Readonly<Record<SideName, string>> = {
  corrente: pathOf("src/main.ts"),
  bare: pathOf("bench/peers/bareServer.ts"),
}
const opsScript = pathOf("src/ops/main.ts")

/** Starts a side: its Redis, its seller (made by `ops` for both) and its server, one process, on free ports. */
export const startSide = async (
  name: SideName,
  settings: Readonly<Record<string, string>> = {},
): Promise<Side> => {
  const redis = await startBenchRedis()
  const dataDir = mkdtempSync(join(dataRoot, `${name}-`))
  // Nothing else of the caller's environment: settings of his own would be measured instead.
  const environment = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    PORT: "0",
    REDIS_URL: redis.url,
    DATA_DIR: dataDir,
    ENCRYPTION_KEY: encryptionKey,
    ...settings,
  }
  const stopRedis = async () => {
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
    const server = await startServer(
      process.execPath,
      [scripts[name]],
      environment,
      /listening on http:\/\/[^\s:]+:(\d+)/,
    )
    return {
      name,
      port: Number(server.said),
      pid: server.pid,
      redis,
      sellerId: seller.seller_id,
      apiKey: seller.api_keys.test,
      ops,
      stop: async () => {
        await server.stop()
        await stopRedis()
      },
    }
  } catch (error) {
    await stopRedis()
    throw error
  }
}

/** Runs `body` with sides that are stopped at its end, whatever it is. */
export const withSides = async <A>(
  names: ReadonlyArray<SideName>,
  settings: Readonly<Record<string, string>>,
  body: (sides: ReadonlyArray<Side>) => Promise<A>,
): Promise<A> => {
  const sides: Array<Side> = []
  try {
    for (const name of names) sides.push(await startSide(name, settings))
    return await body(sides)
  } finally {
    for (const side of sides) await side.stop()
  }
}
