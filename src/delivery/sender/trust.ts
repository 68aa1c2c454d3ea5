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
 * Checks the PEM file of additional authorities, if one is given, and returns what makes the context of connections to
 * receivers, which trusts those of Node as well. Make one for all connections: parsing some 150 certificates takes 25 ms.
 */
export const loadTrust = (caFile: string | undefined): Effect.Effect<() => SecureContext, InvalidCaFile> =>
  Effect.tryPromise({
    try: async () => {
      if (caFile === undefined) return () => createSecureContext()
      const pem = await readFile(caFile, "utf8")
      // OpenSSL skips what it cannot parse; this throws.
      new X509Certificate(pem)
      // What is wrong with the file is said at the start, not by the first attempt.
      createSecureContext({ ca: pem })
      return () => createSecureContext({ ca: [...getCACertificates("default"), pem] })
    },
    catch: (error) =>
      new InvalidCaFile({
        file: String(caFile),
        message: `WEBHOOK_CA_FILE must be a readable PEM file of certificates: ${String(error)}`,
      }),
  })
