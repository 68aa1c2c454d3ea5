import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gunzip, gzip } from "node:zlib"
import { Effect } from "effect"
import type { Reply, ReplyHeaders, RequestFailure, TextReply } from "./reply.ts"
import type { Incoming, Route } from "./route.ts"

/** A content coding that documents are sent in. */
export type Coding = "br" | "gzip"

/** A document in all its forms, and the entity tag that names its bytes. */
export interface Compressed {
  readonly contentType: string
  readonly tag: string
  /** The compressed forms, the smallest first; none where compression saves nothing. */
  readonly coded: ReadonlyArray<readonly [Coding, Effect.Effect<Uint8Array>]>
  readonly plain: Effect.Effect<Uint8Array>
}

/** What a route must copy of a request to answer with a {@link Compressed}. */
const compressedHeaderNames = ["accept-encoding", "if-none-match"] as const

/** Runs an effect at most once, for whoever asks first. */
export const madeOnce = <A>(effect: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.runSync(Effect.cached(effect))

const tagOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex").slice(0, 32)

/** A document made here; it is compressed once, when first asked for, by a thread of its own. */
export const compress = (contentType: string, bytes: Uint8Array): Compressed => ({
  contentType,
  tag: tagOf(bytes),
  coded: [["gzip", madeOnce(Effect.promise(() => promisify(gzip)(bytes)))]],
  plain: Effect.succeed(bytes),
})

/** A document that is stored compressed; `sha256` is the hash, in hex, of its plain bytes. */
export const stored = (contentType: string, sha256: string, read: () => Promise<Uint8Array>): Compressed => {
  const gzipped = madeOnce(Effect.promise(read))
  const plain = madeOnce(Effect.flatMap(gzipped, (bytes) => Effect.promise(() => promisify(gunzip)(bytes))))
  return { contentType, tag: sha256.slice(0, 32), coded: [["gzip", gzipped]], plain }
}

/**
 * The coding that a client likes best among those offered, as its `Accept-Encoding` says (RFC 9110, section 12.5.3): the first
 * of those of equal weight. Undefined if it takes none.
 */
export const codingOf = (accepted: string, offered: ReadonlyArray<Coding>): Coding | undefined => {
  const weights = new Map(
    accepted.split(",").map((part) => {
      const [coding = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase())
      const weight = parameters.find((text) => text.startsWith("q="))?.slice(2)
      return [coding, weight === undefined ? 1 : Number(weight)] as const
    }),
  )
  const weightOf = (coding: Coding): number => weights.get(coding) ?? weights.get("*") ?? 0
  const liked = offered.filter((coding) => weightOf(coding) > 0)
  return liked.find((coding) => liked.every((other) => weightOf(other) <= weightOf(coding)))
}

/** Whether `If-None-Match` names the tag; tags are compared weakly (RFC 9110, section 13.1.2). */
const isKnown = (names: string, tag: string): boolean =>
  names.split(",").some((name) => ["*", `"${tag}"`, `W/"${tag}"`].includes(name.trim()))

/** Answers with the form that the client takes, or with 304 if it has the document already. */
const replyCompressed = (
  document: Compressed,
  { headers: [accepted = "", known = ""] }: Incoming,
  more: ReplyHeaders,
): Effect.Effect<TextReply> => {
  const { coded, plain } = document
  const coding = codingOf(
    accepted,
    coded.map(([offered]) => offered),
  )
  const form = coded.find(([offered]) => offered === coding)?.[1] ?? plain
  return Effect.map(form, (text) => ({
    status: isKnown(known, document.tag) ? 304 : 200,
    // A 304 has the length of what it stands for, and no body.
    text,
    contentType: document.contentType,
    headers: [
      ...more,
      // All forms share a tag, which is weak for that.
      ["ETag", `W/"${document.tag}"`],
      ...(coded.length > 0 ? [["Vary", "Accept-Encoding"] as const] : []),
      ...(coding === undefined ? [] : [["Content-Encoding", coding] as const]),
    ],
  }))
}

/** `Cache-Control` of a file whose path names its bytes: whoever has it never asks again. */
export const keptForEver = "public, max-age=31536000, immutable"

/** GET of a document that takes nothing of its request. */
export const documentRoute = (path: string, program: Effect.Effect<Reply, RequestFailure>): Route => ({
  method: "GET",
  path,
  paramCount: 0,
  headerNames: [],
  takesAllHeaders: false,
  takesQuery: false,
  takesBody: false,
  secured: false,
  streams: false,
  cors: undefined,
  routeClass: "work",
  asksAcquirer: false,
  sellerOf: undefined,
  start: () => Effect.runFork(program),
})

/** GET of a document that clients keep, for as long as `caching` says, and take compressed. */
export const compressedRoute = (
  path: string,
  document: Effect.Effect<Compressed>,
  caching: string,
  more: ReplyHeaders = [],
): Route => ({
  ...documentRoute(path, Effect.never),
  headerNames: compressedHeaderNames,
  start: (incoming) =>
    Effect.runFork(
      Effect.flatMap(document, (found) =>
        replyCompressed(found, incoming, [["Cache-Control", caching], ...more]),
      ),
    ),
})
