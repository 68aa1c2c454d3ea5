import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { request as forward, type IncomingHttpHeaders } from "node:http"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createAuthority } from "../support/certificates.ts"

/** A request that was passed on, and the status that answered it. */
export interface PassedOn {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly status: number
}

/** The TLS proxy that a merchant has in front of a receiver. */
export interface TlsFront {
  readonly origin: string
  /** PEM file of the authority of its certificate. */
  readonly caFile: string
  readonly passedOn: ReadonlyArray<PassedOn>
  /** Passes requests on to this port from now on; before, they are answered 502. */
  readonly passTo: (port: number) => void
  readonly close: () => Promise<void>
}

/** Starts a proxy with a certificate of its own on a free port. */
export const startTlsFront = async (): Promise<TlsFront> => {
  const folder = mkdtempSync(join(tmpdir(), "corrente-test-front-"))
  const authority = createAuthority("Corrente test proxy")
  const caFile = join(folder, "ca.pem")
  writeFileSync(caFile, authority.certificatePem)
  const { certificatePem, privateKeyPem } = authority.issue({ names: ["localhost", "127.0.0.1"] })
  const passedOn: Array<PassedOn> = []
  let target: number | undefined
  const server = createServer({ cert: certificatePem, key: privateKeyPem }, async (incoming, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of incoming) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const { method, url: path, headers } = incoming
    const answer = (status: number) => {
      passedOn.push({ headers, body, status })
      response.writeHead(status).end()
    }
    if (target === undefined) return answer(502)
    forward({ port: target, method, path, headers }, (reply) => {
      reply.resume().on("end", () => answer(reply.statusCode ?? 502))
    })
      .on("error", () => answer(502))
      .end(body)
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    origin: `https://localhost:${(server.address() as AddressInfo).port}`,
    caFile,
    passedOn,
    passTo: (port) => {
      target = port
    },
    close: async () => {
      rmSync(folder, { recursive: true, force: true })
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
