/**
 * The ceiling: uWebSockets.js and ioredis in one process, doing what a charge's commit needs and nothing else. Commit
 * function, keys, arguments, BR Code, ciphers and response bytes equal the service's; the QR is bareQr.ts. It has no
 * validation, actors, limits, deadlines or shutdown. Takes PORT, REDIS_URL and ENCRYPTION_KEY like the service. With
 * ENDPOINTS_FILE its charges live on (bareLife.ts): they are paid SIMULATOR_DELAY_MS after creation and delivered.
 * Never expose it to a network.
 */

import { App, type HttpRequest, type HttpResponse, us_socket_local_port } from "uWebSockets.js"
import { type BareBody, makeBareCharge, makeBarePayload } from "./bareCharge.ts"
import { startBareLife } from "./bareLife.ts"
import { encodeBareQr } from "./bareQr.ts"
import { readPeerSettings } from "./bareQueueAttempt.ts"
import { type BareAnswer, type BareCaller, openBareStore, refuse } from "./bareStore.ts"

const port = Number(process.env.PORT)
const encryptionKey = Buffer.from(process.env.ENCRYPTION_KEY ?? "", "base64")
const store = await openBareStore(process.env.REDIS_URL ?? "", encryptionKey)
const life =
  process.env.ENDPOINTS_FILE === undefined
    ? undefined
    : await startBareLife(readPeerSettings(), encryptionKey)
const paidInMillis = life === undefined ? undefined : Number(process.env.SIMULATOR_DELAY_MS)

/** What the owner of an API key gets. */
const forCaller = async (
  authorization: string,
  act: (caller: BareCaller) => Promise<BareAnswer>,
): Promise<BareAnswer> => {
  const caller = store.knownCaller(authorization) ?? (await store.findCaller(authorization))
  return caller === undefined ? refuse(401) : act(caller)
}

const createCharge = (caller: BareCaller, key: string, rawBody: Buffer): Promise<BareAnswer> => {
  const body = JSON.parse(rawBody.toString()) as BareBody
  const payload = makeBarePayload()
  const pix = { payload, qr: encodeBareQr(payload) }
  life?.follow(caller.sellerId)
  const charge = makeBareCharge(body, caller.partition, pix, store.seal, JSON.stringify, paidInMillis)
  return store.create(caller, key, rawBody, charge)
}

const statusLines: Readonly<Record<number, string>> = {
  200: "200 OK",
  201: "201 Created",
  401: "401 Unauthorized",
  403: "403 Forbidden",
  404: "404 Not Found",
  409: "409 Conflict",
  422: "422 Unprocessable Content",
}

const requestIdStart = `req_${"0".repeat(14)}`
let requestsSeen = 0

/** Responds unless the client has gone; the headers equal the service's, so that both send as many bytes. */
const respond = (res: HttpResponse, work: Promise<BareAnswer>): void => {
  let aborted = false
  res.onAborted(() => {
    aborted = true
  })
  requestsSeen += 1
  const requestId = requestIdStart + String(requestsSeen).padStart(12, "0")
  const send = ({ status, body, isReplay }: BareAnswer) => {
    if (aborted) return
    res.cork(() => {
      res.writeStatus(statusLines[status] ?? "500 Internal Server Error")
      res.writeHeader("X-Request-Id", requestId)
      res.writeHeader("Content-Type", "application/json")
      if (isReplay) res.writeHeader("Idempotent-Replayed", "true")
      res.end(body)
    })
  }
  work.then(send, () => send(refuse(500)))
}

const readBody = (res: HttpResponse): Promise<Buffer> =>
  new Promise((resolve) => {
    let received: Buffer | undefined
    res.onData((piece, isLast) => {
      // The memory is uWebSockets.js' own and is only valid until we return.
      const copy = Buffer.from(Buffer.from(piece))
      received = received === undefined ? copy : Buffer.concat([received, copy])
      if (isLast) resolve(received)
    })
  })

const post = (res: HttpResponse, req: HttpRequest): void => {
  const authorization = req.getHeader("authorization")
  const key = req.getHeader("idempotency-key")
  const create = (body: Buffer) => forCaller(authorization, (caller) => createCharge(caller, key, body))
  respond(res, readBody(res).then(create))
}

const get = (res: HttpResponse, req: HttpRequest): void => {
  const id = req.getParameter(0) ?? ""
  respond(
    res,
    forCaller(req.getHeader("authorization"), (caller) => store.get(caller, id)),
  )
}

const list = (res: HttpResponse, req: HttpRequest): void => {
  const limit = Number(req.getQuery("limit"))
  respond(
    res,
    forCaller(req.getHeader("authorization"), (caller) => store.list(caller, limit)),
  )
}

App()
  .post("/v1/transactions", post)
  .get("/v1/transactions", list)
  .get("/v1/transactions/:id", get)
  .listen("127.0.0.1", port, (socket) => {
    if (socket === false) {
      console.error(`port ${port} is taken`)
      process.exit(1)
    }
    console.log(`listening on http://127.0.0.1:${us_socket_local_port(socket)}`)
  })
