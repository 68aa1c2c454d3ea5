import { execFile, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { Redis } from "ioredis"
import { afterEach } from "vitest"
import { ownRedisServer } from "../../src/start/ownRedis/ownRedisServer.ts"
import { processRecord } from "../../src/start/ownRedis/processIdentity.ts"
import { freePort, redisArguments } from "../../src/start/ownRedis/redisChild.ts"
import { probeRedis } from "../../src/start/ownRedis/redisProbe.ts"

const undo: Array<() => void> = []
afterEach(() => {
  for (const step of undo.splice(0).reverse()) step()
})

const newDataDir = (): string => {
  const dataDir = mkdtempSync(join(tmpdir(), "corrente-password-"))
  undo.push(() => rmSync(dataDir, { recursive: true, force: true }))
  mkdirSync(join(dataDir, "redis"))
  return dataDir
}

const addressFileOf = (dataDir: string): string => join(dataDir, "redis", "address")

/** Runs our own Redis during `body`. */
const withOwnRedis = <A, E>(
  dataDir: string,
  body: (redis: { readonly url: string; readonly pid: number }) => Effect.Effect<A, E>,
) => Effect.scoped(Effect.flatMap(ownRedisServer({ dataDir }), body)).pipe(Effect.provide(Logger.layer([])))

/** A command's reply over a URL, or its error's message. */
const askUnder = (url: string, command: string, ...args: ReadonlyArray<string>): Effect.Effect<unknown> =>
  Effect.promise(async () => {
    const redis = new Redis(url, {
      protocol: 2,
      lazyConnect: true,
      enableReadyCheck: false,
      retryStrategy: () => null,
    })
    redis.on("error", () => {})
    try {
      await redis.connect()
      return await redis.call(command, ...args)
    } catch (error) {
      return (error as Error).message
    } finally {
      redis.disconnect()
    }
  })

const withoutPassword = (url: string): string => url.replace(/\/\/.*@/, "//")

/** A server with one key, started as by earlier versions: without a password. */
const serverOfEarlierVersion = (dataDir: string) =>
  Effect.gen(function* () {
    const port = yield* freePort
    const folder = join(dataDir, "redis")
    const child = spawn("redis-server", redisArguments(port, folder), { cwd: folder, stdio: "ignore" })
    const pid = child.pid ?? 0
    undo.push(() => child.kill("SIGKILL"))
    while ((yield* probeRedis({ port, password: undefined }))?.state !== "ready") yield* Effect.sleep(10)
    const url = `redis://127.0.0.1:${port}`
    yield* askUnder(url, "SET", "kept", "yes")
    return { url, pid, child }
  })

describe("the password of our own Redis", () => {
  it.live(
    "our own Redis does nothing without its password, which its address file has for this user alone",
    () =>
      Effect.gen(function* () {
        const dataDir = newDataDir()
        yield* withOwnRedis(dataDir, ({ url, pid }) =>
          Effect.gen(function* () {
            const password = /^redis:\/\/default:([\w-]{32})@127\.0\.0\.1:\d+$/.exec(url)?.[1] ?? ""
            assert.isNotEmpty(password)
            assert.strictEqual(readFileSync(addressFileOf(dataDir), "utf8"), `${url}\n`)
            assert.strictEqual(statSync(addressFileOf(dataDir)).mode & 0o777, 0o600)
            assert.include(String(yield* askUnder(withoutPassword(url), "PING")), "NOAUTH")
            assert.strictEqual(yield* askUnder(url, "PING"), "PONG")
            if (process.platform === "linux") {
              assert.notInclude(readFileSync(`/proc/${pid}/cmdline`, "latin1"), password)
            }
            const cli = `redis-cli -u "$(cat '${addressFileOf(dataDir)}')" PING`
            const { stdout } = yield* Effect.promise(() => promisify(execFile)("sh", ["-c", cli]))
            assert.strictEqual(stdout, "PONG\n")
          }),
        )
      }),
  )

  it.live("our own Redis has another password at each start", () =>
    Effect.gen(function* () {
      const dataDir = newDataDir()
      const urlOf = withOwnRedis(dataDir, ({ url }) => Effect.succeed(url.replace(/@.*/, "")))
      assert.notStrictEqual(yield* urlOf, yield* urlOf)
    }),
  )

  it.live("our own Redis keeps its password when it is killed and started again", () =>
    withOwnRedis(newDataDir(), (redis) =>
      Effect.gen(function* () {
        const { url, pid } = redis
        process.kill(pid, "SIGKILL")
        while (redis.pid === pid || (yield* askUnder(url, "PING")) !== "PONG") yield* Effect.sleep(10)
        assert.strictEqual(redis.url, url)
        assert.include(String(yield* askUnder(withoutPassword(url), "PING")), "NOAUTH")
      }),
    ),
  )

  it.live("our own Redis opens the data of an earlier version, which had no password", () =>
    Effect.gen(function* () {
      const dataDir = newDataDir()
      const { child } = yield* serverOfEarlierVersion(dataDir)
      yield* Effect.callback<void>((resume) => {
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGTERM")
      })
      const kept = yield* withOwnRedis(dataDir, ({ url }) => askUnder(url, "GET", "kept"))
      assert.strictEqual(kept, "yes")
    }),
  )

  for (const moment of ["an earlier version left", "was to get one when its process died"]) {
    it.live(`our own Redis sets a password on a server that ${moment}`, () =>
      Effect.gen(function* () {
        const dataDir = newDataDir()
        const { url, pid } = yield* serverOfEarlierVersion(dataDir)
        const isLeft = moment === "an earlier version left"
        const address = isLeft ? url : url.replace("//", "//default:half-way@")
        writeFileSync(addressFileOf(dataDir), `${address}\n`)
        writeFileSync(join(dataDir, "redis", "process.json"), JSON.stringify(processRecord(pid)))
        yield* withOwnRedis(dataDir, (redis) =>
          Effect.gen(function* () {
            assert.strictEqual(redis.pid, pid)
            assert.strictEqual(readFileSync(addressFileOf(dataDir), "utf8"), `${redis.url}\n`)
            assert.notStrictEqual(withoutPassword(redis.url), redis.url)
            assert.include(String(yield* askUnder(url, "PING")), "NOAUTH")
            assert.strictEqual(yield* askUnder(redis.url, "GET", "kept"), "yes")
          }),
        )
      }),
    )
  }
})
