/** A process with one webhook endpoint over TLS, which answers at once and records when each charge's first delivery came. */

import type { HttpRequest, HttpResponse } from "uWebSockets.js"
import type { LifeReceiverAnswer, LifeReceiverRequest } from "./lifeProtocol.ts"
import { serveParent } from "./serveParent.ts"
import { listenOnTls, type RequestHeaders, readBody, SignatureSample, writeTlsFiles } from "./tlsEndpoint.ts"
import { idLength } from "./workloadParts.ts"

let secret = ""
let requests = 0
let bodyBytes = 0
let signatures = new SignatureSample()
/** When the first delivery of each charge came, as Unix time in ms. */
const arrivals = new Map<string, number>()

const idMark = '"object":{"id":"'

const received = (body: Buffer, headers: RequestHeaders | undefined): void => {
  bodyBytes += body.length
  const mark = body.indexOf(idMark)
  if (mark === -1) {
    signatures.note("a body names no charge")
    return
  }
  const id = body.toString("latin1", mark + idMark.length, mark + idMark.length + idLength)
  if (!arrivals.has(id)) arrivals.set(id, performance.timeOrigin + performance.now())
  if (headers !== undefined) signatures.verify(secret, headers, body)
}

const receive = (res: HttpResponse, req: HttpRequest): void => {
  requests += 1
  const headers = signatures.headersOf(req)
  let isOver = false
  res.onAborted(() => {
    isOver = true
  })
  readBody(res, (body) => {
    received(body, headers)
    if (!isOver) res.cork(() => res.end())
  })
}

const answerNow = (): LifeReceiverAnswer => ({
  charges: arrivals.size,
  repeats: requests - arrivals.size,
  bytesPerBody: bodyBytes / requests,
  bySecond: [],
  problems: signatures.problems,
})

const listen = async (): Promise<LifeReceiverAnswer> => {
  const files = writeTlsFiles()
  const endpoint = await listenOnTls(files, receive)
  return { ...answerNow(), listening: { ...endpoint, caFile: files.caFile } }
}

const take = (fromMillis: number, seconds: number): LifeReceiverAnswer => {
  const bySecond: Array<number> = new Array(seconds).fill(0)
  for (const atMillis of arrivals.values()) {
    const second = Math.floor((atMillis - fromMillis) / 1_000)
    if (second >= 0 && second < seconds) bySecond[second] = (bySecond[second] ?? 0) + 1
  }
  return { ...answerNow(), bySecond }
}

serveParent<LifeReceiverRequest, LifeReceiverAnswer>((request) => {
  switch (request.kind) {
    case "listen":
      return listen()
    case "expect":
      secret = request.secret
      requests = 0
      bodyBytes = 0
      signatures = new SignatureSample()
      arrivals.clear()
      return answerNow()
    case "count":
      return answerNow()
    case "take":
      return take(request.fromMillis, request.seconds)
  }
})
