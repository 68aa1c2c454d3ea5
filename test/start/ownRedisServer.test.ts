import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Logger, Redacted, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Redis } from "ioredis"
import { afterEach } from "vitest"
import { ownRedisServer } from "../../src/start/ownRedis/ownRedisServer.ts"
import { processRecord } from "../../src/start/ownRedis/processIdentity.ts"
import { redisUrlFor } from "../../src/start/ownRedis/redisUrlFor.ts"
import { loadingCache } from "../support/loadingCache.ts"
import { startTestRedis } from "../support/redis.ts"

const undo: Array<() => void> = []
afterEach(() => {
  for (const step of undo.splice(0).reverse()) step()
})

const killQuietly = (pid: number) => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It is gone already.
  }
}

const newDataDir = (): string => {
  const dataDir = mkdtempSync(join(tmpdir(), "corrente-own-redis-"))
  undo.push(() => {
    // A failed test may leave a server running; it must end before its folder is removed.
    try {
      killQuietly(JSON.parse(readFileSync(join(dataDir, "redis", "process.json"), "utf8")).pid)
    } catch {
      // None is left.
    }
    rmSync(dataDir, { recursive: true, force: true })
  })
  return dataDir
}

/** Runs our own Redis during `body`. */
const withOwnRedis = <A, E>(
  dataDir: string,
  body: (redis: { readonly url: string; readonly pid: number }) => Effect.Effect<A, E>,
) => Effect.scoped(Effect.flatMap(ownRedisServer({ dataDir }), body)).pipe(Effect.provide(Logger.layer([])))

/** Connects to a Redis; commands wait while it is away. */
const talk = <A>(url: string, body: (redis: Redis) => Promise<A>): Effect.Effect<A> =>
  Effect.promise(async () => {
    const redis = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => 20 })
    redis.on("error", () => {})
    try {
      return await body(redis)
    } finally {
      redis.disconnect()
    }
  })

const configOf = (url: string, names: ReadonlyArray<string>) =>
  talk(url, async (redis) => {
    const values: Record<string, string> = {}
    for (const name of names) {
      const [, value] = (await redis.call("CONFIG", "GET", name)) as [string, string]
      values[name] = value
    }
    return values
  })

const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.andThen(Effect.sleep(10), until(holds))))

type Printed = { readonly url: string; readonly pid: number } | { readonly error: string }

/** A separate process that runs `ownRedisServer`, and the line it printed. */
const otherProcess = async (dataDir: string): Promise<{ child: ChildProcess; printed: Printed }> => {
  const script = fileURLToPath(new URL("../support/ownRedisProcess.ts", import.meta.url))
  const child = spawn(process.execPath, [script, dataDir], {
    env: { ...process.env, ...loadingCache },
    stdio: ["ignore", "pipe", "inherit"],
  })
  undo.push(() => child.kill("SIGKILL"))
  let text = ""
  for await (const chunk of child.stdout) {
    text += chunk
    if (text.includes("\n")) break
  }
  return { child, printed: JSON.parse(text) }
}

const started = (printed: Printed) => {
  assert.isTrue("url" in printed, JSON.stringify(printed))
  return printed as Extract<Printed, { url: string }>
}

const killed = (child: ChildProcess): Promise<void> =>
  new Promise((done) => {
    child.once("exit", () => done())
    child.kill("SIGKILL")
  })

describe("our own Redis", () => {
  it.live(
    "our own Redis has every write on disk before its reply, evicts nothing and listens on this machine alone",
    () =>
      withOwnRedis(newDataDir(), (redis) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(
            yield* configOf(redis.url, ["appendonly", "appendfsync", "maxmemory-policy", "save", "bind"]),
            {
              appendonly: "yes",
              appendfsync: "always",
              "maxmemory-policy": "noeviction",
              save: "",
              bind: "127.0.0.1",
            },
          )
        }),
      ),
  )

  it.live("our own Redis keeps a charge's hash as a list", () =>
    withOwnRedis(newDataDir(), (redis) =>
      Effect.gen(function* () {
        const encoding = (size: number) =>
          talk(redis.url, async (client) => {
            await client.hset(`txn:${size}`, "document", "x".repeat(size), "status", "paid")
            return client.object("ENCODING", `txn:${size}`)
          })
        assert.strictEqual(yield* encoding(1_300), "listpack")
        assert.strictEqual(yield* encoding(2_049), "hashtable")
      }),
    ),
  )

  it.live(
    "our own Redis keeps its data over an orderly stop and start, and leaves no process or address behind",
    () =>
      Effect.gen(function* () {
        const dataDir = newDataDir()
        const pid = yield* withOwnRedis(dataDir, (redis) =>
          talk(redis.url, (client) => client.set("kept", "yes")).pipe(Effect.as(redis.pid)),
        )
        assert.isUndefined(processRecord(pid))
        assert.isFalse(existsSync(join(dataDir, "redis", "address")))
        assert.isFalse(existsSync(join(dataDir, "redis", "owner.json")))
        const value = yield* withOwnRedis(dataDir, (redis) => talk(redis.url, (client) => client.get("kept")))
        assert.strictEqual(value, "yes")
      }),
  )

  it.live("our own Redis is found by its address file while it runs, and not afterwards", () =>
    Effect.gen(function* () {
      const dataDir = newDataDir()
      const settings = { redisUrl: undefined, dataDir }
      yield* withOwnRedis(dataDir, (redis) =>
        Effect.gen(function* () {
          assert.strictEqual(readFileSync(join(dataDir, "redis", "address"), "utf8"), `${redis.url}\n`)
          assert.strictEqual(Redacted.value(yield* redisUrlFor(settings)), redis.url)
        }),
      )
      const error = yield* Effect.flip(redisUrlFor(settings))
      assert.include(error.message, `No Redis runs for the data folder ${dataDir}`)
      assert.include(error.message, "npm start")
    }),
  )

  it.live("our own Redis starts again on its port, with its data, when it is killed", () =>
    withOwnRedis(newDataDir(), (redis) =>
      Effect.gen(function* () {
        const { url, pid } = redis
        yield* talk(url, (client) => client.set("kept", "yes"))
        process.kill(pid, "SIGKILL")
        assert.strictEqual(yield* talk(url, (client) => client.get("kept")), "yes")
        yield* until(() => redis.pid !== pid)
        assert.strictEqual(redis.url, url)
      }),
    ),
  )

  it.live(
    "our own Redis keeps trying while another program has its port, and runs once the port is free",
    () =>
      withOwnRedis(newDataDir(), (redis) =>
        Effect.gen(function* () {
          const { url, pid } = redis
          const thief = createServer((socket) => socket.destroy())
          const tryToListen = () => thief.listen(Number(new URL(url).port), "127.0.0.1")
          thief.on("error", tryToListen)
          process.kill(pid, "SIGKILL")
          tryToListen()
          yield* until(() => thief.listening)
          yield* until(() => redis.pid !== pid && processRecord(redis.pid) === undefined)
          thief.close()
          assert.strictEqual(yield* talk(url, (client) => client.ping()), "PONG")
        }),
      ),
  )

  it.live("our own Redis refuses a second process on its data folder and says which one has it", () =>
    Effect.gen(function* () {
      const dataDir = newDataDir()
      const { child } = yield* Effect.promise(() => otherProcess(dataDir))
      const error = yield* Effect.flip(withOwnRedis(dataDir, () => Effect.void))
      assert.include(error.message, `already runs on the data folder ${dataDir} (process ${child.pid})`)
      assert.include(error.message, "set another DATA_DIR")
    }),
  )

  it.live("exactly one of several processes that start at once gets the data folder of a killed one", () =>
    Effect.gen(function* () {
      const dataDir = newDataDir()
      const first = yield* Effect.promise(() => otherProcess(dataDir))
      yield* Effect.promise(() => killed(first.child))
      const results = yield* Effect.promise(() => Promise.all([1, 2, 3, 4].map(() => otherProcess(dataDir))))
      const running = results.filter(({ printed }) => "url" in printed)
      assert.strictEqual(running.length, 1)
      for (const { printed } of results) {
        if ("error" in printed) assert.include(printed.error, `(process ${running[0]?.child.pid})`)
      }
    }),
  )

  it.live("a process takes over the Redis server that a killed one left, and stops it in the end", () =>
    Effect.gen(function* () {
      const dataDir = newDataDir()
      const { child, printed } = yield* Effect.promise(() => otherProcess(dataDir))
      const left = started(printed)
      yield* talk(left.url, (client) => client.set("kept", "yes"))
      yield* Effect.promise(() => killed(child))
      assert.isDefined(processRecord(left.pid))

      yield* withOwnRedis(dataDir, (redis) =>
        Effect.gen(function* () {
          assert.deepStrictEqual({ url: redis.url, pid: redis.pid }, { url: left.url, pid: left.pid })
          assert.strictEqual(yield* talk(redis.url, (client) => client.get("kept")), "yes")
        }),
      )
      assert.isUndefined(processRecord(left.pid))
    }),
  )

  it.live("a Redis server that is taken over is made durable again, and started again when it dies", () =>
    Effect.gen(function* () {
      const dataDir = newDataDir()
      const { child, printed } = yield* Effect.promise(() => otherProcess(dataDir))
      const left = started(printed)
      yield* talk(left.url, (client) => client.config("SET", "appendfsync", "no"))
      yield* Effect.promise(() => killed(child))

      yield* withOwnRedis(dataDir, (redis) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* configOf(redis.url, ["appendfsync"]), { appendfsync: "always" })
          process.kill(left.pid, "SIGKILL")
          yield* until(() => redis.pid !== left.pid)
          assert.strictEqual(yield* talk(redis.url, (client) => client.ping()), "PONG")
        }),
      )
    }),
  )

  it.live(
    "a new Redis server starts, with the old data, when a process and its server were both killed",
    () =>
      Effect.gen(function* () {
        const dataDir = newDataDir()
        const { child, printed } = yield* Effect.promise(() => otherProcess(dataDir))
        const left = started(printed)
        yield* talk(left.url, (client) => client.set("kept", "yes"))
        yield* Effect.promise(() => killed(child))
        process.kill(left.pid, "SIGKILL")
        const value = yield* withOwnRedis(dataDir, (redis) => talk(redis.url, (client) => client.get("kept")))
        assert.strictEqual(value, "yes")
      }),
  )

  it.live("a Redis server that was left is found even though its process was never recorded", () =>
    Effect.gen(function* () {
      const dataDir = newDataDir()
      const { child, printed } = yield* Effect.promise(() => otherProcess(dataDir))
      const left = started(printed)
      yield* Effect.promise(() => killed(child))
      rmSync(join(dataDir, "redis", "process.json"))
      yield* withOwnRedis(dataDir, (redis) => Effect.sync(() => assert.strictEqual(redis.pid, left.pid)))
    }),
  )

  it.live("a process that was killed while it took over the data folder holds nobody up", () =>
    Effect.gen(function* () {
      const dataDir = newDataDir()
      const { child } = yield* Effect.promise(() => otherProcess(dataDir))
      const self = JSON.stringify(processRecord(child.pid ?? 0))
      yield* Effect.promise(() => killed(child))
      // It had begun to remove the file of the owner before it.
      writeFileSync(join(dataDir, "redis", "owner.json.removal"), self)
      yield* withOwnRedis(dataDir, () => Effect.void)
    }),
  )

  it.live("another Redis that took the recorded port is left alone", () =>
    Effect.gen(function* () {
      const foreign = yield* Effect.promise(() => startTestRedis({ appendfsync: "no" }))
      const dataDir = newDataDir()
      mkdirSync(join(dataDir, "redis"))
      writeFileSync(join(dataDir, "redis", "address"), `${foreign.url}\n`)
      writeFileSync(
        join(dataDir, "redis", "process.json"),
        JSON.stringify({ pid: foreign.pid, startedAt: "other" }),
      )
      const url = yield* withOwnRedis(dataDir, (redis) => Effect.succeed(redis.url))
      assert.notStrictEqual(url, foreign.url)
      assert.strictEqual(yield* talk(foreign.url, (client) => client.ping()), "PONG")
      yield* Effect.promise(() => foreign.stop())
    }),
  )

  const onLinux = process.platform === "linux" ? [["process.json"], ["process.json", "address"]] : []
  it.effect.each([[], ...onLinux])(
    "our own Redis refuses to start beside a left server that hangs, and says how to end it, without %s",
    (gone) =>
      Effect.gen(function* () {
        const dataDir = newDataDir()
        const { child, printed } = yield* Effect.promise(() => otherProcess(dataDir))
        const left = started(printed)
        undo.push(() => killQuietly(left.pid))
        yield* Effect.promise(() => killed(child))
        process.kill(left.pid, "SIGSTOP")
        // A process that is killed between the start of its server and its files leaves a server that they do not name.
        for (const name of gone) rmSync(join(dataDir, "redis", name))
        const start = yield* Effect.forkChild(Effect.flip(withOwnRedis(dataDir, () => Effect.void)))
        while (start.pollUnsafe() === undefined) {
          yield* TestClock.adjust("1 second")
          yield* TestClock.withLive(Effect.sleep(10))
        }
        const error = yield* Fiber.join(start)
        assert.include(error.message, "does not answer")
        assert.include(error.message, `kill ${left.pid}`)
      }),
  )

  it.live("our own Redis is stopped by an orderly end of its process", () =>
    Effect.gen(function* () {
      const dataDir = newDataDir()
      const { child, printed } = yield* Effect.promise(() => otherProcess(dataDir))
      child.kill("SIGTERM")
      yield* until(() => child.exitCode !== null)
      assert.isUndefined(processRecord(started(printed).pid))
    }),
  )

  it.live("our own Redis is stopped when its start is interrupted", () =>
    Effect.gen(function* () {
      const dataDir = newDataDir()
      const scope = yield* Scope.make()
      yield* Effect.race(
        Scope.provide(ownRedisServer({ dataDir }), scope),
        until(() => existsSync(join(dataDir, "redis", "process.json"))),
      )
      const { pid } = JSON.parse(readFileSync(join(dataDir, "redis", "process.json"), "utf8"))
      yield* Scope.close(scope, Exit.void)
      assert.isUndefined(processRecord(pid))
    }),
  )

  it.live("a missing redis-server is reported with how to get it", () =>
    Effect.gen(function* () {
      const path = process.env.PATH
      undo.push(() => {
        process.env.PATH = path
      })
      process.env.PATH = newDataDir()
      const error = yield* Effect.flip(withOwnRedis(newDataDir(), () => Effect.void))
      assert.include(error.message, "redis-server could not be run (ENOENT)")
      assert.include(error.message, "apt-get install redis-server")
    }),
  )

  it.live("a redis-server older than 7.0 is refused", () =>
    Effect.gen(function* () {
      const bin = newDataDir()
      const real = (process.env.PATH ?? "")
        .split(":")
        .find((folder) => existsSync(join(folder, "redis-server")))
      // Simulates an old server: none is available here, and only INFO's version line matters.
      writeFileSync(
        join(bin, "redis-server"),
        `#!${process.execPath}
const { createServer } = require("node:net")
const port = process.argv[process.argv.indexOf("--port") + 1]
const bulk = (text) => "$" + Buffer.byteLength(text) + "\\r\\n" + text + "\\r\\n"
createServer((socket) => socket.on("data", (data) => {
  for (const command of String(data).match(/\\$\\d+\\r\\n(info|CONFIG|client|hello|auth)\\r\\n/gi) ?? []) {
    if (/info/i.test(command)) socket.write(bulk("redis_version:6.2.14\\r\\nprocess_id:" + process.pid + "\\r\\nloading:0\\r\\n"))
    else if (/config/i.test(command)) socket.write("*2\\r\\n" + bulk("dir") + bulk(process.cwd()))
    else socket.write("+OK\\r\\n")
  }
})).listen(port, "127.0.0.1")
`,
      )
      chmodSync(join(bin, "redis-server"), 0o755)
      const path = process.env.PATH
      undo.push(() => {
        process.env.PATH = path
      })
      process.env.PATH = `${bin}:${real}`
      const error = yield* Effect.flip(withOwnRedis(newDataDir(), () => Effect.void))
      assert.include(error.message, "redis-server 6.2.14 is too old")
    }),
  )

  it.live("a data folder that cannot be written is reported with the setting to change", () =>
    Effect.gen(function* () {
      const dataDir = join(newDataDir(), "file")
      writeFileSync(dataDir, "")
      const error = yield* Effect.flip(withOwnRedis(dataDir, () => Effect.void))
      assert.include(error.message, `Cannot write ${join(dataDir, "redis")} (ENOTDIR)`)
      assert.include(error.message, "DATA_DIR")
    }),
  )

  it.live("our own Redis quotes redis-server when that refuses its files", () =>
    Effect.gen(function* () {
      const dataDir = newDataDir()
      yield* withOwnRedis(dataDir, (redis) => talk(redis.url, (client) => client.set("a", "b")))
      const manifest = join(dataDir, "redis", "appendonlydir", "appendonly.aof.manifest")
      writeFileSync(manifest, "not a manifest\n")
      const error = yield* Effect.flip(withOwnRedis(dataDir, () => Effect.void))
      assert.include(error.message, "redis-server ended while starting")
      assert.include(error.message, "Invalid AOF manifest")
    }),
  )

  it.effect("redisUrlFor takes REDIS_URL before anything else", () =>
    Effect.gen(function* () {
      const redisUrl = Redacted.make("redis://elsewhere:6380")
      const url = yield* redisUrlFor({ redisUrl, dataDir: "nowhere" })
      assert.strictEqual(Redacted.value(url), "redis://elsewhere:6380")
    }),
  )
})
