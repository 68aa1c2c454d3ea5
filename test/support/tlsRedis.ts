import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redis } from "ioredis"
import { freeTestPort } from "./ports.ts"
import { startTestRedis } from "./redis.ts"
import { authorityOfThisProcess, issueCertificate } from "./tlsReceiver.ts"

/** A real Redis of a merchant, over TLS, with a user who may append to streams. */
export interface TlsRedis {
  /** `rediss://localhost:<port>`, as `WEBHOOK_ALLOW_DESTINATIONS` takes it. */
  readonly origin: string
  readonly port: number
  /** PEM file of the authority of its certificate, which all receivers of this process share. */
  readonly caFile: string
  /** The user's password, which has characters that a URL escapes. */
  readonly password: string
  /** The user's URL of a stream; `password` and `user` in place of its own, `more` after the stream. */
  readonly urlOf: (
    stream: string,
    changes?: { readonly user?: string; readonly password?: string; readonly more?: string },
  ) => string
  /** The administrator's connection, without TLS. */
  readonly client: Redis
  readonly close: () => Promise<void>
}

/** Starts one. Its user `shop` may XADD to streams whose names begin with `shop:`. Close it in `afterAll`. */
export const startTlsRedis = async (): Promise<TlsRedis> => {
  const issued = issueCertificate("trusted", ["localhost"])
  const { caFile } = authorityOfThisProcess()
  const folder = mkdtempSync(join(tmpdir(), "corrente-test-tls-redis-"))
  const [certificate, key] = [join(folder, "cert.pem"), join(folder, "key.pem")]
  writeFileSync(certificate, issued.certificatePem)
  writeFileSync(key, issued.privateKeyPem)
  const port = await freeTestPort()
  const server = await startTestRedis({
    arguments: [
      ...["--tls-port", String(port), "--tls-auth-clients", "no", "--tls-ca-cert-file", caFile],
      ...["--tls-cert-file", certificate, "--tls-key-file", key],
    ],
  })
  const client = new Redis(server.url)
  const password = "p@ss:w/rd ç"
  await client.call("ACL", "SETUSER", "shop", "on", `>${password}`, "+xadd", "~shop:*")
  return {
    origin: `rediss://localhost:${port}`,
    port,
    caFile,
    password,
    urlOf: (stream, changes = {}) => {
      const { user = "shop", more = "" } = changes
      const secret = changes.password === undefined ? "" : `:${encodeURIComponent(changes.password)}`
      return `rediss://${user}${secret}@localhost:${port}/?stream=${encodeURIComponent(stream)}${more}`
    },
    client,
    close: async () => {
      client.disconnect()
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
