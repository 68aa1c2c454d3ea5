import { createServer, request as forward, type RequestListener, type Server } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { AddressInfo } from "node:net"
import { createAuthority } from "../../support/certificates.ts"

/** How a reverse proxy is reached. */
export interface ReverseProxyOptions {
  /** The path that it puts the service below, such as `/corrente`. Default: none. */
  readonly prefix?: string
  /** Whether it speaks https to browsers, by a certificate that none of them trusts. Default: false. */
  readonly isSecure?: boolean
}

/** A proxy between browsers and services: it passes each request on to one of them in turn. */
export interface ReverseProxy {
  readonly origin: string
  readonly passTo: (...ports: ReadonlyArray<number>) => void
  /** How many requests each port got. */
  readonly passed: () => ReadonlyArray<number>
  /** Paths outside of the prefix that were asked for. */
  readonly outside: () => ReadonlyArray<string>
  readonly close: () => Promise<void>
}

const serverOf = (isSecure: boolean, listener: RequestListener): Server => {
  if (!isSecure) return createServer(listener)
  const { certificatePem, privateKeyPem } = createAuthority("A proxy of tests").issue({
    names: ["localhost", "127.0.0.1"],
  })
  return createSecureServer({ cert: certificatePem, key: privateKeyPem }, listener)
}

/** Starts a proxy on a free port, which answers 404 until it has somewhere to pass to. Close it in `afterAll`. */
export const startReverseProxy = async (options: ReverseProxyOptions = {}): Promise<ReverseProxy> => {
  const { prefix = "", isSecure = false } = options
  const protocol = isSecure ? "https" : "http"
  const ports: Array<number> = []
  const passed = new Map<number, number>()
  const outside: Array<string> = []
  let turn = 0
  const server = serverOf(isSecure, (incoming, response) => {
    const { method, url = "", headers, socket } = incoming
    const port = ports[turn++ % ports.length]
    if (!url.startsWith(`${prefix}/`) || port === undefined) {
      outside.push(url)
      response.writeHead(404).end()
      return
    }
    passed.set(port, (passed.get(port) ?? 0) + 1)
    const path = url.slice(prefix.length)
    const more = { "x-forwarded-for": socket.remoteAddress ?? "", "x-forwarded-proto": protocol }
    const onward = forward(
      { host: "127.0.0.1", port, method, path, headers: { ...headers, ...more } },
      (reply) => {
        response.writeHead(reply.statusCode ?? 502, reply.headers)
        response.flushHeaders()
        reply.pipe(response)
      },
    )
    onward.on("error", () => response.destroy())
    response.on("close", () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    origin: `${protocol}://localhost:${(server.address() as AddressInfo).port}`,
    passTo: (...to) => ports.push(...to),
    passed: () => [...passed.values()],
    outside: () => outside,
    close: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
