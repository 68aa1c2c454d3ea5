/**
 * The ceiling: uWebSockets.js and ioredis in one process, doing for a charge what its commit needs and nothing else.
 * Same commit function with the same keys and arguments, same BR Code, a QR (see bareQr.ts), same ciphers, same bytes
 * answered. No validation, no actors, no limits, no deadlines, no shutdown.
 *
 * PORT, REDIS_URL and ENCRYPTION_KEY as the service takes them. Never to be exposed to a network.
 */

import { App, type HttpRequest, type HttpResponse, us_socket_local_port } from "uWebSockets.js"
import { hash } from "node:crypto"
import { Effect } from "effect"
import { Redis } from "ioredis"
import { DocumentCipher } from "../../actors/ports/documentCipher.ts"
import { parseApiKey } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { CipherLive, makeCipher } from "../../src/crypto/cipher.ts"
import { library } from "../../src/store/functionLibrary.ts"
import * as keys from "../../src/store/keys.ts"
import { type BareBody, makeBareCharge } from "./bareCharge.ts"

const port = Number(process.env.PORT)
const encryptionKey = Buffer.from(process.env.ENCRYPTION_KEY ?? "", "base64")
const eventRetentionMillis = 30 * 24 * 60 * 60 * 1_000

// Auto-pipelining was tried on and off: on, Redis spends a third less on commits; off, reads are cheaper in this
// process, which is their limit. The callers that use both share nothing else, so each has its own connection.
const redisUrl = process.env.REDIS_URL ?? ""
const writes = new Redis(redisUrl, { enableAutoPipelining: true, protocol: 2 })
const reads = new Redis(redisUrl, { enableAutoPipelining: false, protocol: 2 })
const { seal } = makeCipher(encryptionKey)
const { restore } = Effect.runSync(Effect.provide(DocumentCipher, CipherLive(encryptionKey)))

/** What never changes of an API key, with all key names that it settles. */
interface Caller {
  readonly sellerId: string
  readonly partition: number
  readonly apiKey: string
  /** KEYS before and after the two that a request adds. */
  readonly keysBefore: ReadonlyArray<string>
  readonly keysAfter: ReadonlyArray<string>
  readonly idempotencyPrefix: string
  readonly argumentsAfter: ReadonlyArray<string | number>
}

const callers = new Map<string, Caller>()

const findCaller = async (authorization: string): Promise<Caller | undefined> => {
  const text = authorization.slice("Bearer ".length)
  const parsed = parseApiKey(text)
  if (parsed === undefined) return undefined
  const apiKey = keys.apiKeyKey(parsed.partition, hash("sha256", text, "base64url"))
  const [sellerId, mode] = await reads.hmget(apiKey, "seller", "mode")
  if (!sellerId || mode !== "test") return undefined
  const feed = { sellerId, mode } as const
  const tag = keys.tagOf(sellerId)
  const caller = {
    sellerId,
    partition: keys.partitionOf(sellerId),
    apiKey,
    keysBefore: [apiKey, keys.sellerKey(sellerId)],
    keysAfter: [
      keys.transactionsKey(sellerId, mode),
      keys.transactionsKey(sellerId, mode, "pending"),
      keys.eventsKey(feed),
      keys.feedKey(feed),
      keys.subscriptionsKey(feed),
      keys.timersKey(tag),
      keys.dueKey(tag),
    ],
    idempotencyPrefix: keys.idempotencyKey(sellerId, mode, "transactions", ""),
    argumentsAfter: [
      limits.idempotencyRetentionMillis,
      eventRetentionMillis,
      keys.feedChannel(feed),
      keys.wakeChannel(tag),
      keys.queuePrefix(tag),
      1,
    ],
  }
  callers.set(authorization, caller)
  return caller
}

interface Answer {
  readonly status: string
  readonly body: string
}

const refusals: Readonly<Record<string, string>> = {
  key_invalid: "401 Unauthorized",
  seller_not_allowed: "403 Forbidden",
  in_progress: "409 Conflict",
  mismatch: "422 Unprocessable Content",
}

const refuse = (status: string): Answer => ({ status, body: JSON.stringify({ error: status }) })

const createCharge = async (authorization: string, key: string, rawBody: Buffer): Promise<Answer> => {
  const caller = callers.get(authorization) ?? (await findCaller(authorization))
  if (caller === undefined) return refuse("401 Unauthorized")
  const body = JSON.parse(rawBody.toString()) as BareBody
  const charge = makeBareCharge(body, caller.partition, seal)
  const fingerprint = hash("sha256", rawBody, "base64url")
  const reply = (await writes.fcall(
    "corrente_create_transaction",
    11,
    ...caller.keysBefore,
    caller.idempotencyPrefix + key,
    keys.transactionKey(charge.id),
    ...caller.keysAfter,
    ...[caller.sellerId, "test", charge.id, "pending", charge.document, "transaction.created", "1"],
    ...[fingerprint, charge.executionId],
    ...caller.argumentsAfter,
    ...charge.timer,
  )) as ReadonlyArray<string>
  const [outcome = "", savedStatus, savedBody = ""] = reply
  if (outcome === "created") return { status: "201 Created", body: charge.answer }
  if (outcome === "replay") return { status: String(savedStatus), body: restore(savedBody) }
  return refuse(refusals[outcome] ?? "500 Internal Server Error")
}

const getCharge = async (authorization: string, id: string): Promise<Answer> => {
  const caller = callers.get(authorization) ?? (await findCaller(authorization))
  if (caller === undefined) return refuse("401 Unauthorized")
  const [[keySeller, revokeAt], [sellerId, mode, , , document]] = await Promise.all([
    reads.hmget(caller.apiKey, "seller", "revoke_at"),
    reads.hmget(keys.transactionKey(id), "seller", "mode", "status", "version", "document"),
  ])
  if (keySeller !== caller.sellerId || (revokeAt && Number(revokeAt) <= Date.now())) {
    return refuse("401 Unauthorized")
  }
  if (sellerId !== caller.sellerId || mode !== "test" || !document) return refuse("404 Not Found")
  return { status: "200 OK", body: restore(document) }
}

const requestIdStart = `req_${"0".repeat(14)}`
let requestsSeen = 0

/** Answers unless the client has left; headers are the service's, so that both send as many bytes. */
const respond = (res: HttpResponse, work: Promise<Answer>): void => {
  let aborted = false
  res.onAborted(() => {
    aborted = true
  })
  requestsSeen += 1
  const requestId = requestIdStart + String(requestsSeen).padStart(12, "0")
  const send = ({ status, body }: Answer) => {
    if (aborted) return
    res.cork(() => {
      res.writeStatus(status)
      res.writeHeader("X-Request-Id", requestId)
      res.writeHeader("Content-Type", "application/json")
      res.end(body)
    })
  }
  work.then(send, () => send(refuse("500 Internal Server Error")))
}

const readBody = (res: HttpResponse): Promise<Buffer> =>
  new Promise((resolve) => {
    let received: Buffer | undefined
    res.onData((piece, isLast) => {
      // The piece's memory is uWebSockets.js' own and goes away when we return.
      const copy = Buffer.from(Buffer.from(piece))
      received = received === undefined ? copy : Buffer.concat([received, copy])
      if (isLast) resolve(received)
    })
  })

const post = (res: HttpResponse, req: HttpRequest): void => {
  const authorization = req.getHeader("authorization")
  const key = req.getHeader("idempotency-key")
  respond(
    res,
    readBody(res).then((body) => createCharge(authorization, key, body)),
  )
}

const get = (res: HttpResponse, req: HttpRequest): void => {
  respond(res, getCharge(req.getHeader("authorization"), req.getParameter(0) ?? ""))
}

await writes.function("LOAD", "REPLACE", library.source)
App()
  .post("/v1/transactions", post)
  .get("/v1/transactions/:id", get)
  .listen("127.0.0.1", port, (socket) => {
    if (socket === false) {
      console.error(`port ${port} is taken`)
      process.exit(1)
    }
    console.log(`listening on http://127.0.0.1:${us_socket_local_port(socket)}`)
  })
