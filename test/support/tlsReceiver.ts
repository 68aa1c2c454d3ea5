import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer, type Server } from "node:https"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { TLSSocket } from "node:tls"
import { gzipSync } from "node:zlib"
import { type Authority, createAuthority, type IssuedCertificate } from "./certificates.ts"

/** A request as it came. */
export interface RecordedRequest {
  readonly method: string
  readonly path: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Names and values in turn, as sent. */
  readonly rawHeaders: ReadonlyArray<string>
  readonly rawBody: Buffer
  /** `rawBody` as UTF-8. */
  readonly body: string
  /** The SNI name, or null. */
  readonly serverName: string | null
  /** Two requests with the same one came over the same connection. */
  readonly connectionId: number
}

/** What a receiver does with a request. */
export type Behaviour =
  | {
      readonly kind: "respond"
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string | Uint8Array
      readonly delayMillis?: number
    }
  /** Never answers. */
  | { readonly kind: "silent" }
  /** Sends the head and, if there is one, the start of a body, and then nothing more. */
  | { readonly kind: "stall"; readonly status?: number; readonly body?: string }
  /** Sends the head and a body that never ends, one piece at a time. */
  | {
      readonly kind: "trickle"
      readonly status?: number
      readonly piece?: string
      readonly intervalMillis?: number
    }
  /** Cuts the connection without an answer. */
  | { readonly kind: "reset" }
  /** Sends the head and the start of a body, and then cuts the connection. */
  | { readonly kind: "cut"; readonly status?: number; readonly body?: string }
  /** Answers 200 with a head of at least that many bytes. */
  | { readonly kind: "headerFlood"; readonly bytes: number }

/** Behaviours that are answers with something particular about them. */
export const behaviours = {
  respond: (status = 200, body: string | Uint8Array = ""): Behaviour => ({ kind: "respond", status, body }),
  redirectTo: (location: string, status = 302): Behaviour => ({
    kind: "respond",
    status,
    headers: { location },
  }),
  hugeBody: (bytes: number): Behaviour => ({ kind: "respond", body: Buffer.alloc(bytes, "x") }),
  gzipped: (text: string): Behaviour => ({
    kind: "respond",
    headers: { "content-encoding": "gzip" },
    body: gzipSync(text),
  }),
} as const

export type Respond = (request: RecordedRequest, index: number) => Behaviour

/** Which certificate a receiver shows: a good one, or one with that fault. */
export type CertificateKind = "trusted" | "otherName" | "otherAuthority" | "expired"

export interface TlsReceiverOptions {
  /** Default: 200 with an empty body. */
  readonly behaviour?: Behaviour | Respond
  /** Host names and addresses of its certificate; the first is the URL's host. Default: localhost and 127.0.0.1. */
  readonly names?: ReadonlyArray<string>
  readonly certificate?: CertificateKind
  /** Default: 127.0.0.1. */
  readonly address?: string
  /** Default: any that is free. */
  readonly port?: number
}

/** A running HTTPS receiver. */
export interface TlsReceiver {
  /** `https://<first name>:<port>/webhooks` */
  readonly url: string
  /** `https://<first name>:<port>`, as `WEBHOOK_ALLOW_DESTINATIONS` takes it. */
  readonly origin: string
  readonly port: number
  /** PEM file of the authority that all receivers of this process share, for `WEBHOOK_CA_FILE`. */
  readonly caFile: string
  /** All that came, oldest first. */
  readonly requests: ReadonlyArray<RecordedRequest>
  /** TLS connections ever made, those of them that resumed a session, and those open now. */
  readonly connections: { readonly total: number; readonly resumed: number; readonly open: number }
  /** Waits until that many requests came in all. Fails after 10 s. */
  readonly waitFor: (count: number) => Promise<void>
  /** Waits until that many connections, or fewer, are open. Fails after 10 s. */
  readonly waitForOpenConnections: (countMax: number) => Promise<void>
  /** What to do with the requests to come. */
  readonly respondWith: (behaviour: Behaviour | Respond) => void
  /** Stops at once and cuts what is open. */
  readonly close: () => Promise<void>
}

const WAIT_MILLIS_MAX = 10_000

let sharedAuthority: { readonly authority: Authority; readonly caFile: string } | undefined

const authorityOfThisProcess = () => {
  if (sharedAuthority !== undefined) return sharedAuthority
  const directory = mkdtempSync(join(tmpdir(), "corrente-test-ca-"))
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }))
  const authority = createAuthority("Corrente test authority")
  const caFile = join(directory, "ca.pem")
  writeFileSync(caFile, authority.certificatePem)
  sharedAuthority = { authority, caFile }
  return sharedAuthority
}

const issueCertificate = (kind: CertificateKind, names: ReadonlyArray<string>): IssuedCertificate => {
  const { authority } = authorityOfThisProcess()
  switch (kind) {
    case "trusted":
      return authority.issue({ names })
    case "otherName":
      return authority.issue({ names: ["other.example"] })
    case "otherAuthority":
      return createAuthority("Some other authority").issue({ names })
    case "expired":
      return authority.issue({ names, notAfterMillis: Date.now() - 60_000 })
  }
}

/** Checks a condition at once and whenever something changed, until it holds. */
const createWaiting = () => {
  const checks = new Set<() => void>()
  return {
    notify: () => {
      for (const check of checks) check()
    },
    until: (holds: () => boolean, describe: () => string) =>
      new Promise<void>((resolve, reject) => {
        const end = (settle: () => void) => {
          clearTimeout(timer)
          checks.delete(check)
          settle()
        }
        const check = () => {
          if (holds()) end(resolve)
        }
        const timer = setTimeout(() => end(() => reject(new Error(describe()))), WAIT_MILLIS_MAX)
        checks.add(check)
        check()
      }),
  }
}

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const record = (request: IncomingMessage, rawBody: Buffer, connectionId: number): RecordedRequest => ({
  method: request.method ?? "",
  path: request.url ?? "",
  headers: Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value ?? "")]),
  ),
  rawHeaders: request.rawHeaders,
  rawBody,
  body: rawBody.toString("utf8"),
  serverName: request.socket instanceof TLSSocket ? serverNameOf(request.socket) : null,
  connectionId,
})

const serverNameOf = (socket: TLSSocket): string | null => {
  // Node sets it on the server's side; its types know it on the client's alone.
  const name: unknown = Reflect.get(socket, "servername")
  return typeof name === "string" ? name : null
}

const act = (behaviour: Behaviour, response: ServerResponse): void => {
  const head = (status: number | undefined) => response.writeHead(status ?? 200)
  switch (behaviour.kind) {
    case "respond": {
      const answer = () =>
        response.writeHead(behaviour.status ?? 200, behaviour.headers).end(behaviour.body ?? "")
      if (behaviour.delayMillis === undefined) answer()
      else closeTimer(response, setTimeout(answer, behaviour.delayMillis))
      return
    }
    case "silent":
      return
    case "stall":
      head(behaviour.status).flushHeaders()
      if (behaviour.body !== undefined) response.write(behaviour.body)
      return
    case "trickle":
      head(behaviour.status).flushHeaders()
      closeTimer(
        response,
        setInterval(() => response.write(behaviour.piece ?? "."), behaviour.intervalMillis ?? 5),
      )
      return
    case "reset":
      response.socket?.resetAndDestroy()
      return
    case "cut":
      head(behaviour.status).flushHeaders()
      response.write(behaviour.body ?? "", () => response.socket?.destroy())
      return
    case "headerFlood":
      response.writeHead(200, { "x-flood": "x".repeat(behaviour.bytes) }).end()
  }
}

const closeTimer = (response: ServerResponse, timer: NodeJS.Timeout): void => {
  response.once("close", () => clearTimeout(timer))
}

/**
 * Starts an HTTPS receiver on this machine that records what comes and behaves as told. Its certificate comes from an
 * authority made for this process; `caFile` is what a sender needs to trust it.
 */
export const startTlsReceiver = async (options: TlsReceiverOptions = {}): Promise<TlsReceiver> => {
  const names = options.names ?? ["localhost", "127.0.0.1"]
  const issued = issueCertificate(options.certificate ?? "trusted", names)
  const requests: Array<RecordedRequest> = []
  const open = new Map<object, number>()
  const waiting = createWaiting()
  let behaviour: Behaviour | Respond = options.behaviour ?? { kind: "respond" }
  let total = 0
  let resumed = 0

  const server = createServer({ cert: issued.certificatePem, key: issued.privateKeyPem })
  // A receiver that cuts or is cut is what the tests are about.
  server.on("tlsClientError", () => {})
  server.on("secureConnection", (socket) => {
    open.set(socket, ++total)
    if (socket.isSessionReused()) resumed++
    socket.on("error", () => {})
    socket.once("close", () => {
      open.delete(socket)
      waiting.notify()
    })
    waiting.notify()
  })
  server.on("request", (request, response) => {
    readBody(request).then(
      (rawBody) => {
        const recorded = record(request, rawBody, open.get(request.socket) ?? 0)
        const index = requests.push(recorded) - 1
        act(typeof behaviour === "function" ? behaviour(recorded, index) : behaviour, response)
        waiting.notify()
      },
      () => response.destroy(),
    )
  })
  const port = await listen(server, options.port ?? 0, options.address ?? "127.0.0.1")
  const origin = `https://${names[0]}:${port}`
  return {
    url: `${origin}/webhooks`,
    origin,
    port,
    caFile: authorityOfThisProcess().caFile,
    requests,
    get connections() {
      return { total, resumed, open: open.size }
    },
    waitFor: (count) =>
      waiting.until(
        () => requests.length >= count,
        () => `waited for ${count} requests, ${requests.length} came`,
      ),
    waitForOpenConnections: (countMax) =>
      waiting.until(
        () => open.size <= countMax,
        () => `waited for at most ${countMax} open connections, ${open.size} are`,
      ),
    respondWith: (next) => {
      behaviour = next
    },
    close: () => closeServer(server),
  }
}

const listen = (server: Server, port: number, address: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, address, () => {
      const bound = server.address() as AddressInfo
      resolve(bound.port)
    })
  })

const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
