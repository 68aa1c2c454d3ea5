import { Effect, ManagedRuntime } from "effect"
import { Redis } from "ioredis"
import { limits } from "../../schema/limits.ts"
import { type AuditReport, verifyAll } from "../../src/audit/verify.ts"
import { noticesKey, ownerKey, partitionTag, processesKey, timersKey } from "../../src/store/keys.ts"
import { RedisClient, RedisClientLive } from "../../src/store/redis/redisClient.ts"
import { apiPixSettings } from "../e2e/support/apiPix.ts"
import { type DashboardSession, signInAsOperator } from "../support/dashboard.ts"
import type { Psp } from "../support/psp.ts"
import { startTestRedis } from "../support/redis.ts"
import {
  type Ending,
  freeServicePort,
  launchService,
  newDataDir,
  type Service,
  startService,
} from "../support/service.ts"

/** There is but one, so that a process looks at little when nothing is due. */
export const partition = 0
const tag = partitionTag(partition)

const encryptionKey = Buffer.alloc(32, 9)

/** A fault point that nobody comes to: such a process lives, and says which calls it passes. */
export const noFaultPoint = "before:inbox.list@nobody"

/** How a process died: by what, and where it was: `after:timers.claim`. */
export interface Death extends Ending {
  readonly at: string | undefined
}

/** A Redis and the processes that serve on it one after the other, each until it dies. */
export interface Lane {
  readonly redisUrl: string
  readonly encryptionKey: Uint8Array
  /** Where the process listens that runs now, or ran last. */
  readonly origin: () => string
  /** All that it has said. */
  readonly log: () => string
  /** Starts a process with a fault point that it does not come to by itself, and waits until it listens. */
  readonly start: (faultPoint: string) => Promise<void>
  /** Starts one that dies as soon as it does what waits for it. */
  readonly startToDie: (faultPoint: string) => Promise<Death>
  readonly died: () => Promise<Death>
  /** Kills it from outside. */
  readonly kill: () => void
  /**
   * Has the service be away for a minute, as far as Redis knows: leases of the dead end, and what becomes due within the
   * minute is due.
   */
  readonly passMinute: () => Promise<void>
  /** Makes a timer due now; false where it is not set. */
  readonly makeDue: (timer: string) => Promise<boolean>
  /** Timers that wait, expiry and release left out: `<resource id>:<name>`. */
  readonly timers: () => Promise<ReadonlyArray<string>>
  /** How many notices are not processed yet. */
  readonly unprocessed: () => Promise<number>
  readonly operator: () => Promise<DashboardSession>
  readonly verify: () => Promise<AuditReport>
  /** Ends the process, if one runs, and forgets everything. */
  readonly reset: () => Promise<void>
  readonly stop: () => Promise<void>
  readonly isStopped: () => boolean
}

/** What processes said that they pass, in turn: `before inbox.load inb_…`. */
export const passedIn = (log: string): ReadonlyArray<string> =>
  [...log.matchAll(/passes ((?:before|after) [A-Za-z]+\.[^\n]*)/g)].map(([, passed = ""]) => passed)

const lastPassed = (log: string): string | undefined => passedIn(log).at(-1)?.split(" ").slice(0, 2).join(":")

/** Longest lease of a timer, and some. */
const minuteMillis = limits.acquirerTimerLeaseMillis + 5_000

const endLeases = async (redis: Redis): Promise<void> => {
  await redis.del(processesKey, ownerKey(partition))
  const now = Date.now()
  const due = await redis.zrangebyscore(timersKey(tag), `${now}`, `${now + minuteMillis}`)
  for (const timer of due) await redis.zadd(timersKey(tag), "XX", `${now}`, timer)
  for (const record of await redis.keys("idem:*")) {
    if ((await redis.hget(record, "state")) === "leased") await redis.hset(record, "lease_until", `${now}`)
  }
}

const processSettings = (psp: Psp, faultPoint: string): Readonly<Record<string, string>> => ({
  ...apiPixSettings(psp),
  ENCRYPTION_KEY: encryptionKey.toString("base64"),
  FAULT_POINT: faultPoint,
  LOG_LEVEL: "debug",
  PARTITIONS: "1",
})

/** Opens a lane without a process. */
export const openLane = async (psp: Psp): Promise<Lane> => {
  const server = await startTestRedis({ appendfsync: "no" })
  const redis = new Redis(server.url)
  const dataDir = newDataDir()
  const runtime = ManagedRuntime.make(RedisClientLive(server.url))
  let isStopped = false
  let service: Service | undefined
  let session: Promise<DashboardSession> | undefined
  const running = (): Service => {
    if (service === undefined) throw new Error("no process has been started")
    return service
  }
  const reset = async () => {
    await service?.kill9()
    service = undefined
    session = undefined
    await redis.flushall()
  }
  return {
    redisUrl: server.url,
    encryptionKey,
    origin: () => running().url,
    log: () => running().log(),
    start: async (faultPoint) => {
      if (isStopped) throw new Error("the lane is stopped")
      const env = processSettings(psp, faultPoint)
      service = await startService({ redisUrl: server.url, dataDir, env })
    },
    startToDie: async (faultPoint) => {
      const settings = processSettings(psp, faultPoint)
      const env = {
        ...settings,
        REDIS_URL: server.url,
        DATA_DIR: dataDir,
        PORT: `${await freeServicePort()}`,
      }
      const launched = launchService(env)
      const ending = await launched.ended
      return { ...ending, at: lastPassed(launched.output()) }
    },
    died: async () => {
      const dead = running()
      const ending = await dead.ended()
      return { ...ending, at: lastPassed(dead.log()) }
    },
    kill: () => running().signal("SIGKILL"),
    passMinute: () => endLeases(redis),
    makeDue: async (timer) => (await redis.zadd(timersKey(tag), "XX", "CH", `${Date.now()}`, timer)) > 0,
    timers: async () =>
      (await redis.zrange(timersKey(tag), 0, "-1")).filter((timer) => !/:(expire|release)$/.test(timer)),
    unprocessed: () => redis.zcard(noticesKey(tag, "unprocessed")),
    operator: () => {
      session ??= signInAsOperator({ redisUrl: server.url })
      return session
    },
    verify: () => runtime.runPromise(Effect.flatMap(RedisClient, verifyAll)),
    reset,
    isStopped: () => isStopped,
    stop: async () => {
      isStopped = true
      await service?.stop()
      redis.disconnect()
      await runtime.dispose()
      await server.stop()
    },
  }
}
