/**
 * A process of webhook endpoints over TLS, each on its own port: they answer as configured, count concurrent requests,
 * and verify a sample of signatures.
 */

import type { HttpRequest, HttpResponse } from "uWebSockets.js"
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
import { listenOnTls, readBody, SignatureSample, writeTlsFiles } from "./tlsEndpoint.ts"

const awaitStepMillis = 5

const statusLines = { 200: "200 OK", 503: "503 Service Unavailable" } as const

let endpoints: ReadonlyArray<ReceiverEndpoint> = []
let behaviour: ReceiverBehaviour = { status: 200, holdMillis: 0, hanging: [] }
let log = new DeliveryLog({ run: -1, events: 0, groups: [] })
let hanging: ReadonlySet<number> = new Set()
/** Answers withheld from hanging requests, by endpoint. */
const held = new Map<number, Set<() => void>>()
/** Unanswered requests, by endpoint. */
const atOnce: Array<number> = []
let atOnceMax = 0
let signatures = new SignatureSample()

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
  const sample = signatures.headersOf(req)
  const now = (atOnce[endpoint] ?? 0) + 1
  atOnce[endpoint] = now
  atOnceMax = Math.max(atOnceMax, now)
  const answer = answerer(res, endpoint)
  readBody(res, (body) => {
    log.add({ endpoint, attempt, deliveryId, body, atMillis: monotonicMillis() })
    if (sample !== undefined) signatures.verify(endpoints[endpoint]?.secret ?? "", sample, body)
    respond(endpoint, answer)
  })
}

const listen = async (count: number): Promise<ReceiverAnswer> => {
  const files = writeTlsFiles()
  const started: Array<ReceiverEndpoint> = []
  for (let endpoint = 0; endpoint < count; endpoint++) {
    const { url, secret } = await listenOnTls(files, (res, req) => receive(res, req, endpoint))
    started.push({ url, secret })
  }
  endpoints = started
  return { requests: 0, listening: { endpoints, caFile: files.caFile } }
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
    const check = () => {
      if (log.requestCount >= requests || performance.now() > deadline) {
        resolve({ requests: log.requestCount })
      } else setTimeout(check, awaitStepMillis)
    }
    check()
  })

const take = (): ReceiverAnswer => {
  const { verified, problems: badSignatures } = signatures
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
      signatures = new SignatureSample()
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
