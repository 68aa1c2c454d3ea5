import { Effect, Layer, ManagedRuntime } from "effect"
import { Redis } from "ioredis"
import { ExceptionStore, type NewException } from "../../actors/ports/exceptionStore.ts"
import { limits } from "../../schema/limits.ts"
import type { Exception } from "../../schema/resources/exception.ts"
import { type AuditReport, verifyAll } from "../../src/audit/verify.ts"
import { ExceptionStoreLive } from "../../src/store/exceptions.ts"
import { noticesKey, ownerKey, partitionTag, processesKey, timersKey } from "../../src/store/keys.ts"
import { RedisClient, RedisClientLive } from "../../src/store/redis/redisClient.ts"
import { apiPixSettings } from "../e2e/support/apiPix.ts"
import { exceptionsNow } from "../e2e/support/sweeps.ts"
import { type DashboardSession, signInAsOperator } from "../support/dashboard.ts"
import { freeTestPort } from "../support/ports.ts"
import type { Psp } from "../support/psp.ts"
import { startTestRedis } from "../support/redis.ts"
import { type Ending, launchService, newDataDir, type Service, startService } from "../support/service.ts"
import { StoreOptionsLive } from "../support/storeOptions.ts"

/** Operators sign in anew after this, long before their step-up ends. */
const sessionMillisMax = 120_000

/** The only partition, so that a process has little to look at when nothing is due. */
export const partition = 0
const tag = partitionTag(partition)

const encryptionKey = Buffer.alloc(32, 9)

/** A fault point that is never reached: its process lives, and logs which calls it passes. */
export const noFaultPoint = "before:inbox.list@nobody"

/** How a process died, and where: `after:timers.claim`. */
export interface Death extends Ending {
  readonly at: string | undefined
}

/** Settings of a process besides those of its PSP. */
export type LaneSettings = Readonly<Record<string, string>>

/** A Redis, and the processes that serve on it one after another, each until it dies. */
export interface Lane {
  readonly redisUrl: string
  readonly encryptionKey: Uint8Array
  /** The origin of the process that runs, or of the last one. */
  readonly origin: () => string
  /** Its whole log. */
  readonly log: () => string
  /** Starts a process with a fault point that it does not reach by itself, and waits until it listens. */
  readonly start: (faultPoint: string, settings: LaneSettings) => Promise<void>
  /** Starts a process that dies as soon as it takes up the work that waits for it. */
  readonly startToDie: (faultPoint: string, settings: LaneSettings) => Promise<Death>
  readonly died: () => Promise<Death>
  /** Kills it from outside. */
  readonly kill: () => void
  /**
   * Makes Redis look as if the service had been away for a minute: leases of dead processes end, and what falls due
   * within the minute is due.
   */
  readonly passMinute: () => Promise<void>
  /** Makes a timer due now; false where it is not set. */
  readonly makeDue: (timer: string) => Promise<boolean>
  /** Sets a timer anew, due now. */
  readonly setDue: (timer: string) => Promise<void>
  /** Pending timers, except expiry and release: `<resource id>:<name>`. */
  readonly timers: () => Promise<ReadonlyArray<string>>
  /** How many notices are not processed yet. */
  readonly unprocessed: () => Promise<number>
  /** Two operators. */
  readonly operators: () => Promise<readonly [DashboardSession, DashboardSession]>
  /** Records an exception, as a sweep does. */
  readonly openException: (exception: NewException) => Promise<void>
  /** All exceptions, read past the service. */
  readonly exceptions: () => Promise<ReadonlyArray<Exception>>
  readonly verify: () => Promise<AuditReport>
  /** Kills the process, if one runs, and empties Redis. */
  readonly reset: () => Promise<void>
  readonly stop: () => Promise<void>
  readonly isStopped: () => boolean
}

/** The calls that a log says were passed, in order: `before inbox.load inb_…`. */
export const passedIn = (log: string): ReadonlyArray<string> =>
  [...log.matchAll(/passes ((?:before|after) [A-Za-z]+\.[^\n]*)/g)].map(([, passed = ""]) => passed)

/** The last of them as a fault point: `before:inbox.load`. */
export const lastPassed = (log: string): string | undefined =>
  passedIn(log).at(-1)?.split(" ").slice(0, 2).join(":")

/** The longest lease of a timer, and a margin. */
const minuteMillis = limits.acquirerTimerLeaseMillis + 5_000

const endLeases = async (redis: Redis): Promise<void> => {
  await redis.del(processesKey, ownerKey(partition))
  const now = Date.now()
  for (const sweep of await redis.keys("sweep:*")) await redis.hset(sweep, "lease_until", "0")
  const due = await redis.zrangebyscore(timersKey(tag), `${now}`, `${now + minuteMillis}`)
  for (const timer of due) await redis.zadd(timersKey(tag), "XX", `${now}`, timer)
  for (const record of await redis.keys("idem:*")) {
    if ((await redis.hget(record, "state")) === "leased") await redis.hset(record, "lease_until", `${now}`)
  }
}

const processSettings = (psp: Psp, faultPoint: string, settings: LaneSettings): LaneSettings => ({
  ...apiPixSettings(psp),
  ...settings,
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
  const runtime = ManagedRuntime.make(
    ExceptionStoreLive.pipe(Layer.provide(StoreOptionsLive), Layer.provideMerge(RedisClientLive(server.url))),
  )
  let isStopped = false
  let service: Service | undefined
  let sessions: Promise<readonly [DashboardSession, DashboardSession]> | undefined
  let signedInMillis = 0
  const running = (): Service => {
    if (service === undefined) throw new Error("no process has been started")
    return service
  }
  const reset = async () => {
    await service?.kill9()
    service = undefined
    sessions = undefined
    await redis.flushall()
  }
  return {
    redisUrl: server.url,
    encryptionKey,
    origin: () => running().url,
    log: () => running().log(),
    start: async (faultPoint, settings) => {
      if (isStopped) throw new Error("the lane is stopped")
      const env = processSettings(psp, faultPoint, settings)
      service = await startService({ redisUrl: server.url, dataDir, env })
    },
    startToDie: async (faultPoint, settings) => {
      const env = {
        ...processSettings(psp, faultPoint, settings),
        REDIS_URL: server.url,
        DATA_DIR: dataDir,
        PORT: `${await freeTestPort()}`,
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
    setDue: async (timer) => {
      await redis.zadd(timersKey(tag), `${Date.now()}`, timer)
    },
    timers: async () =>
      (await redis.zrange(timersKey(tag), 0, "-1")).filter((timer) => !/:(expire|release)$/.test(timer)),
    unprocessed: () => redis.zcard(noticesKey(tag, "unprocessed")),
    operators: () => {
      const signIn = () => signInAsOperator({ redisUrl: server.url })
      if (sessions === undefined || Date.now() - signedInMillis > sessionMillisMax) {
        signedInMillis = Date.now()
        sessions = Promise.all([signIn(), signIn()])
      }
      return sessions
    },
    openException: (exception) =>
      runtime.runPromise(Effect.flatMap(ExceptionStore, ({ open }) => Effect.asVoid(open(exception)))),
    exceptions: () => exceptionsNow({ redis: (command, ...args) => redis.call(command, ...args) }),
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
