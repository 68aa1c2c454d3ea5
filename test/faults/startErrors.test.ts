import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:net"
import { join } from "node:path"
import { Redis } from "ioredis"
import { afterEach, describe, expect, it } from "vitest"
import { apiClient } from "../support/apiClient.ts"
import { freeTestPort } from "../support/ports.ts"
import { startTestRedis } from "../support/redis.ts"
import { newDataDir, runService, startService } from "../support/service.ts"
import { until } from "../support/until.ts"

const undo: Array<() => unknown> = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

const listenOn = async (server: Server): Promise<number> => {
  const port = await freeTestPort()
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done))
  undo.push(() => server.close())
  return port
}

/** Answers commands as a Redis of a version that this machine cannot run. */
const answerAs = (version: string) => (command: string) => {
  if (/^(INFO)$/i.test(command)) {
    const info = `# Server\r\nredis_version:${version}\r\nloading:0\r\n`
    return `$${info.length}\r\n${info}\r\n`
  }
  if (/^(CLIENT|PING)$/i.test(command)) return "+OK\r\n"
  return `-ERR unknown command '${command}', with args beginning with: \r\n`
}

/** Listens like a Redis and answers each command by its name. */
const pretendRedis = (answer: (command: string) => string) =>
  createServer((socket) => {
    socket.on("error", () => {})
    socket.on("data", (bytes) => {
      // Commands arrive whole, since they are short, and each begins with an array's head and its name.
      for (const [, name = ""] of bytes.toString().matchAll(/\*\d+\r\n\$\d+\r\n([^\r]+)\r\n/g)) {
        socket.write(answer(name))
      }
    })
  })

const configure = async (url: string, name: string, value: string): Promise<void> => {
  const connection = new Redis(url)
  await connection.config("SET", name, value)
  connection.disconnect()
}

/** Starts the service, which must fail to start, and returns its output: words for a user, without a stack. */
const refusal = async (env: Readonly<Record<string, string>>): Promise<string> => {
  const { code, signal, output } = await runService({ PORT: "0", DATA_DIR: newDataDir(), ...env })
  expect({ code, signal }).toEqual({ code: 1, signal: null })
  expect(output).not.toMatch(/^\s+at .+:\d+:\d+\)?$/m)
  expect(output).not.toContain("is listening on")
  return output.trim()
}

describe("a service that cannot start", () => {
  it("the service says what to do when its port is taken", async () => {
    const port = await listenOn(createServer())
    expect(await refusal({ PORT: String(port) })).toContain(
      `Port ${port} on 127.0.0.1 is taken. Set PORT to a free one (0 lets the system choose), or stop the process that uses it.`,
    )
  })

  it("the service names all wrong settings at once, and shows no secret", async () => {
    const output = await refusal({
      PORT: "eighty",
      SIMULATOR_DELAY_MS: "-1",
      ENCRYPTION_KEY: "c2VjcmV0",
      REDIS_URL: "localhost:6379",
    })
    const lines = output.split("\n")
    expect(lines[0]).toBe("These settings are wrong:")
    for (const name of ["PORT", "SIMULATOR_DELAY_MS", "ENCRYPTION_KEY", "REDIS_URL"]) {
      expect(lines.filter((line) => line.startsWith(`- ${name} `))).toHaveLength(1)
    }
    expect(lines).toHaveLength(5)
    expect(output).not.toContain("c2VjcmV0")
  })

  it("the service says what to do when no Redis answers at REDIS_URL", async () => {
    const port = await freeTestPort()
    expect(await refusal({ REDIS_URL: `redis://user:hunter2@127.0.0.1:${port}` })).toBe(
      `No Redis answers at redis://127.0.0.1:${port} (connect ECONNREFUSED 127.0.0.1:${port}). Start it, correct REDIS_URL, or leave REDIS_URL out to run one of our own.`,
    )
  })

  it("the service says what to do when REDIS_URL names a host that does not exist", async () => {
    const output = await refusal({ REDIS_URL: "redis://redis.invalid:6379" })
    expect(output).toMatch(
      /^No Redis answers at redis:\/\/redis\.invalid:6379 \(.+\)\. Start it, correct REDIS_URL/,
    )
  })

  it.each([
    { what: "password is wrong", userInfo: ":hunter2@", reason: "WRONGPASS" },
    { what: "password is missing", userInfo: "", reason: "NOAUTH" },
  ])("the service says what to do when its Redis $what", async ({ userInfo, reason }) => {
    const redis = await startTestRedis()
    undo.push(redis.stop)
    await configure(redis.url, "requirepass", "secret")
    const { port } = redis
    const output = await refusal({ REDIS_URL: `redis://${userInfo}127.0.0.1:${port}` })
    expect(output).toMatch(
      new RegExp(
        `^The Redis at redis://127\\.0\\.0\\.1:${port} refuses the credentials of REDIS_URL \\(${reason} .+\\)\\. Correct them: redis://user:password@host:port\\.$`,
      ),
    )
    expect(output).not.toContain("hunter2")
  })

  it("the service says what to do when its Redis is older than its function library needs", async () => {
    const port = await listenOn(pretendRedis(answerAs("6.2.14")))
    expect(await refusal({ REDIS_URL: `redis://127.0.0.1:${port}` })).toBe(
      "This Redis is 6.2.14, which is too old: Corrente needs 7.0 or later. Upgrade it, set REDIS_URL to a newer one, or leave REDIS_URL out to run one of our own.",
    )
  })

  it("the service says what to do when DATA_DIR cannot be written", async () => {
    const file = join(newDataDir(), "file")
    writeFileSync(file, "")
    expect(await refusal({ DATA_DIR: join(file, "data") })).toContain(
      `- DATA_DIR ${join(file, "data")} cannot be used (ENOTDIR). Set it to a folder that this user may write`,
    )
  })

  it("the service says what to do when the folder of its own Redis cannot be written", async () => {
    const dataDir = newDataDir()
    writeFileSync(join(dataDir, "redis"), "")
    expect(await refusal({ DATA_DIR: dataDir })).toMatch(
      /^Cannot write .+\/redis \(E\w+\)\. Set DATA_DIR to a folder that this user may write, or REDIS_URL to a Redis that already runs\.$/,
    )
  })

  it("the service says what to do when another one runs on the same data folder", async () => {
    const service = await startService()
    undo.push(service.stop)
    expect(await refusal({ DATA_DIR: service.dataDir })).toBe(
      `Corrente already runs on the data folder ${service.dataDir} (process ${service.pid}). Stop it first, or set another DATA_DIR (and PORT) for this one.`,
    )
  })

  it("the service says what to do when there is no redis-server to run", async () => {
    const emptyPath = newDataDir()
    mkdirSync(join(emptyPath, "bin"))
    expect(await refusal({ PATH: join(emptyPath, "bin") })).toMatch(
      /^redis-server could not be run \(ENOENT\)\. Install Redis 7\.0 or later .+, or set REDIS_URL to a Redis that already runs\.$/,
    )
    rmSync(emptyPath, { recursive: true })
  })
})

it("a Redis that may lose writes, or restore part of a cut commit, is used with a warning until its settings are right", async () => {
  const redis = await startTestRedis({ appendfsync: "no" })
  undo.push(redis.stop)
  await configure(redis.url, "aof-load-truncated", "yes")
  const service = await startService({ redisUrl: redis.url })
  undo.push(service.stop)
  const loses = "Redis may lose acknowledged writes: appendfsync is no, set it to always."
  const cuts = "Redis has aof-load-truncated set to yes"
  expect(service.log()).toContain(loses)
  expect(service.log()).toContain(cuts)
  const client = apiClient(service.url, "none")
  undo.push(client.close)
  const ready = await client.get("/ready")
  expect(ready.status).toBe(503)
  expect(ready.json()).toMatchObject({
    status: "degraded",
    checks: {
      redis: "ok",
      durability: { error: loses },
      functions: "ok",
    },
  })

  await configure(redis.url, "appendfsync", "always")
  // What Redis says may be 100 ms old.
  await until("Redis to be set right", async () => (await client.get("/ready")).status === 200)
  await configure(redis.url, "aof-load-truncated", "no")
  const before = service.log().length
  await service.restart()
  for (const sentence of [loses, cuts]) expect(service.log().slice(before)).not.toContain(sentence)
  await until("the scheduler's first look", async () => (await client.get("/ready")).status === 200)
})
