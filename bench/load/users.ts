/** A process of closed-loop users who ask for something, give up and retry, phase after phase. */
import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { addressOf, type Person } from "../support/people.ts"
import { residentMiBOf } from "../support/processUsage.ts"
import { ResponseReader } from "./connection.ts"
import { serveParent } from "./serveParent.ts"
import { createBody } from "./workload.ts"

/** A job of users, each with one request at a time on a connection that it reuses. */
export interface UsersJob {
  readonly port: number
  /** What they request: charges, or sign-ins, each by the next person from a different network. */
  readonly wishes:
    | { readonly kind: "charges"; readonly apiKey: string; readonly keyPrefix: string }
    | { readonly kind: "signIns"; readonly people: ReadonlyArray<Person> }
  /** The phases: number of users, and duration. */
  readonly phases: ReadonlyArray<{ readonly users: number; readonly millis: number }>
  /** A user who has waited this long closes the connection and repeats the request over another. */
  readonly patienceMillis: number
  /** Whether a refused user waits as long as `Retry-After` says; otherwise retries at once. */
  readonly heedsRetryAfter: boolean
  /** How long the last users may still get answers. */
  readonly lastAnswersMillis: number
  /** The server's process, whose memory is measured. */
  readonly pid: number
}

/** Users of a new phase arrive within this time. */
const arrivalMillis = 500
/** Delay after a cut connection or another error. */
const errorPauseMillis = 100
/** Users do not come back to the millisecond. */
const jitterShare = 0.25
/** Interval of the GET /health requests that run beside the users. */
const healthEveryMillis = 50
/** Heads and error bodies are read as text up to this length. */
const textMax = 600

const newSecond = () => ({
  /** How long each request took that was granted before the user gave up, in ms. */
  goodMillis: [] as Array<number>,
  /** How long each response with 503 took on an open connection. */
  refusedMillis: [] as Array<number>,
  givenUp: 0,
  /** The server's memory at the end of the second. */
  residentMiB: 0,
})
export type UsersSecond = Readonly<ReturnType<typeof newSecond>>

interface Outcome {
  /** The answer's status, or why there is none. */
  readonly status: number | string
  /** Head and body of refusals and errors, as far as they are read. */
  readonly text: string
  /** Time since the request was sent on an open connection. */
  readonly openMillis: number
}

/** A connection that is reused for the next request, and reopened after it was given up or cut. */
class UserConnection {
  readonly #job: UsersJob
  #socket: Socket | undefined = undefined
  #sentMillis = 0
  #onOutcome: ((outcome: Outcome) => void) | undefined = undefined

  constructor(job: UsersJob) {
    this.#job = job
  }

  /** Sends a request and waits for its response, at most as long as a user's patience. Only one at a time. */
  ask(request: Uint8Array): Promise<Outcome> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.close()
        this.#end("given up")
      }, this.#job.patienceMillis)
      this.#onOutcome = (outcome) => {
        clearTimeout(timer)
        resolve(outcome)
      }
      this.#socket ??= this.#open()
      this.#sentMillis = performance.now()
      this.#socket.write(request)
    })
  }

  close(): void {
    // A user who gives up leaves nothing behind: a normal close would keep each port busy for a minute.
    this.#socket?.resetAndDestroy()
    this.#socket = undefined
  }

  #open(): Socket {
    const reader = new ResponseReader((status, bytes, start, end) =>
      this.#end(status, status === 201 ? "" : bytes.toString("utf8", 0, Math.min(end, start + textMax))),
    )
    const socket = connect({ port: this.#job.port, host: "127.0.0.1", noDelay: true })
    // A sudden crowd overflows the kernel's queue of new connections; some retry after a second.
    socket.on("connect", () => {
      this.#sentMillis = performance.now()
    })
    const cut = (reason: string) => {
      if (this.#socket !== socket) return
      this.#socket = undefined
      this.#end(reason)
    }
    socket.on("data", (bytes) => {
      try {
        if (this.#socket === socket) reader.read(bytes)
      } catch (error) {
        cut(String(error))
        socket.destroy()
      }
    })
    socket.on("error", (error: NodeJS.ErrnoException) => cut(error.code ?? error.message))
    socket.on("close", () => cut("closed"))
    return socket
  }

  #end(status: Outcome["status"], text = ""): void {
    const onOutcome = this.#onOutcome
    this.#onOutcome = undefined
    onOutcome?.({ status, text, openMillis: performance.now() - this.#sentMillis })
  }
}

/** Makes a job's requests, and knows the status that grants one. */
const makeRequests = ({ port, wishes }: UsersJob) => {
  let count = 0
  const postOf = (path: string, body: string, ...headers: ReadonlyArray<string>): Uint8Array => {
    const json = ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]
    const lines = [`POST ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...json, ...headers, "", body]
    return Buffer.from(lines.join("\r\n"))
  }
  if (wishes.kind === "charges") {
    const { apiKey, keyPrefix } = wishes
    const body = JSON.stringify(createBody)
    const authorization = `Authorization: Bearer ${apiKey}`
    const next = () =>
      postOf("/v1/transactions", body, authorization, `Idempotency-Key: ${keyPrefix}-${++count}`)
    return { goodStatus: 201, next }
  }
  const next = () => {
    const body = JSON.stringify(wishes.people[count % wishes.people.length])
    return postOf("/v1/me/auth/sign-in/email", body, `X-Forwarded-For: ${addressOf(count++)}`)
  }
  return { goodStatus: 200, next }
}

class Crowd {
  /** Other responses and cut connections, counted by description. */
  readonly problems: Record<string, number> = {}
  /** 503 without `Retry-After` or without the error envelope. */
  badRefusals = 0
  second = newSecond()
  /** How many users may run. */
  #wanted = 0
  readonly #job: UsersJob
  readonly #active = new Set<number>()
  readonly #requests: ReturnType<typeof makeRequests>

  constructor(job: UsersJob) {
    this.#job = job
    this.#requests = makeRequests(job)
  }

  become(users: number): void {
    this.#wanted = users
    for (let user = 0; user < users; user++) {
      if (this.#active.has(user)) continue
      this.#active.add(user)
      setTimeout(() => this.#live(user), Math.random() * arrivalMillis)
    }
  }

  async #live(user: number): Promise<void> {
    const connection = new UserConnection(this.#job)
    let request = this.#requests.next()
    while (user < this.#wanted) {
      const sentMillis = performance.now()
      const outcome = await connection.ask(request)
      const pauseMillis = this.#count(outcome, performance.now() - sentMillis)
      if (pauseMillis === "done") request = this.#requests.next()
      else if (pauseMillis > 0) await sleep(pauseMillis * (1 + Math.random() * jitterShare))
    }
    this.#active.delete(user)
    connection.close()
  }

  /** Counts the result of an attempt; returns how long to wait before the next. */
  #count({ status, text, openMillis }: Outcome, millis: number): number | "done" {
    const { second } = this
    if (status === "given up") {
      second.givenUp += 1
      return 0
    }
    if (status === this.#requests.goodStatus) {
      second.goodMillis.push(millis)
      return "done"
    }
    if (status === 503) {
      second.refusedMillis.push(openMillis)
      const retryAfter = /\r\nretry-after: *(\d+)\r\n/i.exec(text)?.[1]
      if (retryAfter === undefined || !text.includes('"code":"service_unavailable"')) this.badRefusals += 1
      return this.#job.heedsRetryAfter ? Number(retryAfter ?? 1) * 1_000 : 0
    }
    const what = `${status} ${text.split("\r\n\r\n")[1]?.slice(0, 120) ?? ""}`.trim()
    this.problems[what] = (this.problems[what] ?? 0) + 1
    return errorPauseMillis
  }
}

/** Sends GET /health repeatedly over one connection, until `signal` is aborted. */
const watchHealth = async (job: UsersJob, signal: AbortSignal) => {
  const connection = new UserConnection(job)
  const request = Buffer.from(`GET /health HTTP/1.1\r\nHost: 127.0.0.1:${job.port}\r\n\r\n`)
  const millis: Array<number> = []
  let asked = 0
  for (; !signal.aborted; await sleep(healthEveryMillis)) {
    asked += 1
    const sentMillis = performance.now()
    const { status } = await connection.ask(request)
    if (status === 200) millis.push(performance.now() - sentMillis)
  }
  connection.close()
  return { asked, millis }
}

const runJob = async (job: UsersJob) => {
  const crowd = new Crowd(job)
  const end = new AbortController()
  const health = watchHealth(job, end.signal)
  const seconds: Array<UsersSecond> = []
  for (const { users, millis } of job.phases) {
    crowd.become(users)
    for (let passed = 0; passed < millis; passed += 1_000) {
      await sleep(1_000)
      seconds.push({ ...crowd.second, residentMiB: residentMiBOf(job.pid) })
      crowd.second = newSecond()
    }
  }
  crowd.become(0)
  await sleep(job.lastAnswersMillis)
  end.abort()
  const { badRefusals, problems } = crowd
  return { seconds, health: await health, badRefusals, problems }
}

export type UsersResult = Awaited<ReturnType<typeof runJob>>

serveParent(runJob)
