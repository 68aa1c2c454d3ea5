import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import type { IncomingMessage } from "node:http"
import { createServer, type Server } from "node:https"
import { type AddressInfo, Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { TLSSocket } from "node:tls"
import { type Authority, createAuthority, type IssuedCertificate } from "./certificates.ts"
import { act, type Behaviour } from "./receiverBehaviours.ts"
import { until } from "./until.ts"

export { type Behaviour, behaviours } from "./receiverBehaviours.ts"

/** A request as received. */
export interface RecordedRequest {
  readonly method: string
  readonly path: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Alternating names and values, as sent. */
  readonly rawHeaders: ReadonlyArray<string>
  readonly rawBody: Buffer
  /** `rawBody` as UTF-8. */
  readonly body: string
  /** The SNI name, or null. */
  readonly serverName: string | null
  /** Equal for requests over the same connection. */
  readonly connectionId: number
}

export type Respond = (request: RecordedRequest, index: number) => Behaviour

/** The certificate that a receiver shows: a valid one, or one with this fault. */
export type CertificateKind = "trusted" | "otherName" | "otherAuthority" | "expired"

export interface TlsReceiverOptions {
  /** Default: 200 with an empty body. */
  readonly behaviour?: Behaviour | Respond
  /** Host names and addresses of its certificate; the first is the URL's host. Default: localhost and 127.0.0.1. */
  readonly names?: ReadonlyArray<string>
  readonly certificate?: CertificateKind
  /** Default: 127.0.0.1. */
  readonly address?: string
  /** Default: any free port. */
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
  /** All requests received, oldest first. */
  readonly requests: ReadonlyArray<RecordedRequest>
  /** How many TLS connections were made so far, how many of them resumed a session, and how many are open. */
  readonly connections: { readonly total: number; readonly resumed: number; readonly open: number }
  /** Waits until `count` requests have come in all. Fails as {@link until} does. */
  readonly waitFor: (count: number) => Promise<void>
  /** Waits until at most `countMax` connections are open. Fails as {@link until} does. */
  readonly waitForOpenConnections: (countMax: number) => Promise<void>
  /** Sets the behaviour for the requests to come. */
  readonly respondWith: (behaviour: Behaviour | Respond) => void
  /** Stops at once and cuts what is open. */
  readonly close: () => Promise<void>
}

let sharedAuthority: { readonly authority: Authority; readonly caFile: string } | undefined

/** The authority that all receivers of this process share, and its PEM file, for `WEBHOOK_CA_FILE`. */
export const authorityOfThisProcess = () => {
  if (sharedAuthority !== undefined) return sharedAuthority
  const directory = mkdtempSync(join(tmpdir(), "corrente-test-ca-"))
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }))
  // The test runner ends its workers this way, and "exit" is not emitted then. Whoever else hears the signal, as the demo, ends in order.
  process.once("SIGTERM", () => {
    if (process.listenerCount("SIGTERM") === 0) process.exit(143)
  })
  const authority = createAuthority("Corrente test authority")
  const caFile = join(directory, "ca.pem")
  writeFileSync(caFile, authority.certificatePem)
  sharedAuthority = { authority, caFile }
  return sharedAuthority
}

/** A certificate for these names, valid or with a fault. */
export const issueCertificate = (kind: CertificateKind, names: ReadonlyArray<string>): IssuedCertificate => {
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
  // Node sets it on the server's sockets too, which its types do not say.
  const name: unknown = Reflect.get(socket, "servername")
  return typeof name === "string" ? name : null
}

/** Counts the server's connections and numbers them from 1. */
const trackConnections = (server: Server) => {
  const open = new Map<object, number>()
  const made = { total: 0, resumed: 0 }
  /** By the peer's port; TLS sockets themselves cannot be reset. */
  const tcpSockets = new Map<number | undefined, Socket>()
  // Tests cut connections on purpose, on either side.
  server.on("tlsClientError", () => {})
  server.on("connection", (socket) => {
    if (!(socket instanceof Socket)) return
    const { remotePort } = socket
    tcpSockets.set(remotePort, socket)
    socket.once("close", () => tcpSockets.delete(remotePort))
  })
  server.on("secureConnection", (socket) => {
    made.total++
    if (socket.isSessionReused()) made.resumed++
    open.set(socket, made.total)
    socket.on("error", () => {})
    socket.once("close", () => open.delete(socket))
  })
  return { open, made, reset: (peerPort: number | undefined) => tcpSockets.get(peerPort)?.resetAndDestroy() }
}

/**
 * Starts an HTTPS receiver on this machine that records requests and answers by its behaviour. Its certificate is from
 * an authority made for this process, which a sender trusts by `caFile`.
 */
export const startTlsReceiver = async (options: TlsReceiverOptions = {}): Promise<TlsReceiver> => {
  const names = options.names ?? ["localhost", "127.0.0.1"]
  const issued = issueCertificate(options.certificate ?? "trusted", names)
  const requests: Array<RecordedRequest> = []
  let behaviour: Behaviour | Respond = options.behaviour ?? { kind: "respond" }

  const server = createServer({ cert: issued.certificatePem, key: issued.privateKeyPem })
  // The sender closes idle connections.
  server.keepAliveTimeout = 60_000
  const tracked = trackConnections(server)
  server.on("request", (request, response) => {
    readBody(request).then(
      (rawBody) => {
        const recorded = record(request, rawBody, tracked.open.get(request.socket) ?? 0)
        const index = requests.push(recorded) - 1
        act(typeof behaviour === "function" ? behaviour(recorded, index) : behaviour, response, () =>
          tracked.reset(request.socket.remotePort),
        )
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
      return { ...tracked.made, open: tracked.open.size }
    },
    waitFor: (count) =>
      until(
        () => `${count} requests; ${requests.length} came`,
        () => requests.length >= count,
      ),
    waitForOpenConnections: (countMax) =>
      until(
        () => `at most ${countMax} open connections; ${tracked.open.size} are`,
        () => tracked.open.size <= countMax,
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
