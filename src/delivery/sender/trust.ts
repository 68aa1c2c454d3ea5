import { X509Certificate } from "node:crypto"
import { readFile } from "node:fs/promises"
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls"
import { Effect, Schema } from "effect"

/** `WEBHOOK_CA_FILE` cannot be read or contains no certificate. */
export class InvalidCaFile extends Schema.TaggedError<InvalidCaFile>()("InvalidCaFile", {
  file: Schema.String,
  message: Schema.String,
}) {}

/**
 * The authorities for certificates of receivers: those of Node and, if given, those in a PEM file. Created once,
 * since parsing some 150 certificates for each connection takes milliseconds.
 */
export const loadTrust = (caFile: string | undefined): Effect.Effect<SecureContext, InvalidCaFile> =>
  Effect.tryPromise({
    try: async () => {
      if (caFile === undefined) return createSecureContext()
      const pem = await readFile(caFile, "utf8")
      // OpenSSL skips what it cannot parse; this throws.
      new X509Certificate(pem)
      return createSecureContext({ ca: [...getCACertificates("default"), pem] })
    },
    catch: (error) =>
      new InvalidCaFile({
        file: String(caFile),
        message: `WEBHOOK_CA_FILE must be a readable PEM file of certificates: ${String(error)}`,
      }),
  })
