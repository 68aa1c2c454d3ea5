/** A process with one webhook endpoint over TLS, which answers at once and notes when each charge was first told of. */

import { type HttpRequest, type HttpResponse, SSLApp, us_socket_local_port } from "uWebSockets.js"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { generateEndpointSecret } from "../../src/delivery/signature.ts"
import { createAuthority } from "../../test/support/certificates.ts"
import type { LifeReceiverAnswer, LifeReceiverRequest } from "./lifeProtocol.ts"
import { serveParent } from "./serveParent.ts"
import { idLength } from "./workloadParts.ts"

/** Every so manieth request is verified. */
const sampleEvery = 61
const problemsKeptMax = 3

let secret = ""
let requests = 0
let bodyBytes = 0
let problems: Array<string> = []
/** When each charge was first told of, as Unix time in ms. */
const arrivals = new Map<string, number>()

const problem = (text: string): void => {
  if (problems.length < problemsKeptMax) problems.push(text)
}

const readHeaders = (req: HttpRequest): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = {}
  req.forEach((name, value) => {
    headers[name] = value
  })
  return headers
}

const verify = (headers: Readonly<Record<string, string>>, body: Buffer): void => {
  try {
    new Webhook(secret).verify(body, headers)
  } catch (error) {
    problem(String(error))
  }
}

const idMark = '"object":{"id":"'

const received = (body: Buffer, headers: Readonly<Record<string, string>> | undefined): void => {
  bodyBytes += body.length
  const mark = body.indexOf(idMark)
  if (mark === -1) {
    problem("a body tells of no charge")
    return
  }
  const id = body.toString("latin1", mark + idMark.length, mark + idMark.length + idLength)
  if (!arrivals.has(id)) arrivals.set(id, performance.timeOrigin + performance.now())
  if (headers !== undefined) verify(headers, body)
}

const receive = (res: HttpResponse, req: HttpRequest): void => {
  requests += 1
  const headers = requests % sampleEvery === 1 ? readHeaders(req) : undefined
  let isOver = false
  res.onAborted(() => {
    isOver = true
  })
  const pieces: Array<Buffer> = []
  res.onData((piece, isLast) => {
    // The piece's memory is uWebSockets.js' own: it may be read until we return.
    const bytes = Buffer.from(piece)
    if (!isLast) {
      pieces.push(Buffer.from(bytes))
      return
    }
    received(pieces.length === 0 ? bytes : Buffer.concat([...pieces, bytes]), headers)
    if (!isOver) res.cork(() => res.end())
  })
}

const answerNow = (): LifeReceiverAnswer => ({
  charges: arrivals.size,
  repeats: requests - arrivals.size,
  bytesPerBody: bodyBytes / requests,
  bySecond: [],
  problems,
})

const listen = async (): Promise<LifeReceiverAnswer> => {
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
  const port = await new Promise<number>((resolve, reject) => {
    SSLApp({ key_file_name: keyFile, cert_file_name: certificateFile })
      .post("/*", receive)
      .listen("127.0.0.1", 0, (socket) => {
        if (socket === false) reject(new Error("no port is free"))
        else resolve(us_socket_local_port(socket))
      })
  })
  const origin = `https://127.0.0.1:${port}`
  return {
    ...answerNow(),
    listening: { url: `${origin}/hook`, origin, caFile, secret: generateEndpointSecret(randomBytes) },
  }
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
      problems = []
      arrivals.clear()
      return answerNow()
    case "count":
      return answerNow()
    case "take":
      return take(request.fromMillis, request.seconds)
  }
})
