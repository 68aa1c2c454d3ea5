import { X509Certificate } from "node:crypto"
import { readFile } from "node:fs/promises"
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls"
import { Effect, Schema } from "effect"

/** `WEBHOOK_CA_FILE` cannot be read, or holds no certificate. */
export class InvalidCaFile extends Schema.TaggedError<InvalidCaFile>()("InvalidCaFile", {
  file: Schema.String,
  message: Schema.String,
}) {}

/**
 * Whom receivers' certificates must come from: Node's default authorities and, if a file is given, those in it (PEM,
 * one or more; decisions 5). Made once, as reading some 150 certificates anew for each connection takes milliseconds.
 */
export const loadTrust = (caFile: string | undefined): Effect.Effect<SecureContext, InvalidCaFile> =>
  Effect.tryPromise({
    try: async () => {
      if (caFile === undefined) return createSecureContext()
      const pem = await readFile(caFile, "utf8")
      // OpenSSL passes over what it cannot read; this does not.
      new X509Certificate(pem)
      return createSecureContext({ ca: [...getCACertificates("default"), pem] })
    },
    catch: (error) =>
      new InvalidCaFile({
        file: String(caFile),
        message: `WEBHOOK_CA_FILE must be a readable PEM file of certificates: ${String(error)}`,
      }),
  })
