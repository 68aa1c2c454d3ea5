/** A process of users who ask for charges, give up and try again, phase after phase. */
import { setTimeout as sleep } from "node:timers/promises"
import { Histogram } from "../support/histogram.ts"
import { residentMiBOf } from "../support/processUsage.ts"
import { serveParent } from "./serveParent.ts"
import { type Outcome, UserConnection } from "./user.ts"
import type { UsersJob, UsersResult, UsersSecond } from "./userJob.ts"
import { createBody } from "./workloadCharges.ts"

/** Users of a new phase come within so long. */
const arrivalMillis = 500
/** A user whose connection was cut, or who had another error, waits for so long. */
const errorPauseMillis = 100
/** Users do not come back to the millisecond. */
const jitterShare = 0.25

const body = JSON.stringify(createBody)

const requestOf = (port: number, apiKey: string, idempotencyKey: string): Buffer =>
  Buffer.from(
    `POST /v1/transactions HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${apiKey}\r\n` +
      `Content-Type: application/json\r\nIdempotency-Key: ${idempotencyKey}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )

/** What is counted of the second that runs. */
class Second {
  good = 0
  refused = 0
  givenUp = 0
  readonly goodMillis = new Histogram()
  readonly refusedMillis = new Histogram()

  done(users: number, pid: number): UsersSecond {
    const { good, refused, givenUp } = this
    return {
      ...{ users, good, refused, givenUp, residentMiB: residentMiBOf(pid) },
      goodMillis: this.goodMillis.counts(),
      refusedMillis: this.refusedMillis.counts(),
    }
  }
}

/** All users of a job. */
class Crowd {
  readonly problems: Record<string, number> = {}
  badRefusals = 0
  second = new Second()
  /** How many of the users may go on. */
  wanted = 0
  private readonly job: UsersJob
  private readonly active = new Set<number>()
  private charges = 0

  constructor(job: UsersJob) {
    this.job = job
  }

  /** From now on there are so many. */
  become(users: number): void {
    this.wanted = users
    for (let user = 0; user < users; user++) {
      if (this.active.has(user)) continue
      this.active.add(user)
      setTimeout(() => this.live(user), Math.random() * arrivalMillis)
    }
  }

  private live(user: number): void {
    const { port, apiKeys, keyPrefix, patienceMillis } = this.job
    const connection = new UserConnection(port, patienceMillis)
    const apiKey = apiKeys[user % apiKeys.length] ?? ""
    const next = () => {
      this.charges += 1
      this.attempt(user, connection, requestOf(port, apiKey, `${keyPrefix}-${this.charges}`), next)
    }
    next()
  }

  private attempt(user: number, connection: UserConnection, request: Uint8Array, next: () => void): void {
    if (user >= this.wanted) {
      this.active.delete(user)
      connection.close()
      return
    }
    const sentMillis = performance.now()
    connection.ask(request, (outcome) => {
      const pauseMillis = this.count(outcome, performance.now() - sentMillis)
      const again = () => this.attempt(user, connection, request, next)
      if (pauseMillis === "done") next()
      else if (pauseMillis === 0) setImmediate(again)
      else setTimeout(again, pauseMillis * (1 + Math.random() * jitterShare))
    })
  }

  /** Counts what came of a try; how long to wait before it is tried again. */
  private count(outcome: Outcome, millis: number): number | "done" {
    const { second } = this
    if (outcome.kind === "givenUp") {
      second.givenUp += 1
      return 0
    }
    if (outcome.kind === "answered" && outcome.status === 201) {
      second.good += 1
      second.goodMillis.record(millis)
      return "done"
    }
    if (outcome.kind === "answered" && outcome.status === 503) {
      second.refused += 1
      second.refusedMillis.record(millis)
      const retryAfter = /\r\nretry-after: *(\d+)\r\n/i.exec(outcome.head)?.[1]
      const isEnvelope = outcome.body.includes('"code":"service_unavailable"')
      if (retryAfter === undefined || !isEnvelope) this.badRefusals += 1
      return this.job.heedsRetryAfter ? Number(retryAfter ?? 1) * 1_000 : 0
    }
    const what = outcome.kind === "cut" ? outcome.reason : `${outcome.status} ${outcome.body.slice(0, 120)}`
    this.problems[what] = (this.problems[what] ?? 0) + 1
    return errorPauseMillis
  }
}

/** Asks for GET /health again and again. */
class HealthWatch {
  asked = 0
  answered = 0
  readonly millis = new Histogram()
  private isOver = false
  private readonly connection: UserConnection
  private readonly request: Buffer
  private readonly everyMillis: number

  constructor({ port, patienceMillis, healthEveryMillis }: UsersJob) {
    this.connection = new UserConnection(port, patienceMillis)
    this.request = Buffer.from(`GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
    this.everyMillis = healthEveryMillis
  }

  ask(): void {
    if (this.isOver) return
    this.asked += 1
    const sentMillis = performance.now()
    this.connection.ask(this.request, (outcome) => {
      if (outcome.kind === "answered" && outcome.status === 200) {
        this.answered += 1
        this.millis.record(performance.now() - sentMillis)
      }
      setTimeout(() => this.ask(), this.everyMillis)
    })
  }

  close(): void {
    this.isOver = true
    this.connection.close()
  }
}

const runJob = async (job: UsersJob): Promise<UsersResult> => {
  const crowd = new Crowd(job)
  const health = new HealthWatch(job)
  const seconds: Array<UsersSecond> = []
  health.ask()
  for (const { users, millis } of job.phases) {
    crowd.become(users)
    for (let passed = 0; passed < millis; passed += 1_000) {
      await sleep(1_000)
      seconds.push(crowd.second.done(users, job.pid))
      crowd.second = new Second()
    }
  }
  crowd.become(0)
  // The last answers, or the end of their users' patience.
  await sleep(job.patienceMillis)
  health.close()
  return {
    seconds,
    health: { asked: health.asked, answered: health.answered, millis: health.millis.counts() },
    badRefusals: crowd.badRefusals,
    problems: crowd.problems,
  }
}

serveParent(runJob)
