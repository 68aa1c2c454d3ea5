/**
 * A process of webhook endpoints over TLS, each on a port of its own: they answer as they are told, count who is answered at
 * once, and verify a sample of signatures by the package `standardwebhooks`.
 */

import { type HttpRequest, type HttpResponse, SSLApp, us_socket_local_port } from "uWebSockets.js"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { generateEndpointSecret } from "../../src/delivery/signature.ts"
import { createAuthority } from "../../test/support/certificates.ts"
import { DeliveryLog } from "./deliveryLog.ts"
import type {
  ReceiverAnswer,
  ReceiverBehaviour,
  ReceiverEndpoint,
  ReceiverRequest,
  SeenDeliveries,
} from "./deliveryProtocol.ts"
import { serveParent } from "./serveParent.ts"
import { monotonicMillis } from "./streamProtocol.ts"

/** Every so manieth request is verified. */
const sampleEvery = 61
const awaitStepMillis = 5
const badSignaturesKeptMax = 3

const statusLines = { 200: "200 OK", 503: "503 Service Unavailable" } as const

let endpoints: ReadonlyArray<ReceiverEndpoint> = []
let behaviour: ReceiverBehaviour = { status: 200, holdMillis: 0, hanging: [] }
let log = new DeliveryLog({ run: -1, events: 0, groups: [] })
let hanging: ReadonlySet<number> = new Set()
/** Requests that hang, by endpoint. */
const held = new Map<number, Set<() => void>>()
/** Requests without an answer, by endpoint. */
const atOnce: Array<number> = []
let atOnceMax = 0
let arrived = 0
let verified = 0
let badSignatures: Array<string> = []

const verify = (endpoint: number, headers: Readonly<Record<string, string>>, body: Buffer): void => {
  verified += 1
  try {
    new Webhook(endpoints[endpoint]?.secret ?? "").verify(body, headers)
  } catch (error) {
    if (badSignatures.length < badSignaturesKeptMax) badSignatures.push(String(error))
  }
}

const readHeaders = (req: HttpRequest): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = {}
  req.forEach((name, value) => {
    headers[name] = value
  })
  return headers
}

/** Makes the answer to a request, which may be given once, while its connection is there. */
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
      if (behaviour.status !== 200) res.writeStatus(statusLines[behaviour.status])
      res.end()
    })
  }
  res.onAborted(end)
  return answer
}

const respond = (endpoint: number, answer: () => void): void => {
  if (hanging.has(endpoint)) {
    const others = held.get(endpoint) ?? new Set()
    held.set(endpoint, others.add(answer))
  } else if (behaviour.holdMillis > 0) setTimeout(answer, behaviour.holdMillis)
  else answer()
}

const receive = (res: HttpResponse, req: HttpRequest, endpoint: number): void => {
  const attempt = Number(req.getHeader("x-attempt"))
  const deliveryId = req.getHeader("x-delivery-id")
  arrived += 1
  const sample = arrived % sampleEvery === 1 ? readHeaders(req) : undefined
  const now = (atOnce[endpoint] ?? 0) + 1
  atOnce[endpoint] = now
  atOnceMax = Math.max(atOnceMax, now)
  const answer = answerer(res, endpoint)
  let received: Buffer | undefined
  res.onData((piece, isLast) => {
    // The piece's memory is uWebSockets.js' own: it may be read until we return.
    const bytes = Buffer.from(piece)
    if (!isLast || received !== undefined) {
      received = Buffer.concat(received === undefined ? [bytes] : [received, bytes])
    }
    if (!isLast) return
    const body = received ?? bytes
    log.add({ endpoint, attempt, deliveryId, body, atMillis: monotonicMillis() })
    if (sample !== undefined) verify(endpoint, sample, body)
    respond(endpoint, answer)
  })
}

const listenOn = (keyFile: string, certificateFile: string, endpoint: number): Promise<number> =>
  new Promise((resolve, reject) => {
    SSLApp({ key_file_name: keyFile, cert_file_name: certificateFile })
      .post("/*", (res, req) => receive(res, req, endpoint))
      .listen("127.0.0.1", 0, (socket) => {
        if (socket === false) reject(new Error("no port is free"))
        else resolve(us_socket_local_port(socket))
      })
  })

const listen = async (count: number): Promise<ReceiverAnswer> => {
  const folder = mkdtempSync(join(tmpdir(), "corrente-bench-ca-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  // Without a listener, "exit" is not emitted.
  process.once("SIGTERM", () => process.exit(143))
  const authority = createAuthority("Corrente bench authority")
  const issued = authority.issue({ names: ["127.0.0.1", "localhost"] })
  const fileOf = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  const caFile = fileOf("ca.pem", authority.certificatePem)
  const keyFile = fileOf("key.pem", issued.privateKeyPem)
  const certificateFile = fileOf("certificate.pem", issued.certificatePem)
  const started: Array<ReceiverEndpoint> = []
  for (let endpoint = 0; endpoint < count; endpoint++) {
    const port = await listenOn(keyFile, certificateFile, endpoint)
    started.push({ url: `https://127.0.0.1:${port}/hook`, secret: generateEndpointSecret(randomBytes) })
  }
  endpoints = started
  return { requests: 0, listening: { endpoints, caFile } }
}

const behave = (next: ReceiverBehaviour): void => {
  behaviour = next
  hanging = new Set(next.hanging)
  for (const [endpoint, answers] of held) {
    if (!hanging.has(endpoint)) for (const answer of [...answers]) answer()
  }
}

const awaitRequests = (requests: number, timeoutMillis: number): Promise<ReceiverAnswer> =>
  new Promise((resolve) => {
    const deadline = performance.now() + timeoutMillis
    const look = () => {
      if (log.requestCount >= requests || performance.now() > deadline) {
        resolve({ requests: log.requestCount })
      } else setTimeout(look, awaitStepMillis)
    }
    look()
  })

const take = (): ReceiverAnswer => {
  const seen: SeenDeliveries = { ...log.seen(), verified, badSignatures, atOnceMax }
  return { requests: seen.requests, seen }
}

serveParent<ReceiverRequest, ReceiverAnswer>((request) => {
  switch (request.kind) {
    case "listen":
      return listen(request.endpoints)
    case "expect":
      log = new DeliveryLog(request.round)
      atOnceMax = 0
      arrived = 0
      verified = 0
      badSignatures = []
      behave(request.behaviour)
      return { requests: 0 }
    case "behave":
      behave(request.behaviour)
      return { requests: log.requestCount }
    case "await":
      return awaitRequests(request.requests, request.timeoutMillis)
    case "take":
      return take()
  }
})
