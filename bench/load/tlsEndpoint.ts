/** Parts of the webhook receivers: TLS endpoints on uWebSockets.js, whole bodies, and a sample of verified signatures. */

import { type HttpRequest, type HttpResponse, SSLApp, us_socket_local_port } from "uWebSockets.js"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { generateEndpointSecret } from "../../src/delivery/signature.ts"
import { createAuthority } from "../../test/support/certificates.ts"

/** Header names, in lower case, and values. */
export type RequestHeaders = Readonly<Record<string, string>>

/** Paths of a certificate for 127.0.0.1, its key, and the authority that issued it. */
export interface TlsFiles {
  readonly caFile: string
  readonly keyFile: string
  readonly certificateFile: string
}

/** Writes TLS files to a temporary folder, which is deleted when the process exits. */
export const writeTlsFiles = (): TlsFiles => {
  const folder = mkdtempSync(join(tmpdir(), "corrente-bench-ca-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  // Without a listener for SIGTERM, "exit" is not emitted.
  process.once("SIGTERM", () => process.exit(143))
  const authority = createAuthority("Corrente bench authority")
  const issued = authority.issue({ names: ["127.0.0.1", "localhost"] })
  const fileOf = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  return {
    caFile: fileOf("ca.pem", authority.certificatePem),
    keyFile: fileOf("key.pem", issued.privateKeyPem),
    certificateFile: fileOf("certificate.pem", issued.certificatePem),
  }
}

/** Where an endpoint listens, and a new secret for its deliveries. */
export interface TlsEndpoint {
  readonly origin: string
  readonly url: string
  readonly secret: string
}

/** Starts an endpoint that handles POST requests on a free port. */
export const listenOnTls = async (
  { keyFile, certificateFile }: TlsFiles,
  receive: (res: HttpResponse, req: HttpRequest) => void,
): Promise<TlsEndpoint> => {
  const port = await new Promise<number>((resolve, reject) => {
    SSLApp({ key_file_name: keyFile, cert_file_name: certificateFile })
      .post("/*", receive)
      .listen("127.0.0.1", 0, (socket) => {
        if (socket === false) reject(new Error("no port is free"))
        else resolve(us_socket_local_port(socket))
      })
  })
  const origin = `https://127.0.0.1:${port}`
  return { origin, url: `${origin}/hook`, secret: generateEndpointSecret(randomBytes) }
}

/** Passes on a request's whole body. It may be read only until `received` returns: its memory is uWebSockets.js' own. */
export const readBody = (res: HttpResponse, received: (body: Buffer) => void): void => {
  let earlier: Buffer | undefined
  res.onData((piece, isLast) => {
    const bytes = Buffer.from(piece)
    if (!isLast || earlier !== undefined) {
      earlier = Buffer.concat(earlier === undefined ? [bytes] : [earlier, bytes])
    }
    if (isLast) received(earlier ?? bytes)
  })
}

const sampleEvery = 61
const problemsKeptMax = 3

/** Verifies the signature of one request in 61 with the package `standardwebhooks`. */
export class SignatureSample {
  /** Requests verified so far. */
  verified = 0
  /** The first few failures. */
  readonly problems: Array<string> = []
  #requests = 0

  /** Counts a request; returns its headers if it is in the sample. */
  headersOf(req: HttpRequest): RequestHeaders | undefined {
    this.#requests += 1
    if (this.#requests % sampleEvery !== 1) return undefined
    const headers: Record<string, string> = {}
    req.forEach((name, value) => {
      headers[name] = value
    })
    return headers
  }

  /** Verifies a request of the sample. */
  verify(secret: string, headers: RequestHeaders, body: Buffer): void {
    this.verified += 1
    try {
      new Webhook(secret).verify(body, headers)
    } catch (error) {
      this.note(String(error))
    }
  }

  /** Keeps a problem, unless there are enough. */
  note(problem: string): void {
    if (this.problems.length < problemsKeptMax) this.problems.push(problem)
  }
}
