import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { type Coding, codingOf } from "../server/compressed.ts"
import type { Reply } from "../server/reply.ts"

/** Shorter bodies are sent as they are: they fit into one packet anyway. */
export const compressedFromBytes = 1_024

/** A list of 25 charges takes 0.1 ms and becomes a fifteenth; a better ratio would cost a multiple. */
const compressors: Readonly<Record<Coding, (text: string) => Uint8Array>> = {
  br: (text) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (text) => gzipSync(text, { level: 4 }),
}

const codings: ReadonlyArray<Coding> = ["br", "gzip"]

/**
 * A JSON answer in the coding that the browser likes best of those that it takes (`Accept-Encoding`, RFC 9110, section 12.5.3); short
 * ones, and all that are no JSON, as they are. Only for answers to sessions, whose cookies other sites' pages cannot use: with
 * a guessable part of the request in it, the size of a compressed answer tells what else it says (docs/security.md#compressed-answers).
 */
export const compressJson = (reply: Reply, accepted: string): Reply => {
  if (!("body" in reply) || Buffer.byteLength(reply.body) < compressedFromBytes) return reply
  const coding = codingOf(accepted, codings)
  const headers = [...(reply.headers ?? []), ["Vary", "Accept-Encoding"] as const]
  if (coding === undefined) return { ...reply, headers }
  return {
    status: reply.status,
    text: compressors[coding](reply.body),
    contentType: "application/json",
    headers: [...headers, ["Content-Encoding", coding]],
  }
}
