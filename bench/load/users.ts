/** A process of users who ask for something, give up and retry, phase after phase. */
import { setTimeout as sleep } from "node:timers/promises"
import { Histogram } from "../support/histogram.ts"
import { residentMiBOf } from "../support/processUsage.ts"
import { serveParent } from "./serveParent.ts"
import { type Outcome, UserConnection } from "./user.ts"
import type { UsersJob, UsersResult, UsersSecond } from "./userJob.ts"
import { makeUserRequests } from "./userRequests.ts"

/** Users of a new phase arrive within this time. */
const arrivalMillis = 500
/** Delay after a cut connection or another error. */
const errorPauseMillis = 100
/** Users do not come back to the millisecond. */
const jitterShare = 0.25

/** Counters of the current second. */
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
  /** How many users may run. */
  wanted = 0
  readonly #job: UsersJob
  readonly #active = new Set<number>()
  readonly #requests: ReturnType<typeof makeUserRequests>

  constructor(job: UsersJob) {
    this.#job = job
    this.#requests = makeUserRequests(job.port, job.wishes)
  }

  /** Sets the number of users from now on. */
  become(users: number): void {
    this.wanted = users
    for (let user = 0; user < users; user++) {
      if (this.#active.has(user)) continue
      this.#active.add(user)
      setTimeout(() => this.#live(user), Math.random() * arrivalMillis)
    }
  }

  #live(user: number): void {
    const connection = new UserConnection(this.#job.port, this.#job.patienceMillis)
    const next = () => this.#attempt(user, connection, this.#requests.next(user), next)
    next()
  }

  #attempt(user: number, connection: UserConnection, request: Uint8Array, next: () => void): void {
    if (user >= this.wanted) {
      this.#active.delete(user)
      connection.close()
      return
    }
    const sentMillis = performance.now()
    connection.ask(request, (outcome) => {
      const pauseMillis = this.#count(outcome, performance.now() - sentMillis)
      const again = () => this.#attempt(user, connection, request, next)
      if (pauseMillis === "done") next()
      else if (pauseMillis === 0) setImmediate(again)
      else setTimeout(again, pauseMillis * (1 + Math.random() * jitterShare))
    })
  }

  /** Counts the result of an attempt; returns how long to wait before the next. */
  #count(outcome: Outcome, millis: number): number | "done" {
    const { second } = this
    if (outcome.kind === "givenUp") {
      second.givenUp += 1
      return 0
    }
    if (outcome.kind === "answered" && outcome.status === this.#requests.goodStatus) {
      second.good += 1
      second.goodMillis.record(millis)
      return "done"
    }
    if (outcome.kind === "answered" && outcome.status === 503) {
      second.refused += 1
      second.refusedMillis.record(outcome.openMillis)
      const retryAfter = /\r\nretry-after: *(\d+)\r\n/i.exec(outcome.head)?.[1]
      const isEnvelope = outcome.body.includes('"code":"service_unavailable"')
      if (retryAfter === undefined || !isEnvelope) this.badRefusals += 1
      return this.#job.heedsRetryAfter ? Number(retryAfter ?? 1) * 1_000 : 0
    }
    const what = outcome.kind === "cut" ? outcome.reason : `${outcome.status} ${outcome.body.slice(0, 120)}`
    this.problems[what] = (this.problems[what] ?? 0) + 1
    return errorPauseMillis
  }
}

/** Sends GET /health repeatedly. */
class HealthWatch {
  asked = 0
  answered = 0
  readonly millis = new Histogram()
  #isOver = false
  readonly #connection: UserConnection
  readonly #request: Buffer
  readonly #everyMillis: number

  constructor({ port, patienceMillis, healthEveryMillis }: UsersJob) {
    this.#connection = new UserConnection(port, patienceMillis)
    this.#request = Buffer.from(`GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
    this.#everyMillis = healthEveryMillis
  }

  /** Runs until stopped; completes when the last request is answered or given up. */
  async run(): Promise<void> {
    while (!this.#isOver) {
      await this.#askOnce()
      await sleep(this.#everyMillis)
    }
    this.#connection.close()
  }

  end(): void {
    this.#isOver = true
  }

  #askOnce(): Promise<void> {
    this.asked += 1
    const sentMillis = performance.now()
    return new Promise((resolve) =>
      this.#connection.ask(this.#request, (outcome) => {
        if (outcome.kind === "answered" && outcome.status === 200) {
          this.answered += 1
          this.millis.record(performance.now() - sentMillis)
        }
        resolve()
      }),
    )
  }
}

const runJob = async (job: UsersJob): Promise<UsersResult> => {
  const crowd = new Crowd(job)
  const health = new HealthWatch(job)
  const seconds: Array<UsersSecond> = []
  const watching = health.run()
  for (const { users, millis } of job.phases) {
    crowd.become(users)
    for (let passed = 0; passed < millis; passed += 1_000) {
      await sleep(1_000)
      seconds.push(crowd.second.done(users, job.pid))
      crowd.second = new Second()
    }
  }
  crowd.become(0)
  await sleep(job.lastAnswersMillis)
  health.end()
  await watching
  return {
    seconds,
    health: { asked: health.asked, answered: health.answered, millis: health.millis.counts() },
    badRefusals: crowd.badRefusals,
    problems: crowd.problems,
  }
}

serveParent(runJob)
