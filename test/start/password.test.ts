import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { Redis } from "ioredis"
import { afterEach } from "vitest"
import { ownRedisServer } from "../../src/start/ownRedis/ownRedisServer.ts"

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
})
