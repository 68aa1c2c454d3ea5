import { Effect } from "effect"
import { type Compressed, compressedHeaderNames, replyCompressed } from "./compressed.ts"
import type { Reply, ReplyHeaders, RequestFailure } from "./reply.ts"
import type { Route } from "./route.ts"

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
  lane: "work",
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
