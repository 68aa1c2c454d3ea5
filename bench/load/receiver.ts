/**
 * A process of webhook endpoints over TLS, each on its own port: they answer as they are told to, record what arrives, and verify
 * a sample of the signatures with the package `standardwebhooks`.
 */

import { type HttpRequest, type HttpResponse, SSLApp, us_socket_local_port } from "uWebSockets.js"
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { generateEndpointSecret } from "../../src/delivery/signature.ts"
import { createAuthority } from "../../test/support/certificates.ts"
import { monotonicMillis } from "./clock.ts"
import { serveParent } from "./serveParent.ts"
import { idLength } from "./workload.ts"

/** An endpoint's URL and the secret that signs its deliveries. */
export interface ReceiverEndpoint {
  readonly url: string
  readonly secret: string
}

export interface ReceiverBehaviour {
  readonly status: 200 | 503
  /** How long each answer is withheld, in ms. */
  readonly holdMillis: number
  /** Endpoints that do not answer. */
  readonly hanging: ReadonlyArray<number>
}

/** Endpoints answer 200 at once, but for what is given. */
type Behaviour = Partial<ReceiverBehaviour>

export type ReceiverRequest =
  /** Starts `endpoints` endpoints; the certificate and its authority are written to a folder. */
  | { readonly kind: "listen"; readonly endpoints: number; readonly folder: string }
  /** Forgets everything. `secrets` replace the endpoints' own; `isKeeping` keeps bodies and verifies all signatures. */
  | ({
      readonly kind: "expect"
      readonly secrets?: ReadonlyArray<string>
      readonly isKeeping?: boolean
    } & Behaviour)
  /** Changes the behaviour, and answers requests that should no longer hang. */
  | ({ readonly kind: "behave" } & Behaviour)
  /** Waits until that many requests have arrived. */
  | { readonly kind: "await"; readonly requests: number; readonly timeoutMillis: number }
  /** `take` returns the arrivals, too. */
  | { readonly kind: "count" | "take" }

/** A request that arrived, at a moment of the monotonic clock. */
export interface Arrival {
  readonly endpoint: number
  readonly attempt: number
  readonly deliveryId: string
  readonly chargeId: string
  readonly bodyBytes: number
  readonly atMillis: number
  readonly body: string | undefined
}

export interface ReceiverAnswer {
  readonly requests: number
  /** Charges that were delivered, each counted once. */
  readonly charges: number
  /** Number of verified signatures, and the first few failures. */
  readonly verified: number
  readonly problems: ReadonlyArray<string>
  /** The most concurrent requests of an endpoint. */
  readonly atOnceMax: number
  readonly arrivals: ReadonlyArray<Arrival>
}

const sampledEvery = 61
const problemsKeptMax = 3
const idMark = '"object":{"id":"'

let endpoints: ReadonlyArray<ReceiverEndpoint> = []
let secrets: ReadonlyArray<string> = []
let behaviour: ReceiverBehaviour = { status: 200, holdMillis: 0, hanging: [] }
let isKeeping = false
let seen = { requests: 0, charges: new Set<string>(), verified: 0, atOnceMax: 0 }
let arrivals: Array<Arrival> = []
let problems: Array<string> = []
/** Answers withheld from hanging requests, by endpoint. */
const held = new Map<number, Set<() => void>>()
const atOnce: Array<number> = []

const note = (problem: string): void => {
  if (problems.length < problemsKeptMax) problems.push(problem)
}

/** A function that answers a request once, unless its connection has ended. */
const answerer = (res: HttpResponse, endpoint: number) => {
  let isOver = false
  const end = () => {
    if (isOver) return
    isOver = true
    atOnce[endpoint] = (atOnce[endpoint] ?? 1) - 1
    held.get(endpoint)?.delete(answer)
  }
  const answer = () => {
    if (isOver) return
    end()
    res.cork(() => {
      if (behaviour.status !== 200) res.writeStatus("503 Service Unavailable")
      res.end()
    })
  }
  res.onAborted(end)
  return answer
}

const respond = (endpoint: number, answer: () => void): void => {
  if (behaviour.hanging.includes(endpoint)) {
    const others = held.get(endpoint) ?? new Set()
    held.set(endpoint, others.add(answer))
  } else if (behaviour.holdMillis > 0) setTimeout(answer, behaviour.holdMillis)
  else answer()
}

/** A request's headers if its signature is in the sample. */
const sampledHeaders = (req: HttpRequest): Record<string, string> | undefined => {
  if (!isKeeping && (seen.requests - 1) % sampledEvery !== 0) return undefined
  const headers: Record<string, string> = {}
  req.forEach((name, value) => {
    headers[name] = value
  })
  return headers
}

/** Passes on a request's whole body. */
const readBody = (res: HttpResponse, received: (body: Buffer) => void): void => {
  const pieces: Array<Buffer> = []
  res.onData((piece, isLast) => {
    // The memory is uWebSockets.js' own and is only valid until we return.
    const bytes = Buffer.from(piece)
    pieces.push(isLast ? bytes : Buffer.from(bytes))
    if (isLast) received(pieces.length === 1 ? bytes : Buffer.concat(pieces))
  })
}

const receive = (res: HttpResponse, req: HttpRequest, endpoint: number): void => {
  seen.requests += 1
  const [attempt, deliveryId] = [Number(req.getHeader("x-attempt")), req.getHeader("x-delivery-id")]
  const headers = sampledHeaders(req)
  const now = (atOnce[endpoint] ?? 0) + 1
  atOnce[endpoint] = now
  seen.atOnceMax = Math.max(seen.atOnceMax, now)
  const answer = answerer(res, endpoint)
  readBody(res, (bytes) => {
    const atMillis = monotonicMillis()
    const at = bytes.indexOf(idMark) + idMark.length
    const chargeId = bytes.toString("latin1", at, at + idLength)
    if (at < idMark.length) note("a body names no charge")
    seen.charges.add(chargeId)
    const body = isKeeping ? bytes.toString() : undefined
    arrivals.push({ endpoint, attempt, deliveryId, chargeId, bodyBytes: bytes.length, atMillis, body })
    if (headers !== undefined) {
      seen.verified += 1
      try {
        new Webhook(secrets[endpoint] ?? "").verify(bytes, headers)
      } catch (error) {
        note(String(error))
      }
    }
    respond(endpoint, answer)
  })
}

const listen = async (count: number, folder: string): Promise<ReadonlyArray<ReceiverEndpoint>> => {
  const authority = createAuthority("Corrente bench authority")
  const issued = authority.issue({ names: ["127.0.0.1", "localhost"] })
  const fileOf = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  fileOf("ca.pem", authority.certificatePem)
  const files = {
    key_file_name: fileOf("key.pem", issued.privateKeyPem),
    cert_file_name: fileOf("certificate.pem", issued.certificatePem),
  }
  const start = (_: unknown, endpoint: number) =>
    new Promise<ReceiverEndpoint>((resolve, reject) => {
      SSLApp(files)
        .post("/*", (res, req) => receive(res, req, endpoint))
        .listen("127.0.0.1", 0, (socket) => {
          if (socket === false) return reject(new Error("no port is free"))
          const url = `https://127.0.0.1:${us_socket_local_port(socket)}/hook`
          resolve({ url, secret: generateEndpointSecret(randomBytes) })
        })
    })
  return Promise.all(Array.from({ length: count }, start))
}

const behave = (next: Behaviour): void => {
  behaviour = { status: 200, holdMillis: 0, hanging: [], ...next }
  for (const [endpoint, answers] of held) {
    if (!behaviour.hanging.includes(endpoint)) for (const answer of [...answers]) answer()
  }
}

const awaitRequests = async (requests: number, timeoutMillis: number): Promise<void> => {
  const deadline = performance.now() + timeoutMillis
  while (seen.requests < requests && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

serveParent<ReceiverRequest, ReceiverAnswer | ReadonlyArray<ReceiverEndpoint>>(async (request) => {
  switch (request.kind) {
    case "listen":
      endpoints = await listen(request.endpoints, request.folder)
      return endpoints
    case "expect": {
      const { kind, secrets: others, isKeeping: keeps = false, ...behaviourNow } = request
      secrets = others ?? endpoints.map(({ secret }) => secret)
      isKeeping = keeps
      seen = { requests: 0, charges: new Set(), verified: 0, atOnceMax: 0 }
      arrivals = []
      problems = []
      behave(behaviourNow)
      break
    }
    case "behave": {
      const { kind, ...behaviourNow } = request
      behave(behaviourNow)
      break
    }
    case "await":
      await awaitRequests(request.requests, request.timeoutMillis)
      break
  }
  const taken = request.kind === "take" ? arrivals : []
  return { ...seen, charges: seen.charges.size, problems, arrivals: taken }
})
