import type { Socket } from "node:net"
import { type AddressInfo, createServer as createTcpServer } from "node:net"
import { createSecureContext, TLSSocket } from "node:tls"
import { authorityOfThisProcess, type CertificateKind, issueCertificate } from "./tlsReceiver.ts"
import { until } from "./until.ts"

/** What a peer answers to XADD. */
export type PeerBehaviour =
  /** As Redis does, once `after` is there. */
  | { readonly kind: "append"; readonly after?: Promise<unknown> }
  /** Appends, and never answers. */
  | { readonly kind: "silent" }
  /** Appends, and resets the connection (TCP RST) without an answer. */
  | { readonly kind: "reset"; readonly isOnce?: boolean }
  /** Appends, writes these bytes, and ends the connection where it says so. */
  | { readonly kind: "raw"; readonly bytes: string; readonly ends?: boolean }

export interface RedisPeerOptions {
  readonly behaviour?: PeerBehaviour
  /** What it answers to AUTH. Default: it signs everybody in. */
  readonly refusesAuth?: string
  readonly names?: ReadonlyArray<string>
  readonly certificate?: CertificateKind
  readonly address?: string
  readonly port?: number
}

/** A server that speaks enough of Redis' protocol to be appended to, and breaks it where a test wants. */
export interface RedisPeer {
  /** `rediss://<first name>:<port>`, as `WEBHOOK_ALLOW_DESTINATIONS` takes it. */
  readonly origin: string
  /** With a user and the stream `events`. */
  readonly url: string
  readonly port: number
  readonly caFile: string
  /** All commands received, oldest first, each with the number of its connection and its SNI name. */
  readonly commands: ReadonlyArray<{
    readonly parts: ReadonlyArray<string>
    readonly connection: number
    readonly serverName: string | null
  }>
  readonly connections: { readonly total: number; readonly open: number }
  readonly behave: (behaviour: PeerBehaviour) => void
  /** Waits until `count` entries have come in all. */
  readonly waitFor: (count: number) => Promise<void>
  readonly waitForOpenConnections: (countMax: number) => Promise<void>
  /** Ends all connections in order, as a server does that closes idle ones. */
  readonly endConnections: () => void
  readonly close: () => Promise<void>
}

/** The commands that some bytes are, and what is left of them. */
const readCommands = (bytes: Buffer): { commands: Array<ReadonlyArray<string>>; rest: Buffer } => {
  const commands: Array<ReadonlyArray<string>> = []
  let at = 0
  const line = (from: number) => {
    const end = bytes.indexOf("\r\n", from)
    return end < 0 ? undefined : { text: bytes.toString("latin1", from, end), next: end + 2 }
  }
  for (;;) {
    const head = line(at)
    if (head === undefined) break
    const parts: Array<string> = []
    let next = head.next
    for (let i = 0; i < Number(head.text.slice(1)); i++) {
      const length = line(next)
      if (length === undefined) break
      const end = length.next + Number(length.text.slice(1))
      if (bytes.length < end + 2) break
      parts.push(bytes.toString("utf8", length.next, end))
      next = end + 2
    }
    if (parts.length < Number(head.text.slice(1))) break
    commands.push(parts)
    at = next
  }
  return { commands, rest: bytes.subarray(at) }
}

/** Starts one on this machine, under the authority of all receivers of this process. */
export const startRedisPeer = async (options: RedisPeerOptions = {}): Promise<RedisPeer> => {
  const names = options.names ?? ["localhost", "127.0.0.1"]
  const issued = issueCertificate(options.certificate ?? "trusted", names)
  const secureContext = createSecureContext({ cert: issued.certificatePem, key: issued.privateKeyPem })
  const commands: Array<RedisPeer["commands"][number]> = []
  const open = new Map<TLSSocket, Socket>()
  let total = 0
  let entries = 0
  let behaviour: PeerBehaviour = options.behaviour ?? { kind: "append" }

  const append = (socket: TLSSocket, tcp: Socket) => {
    const id = `17000000000${String(++entries).padStart(2, "0")}-0`
    const answer = () => socket.write(`$${id.length}\r\n${id}\r\n`)
    switch (behaviour.kind) {
      case "append":
        if (behaviour.after === undefined) answer()
        else behaviour.after.then(answer, () => socket.destroy())
        return
      case "silent":
        return
      case "reset":
        if (behaviour.isOnce === true) behaviour = { kind: "append" }
        tcp.resetAndDestroy()
        return
      case "raw":
        socket.write(Buffer.from(behaviour.bytes, "latin1"))
        if (behaviour.ends === true) socket.end()
    }
  }

  const server = createTcpServer((tcp) => {
    const socket = new TLSSocket(tcp, { isServer: true, secureContext })
    tcp.on("error", () => {})
    socket.on("error", () => {})
    let connection = 0
    let rest: Buffer = Buffer.alloc(0)
    socket.once("secure", () => {
      connection = ++total
      open.set(socket, tcp)
    })
    socket.once("close", () => open.delete(socket))
    socket.on("data", (chunk) => {
      const read = readCommands(Buffer.concat([rest, chunk]))
      rest = read.rest
      for (const parts of read.commands) {
        const serverName: unknown = Reflect.get(socket, "servername")
        commands.push({ parts, connection, serverName: typeof serverName === "string" ? serverName : null })
        if (parts[0] === "AUTH") socket.write(options.refusesAuth ?? "+OK\r\n")
        else append(socket, tcp)
      }
    })
  })
  await new Promise<void>((done, failed) => {
    server.once("error", failed)
    server.listen(options.port ?? 0, options.address ?? "127.0.0.1", done)
  })
  const { port } = server.address() as AddressInfo
  const origin = `rediss://${names[0]}:${port}`
  return {
    origin,
    url: `rediss://shop@${names[0]}:${port}/?stream=events`,
    port,
    caFile: authorityOfThisProcess().caFile,
    commands,
    get connections() {
      return { total, open: open.size }
    },
    behave: (next) => {
      behaviour = next
    },
    waitFor: (count) =>
      until(
        () => `${count} entries; ${entries} came`,
        () => entries >= count,
      ),
    waitForOpenConnections: (countMax) =>
      until(
        () => `at most ${countMax} open connections; ${open.size} are`,
        () => open.size <= countMax,
      ),
    endConnections: () => {
      for (const socket of open.keys()) socket.end()
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        for (const tcp of open.values()) tcp.destroy()
      }),
  }
}
