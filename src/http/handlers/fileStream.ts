import { Effect, Exit, FiberSet } from "effect"
import type { StoredLedgerEntry } from "../../../actors/ports/ledger.ts"
import { ApiError, serviceUnavailable } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import type { Chunk, ExportWriter } from "../../exports/table.ts"
import type { StreamConnection } from "../../feed/streamConnection.ts"
import type { StreamReply } from "../server/reply.ts"

/** A line of a file, by the id after which the next ones are read. */
export interface Listed {
  readonly entryId: string
}

/** What a file of any length is made from, a statement or an export. */
export interface FileSource<E, Entry extends Listed = StoredLedgerEntry> {
  readonly sellerId: string
  readonly header: Chunk
  /** Entries of a page: fewer are the last ones. */
  readonly pageEntries: number
  /** The next entries, up to `pageEntries`; fails once the credential is no longer valid. */
  readonly readAfter: (entryId: string | undefined) => Effect.Effect<ReadonlyArray<Entry>, E>
  /** The lines of a page. */
  readonly render: (page: ReadonlyArray<Entry>) => Effect.Effect<Chunk, E>
  /** What comes after the last page. */
  readonly footer: Effect.Effect<Chunk, E>
}

const tooMany = new ApiError({
  code: "rate_limited",
  message: `${limits.filesPerSellerMax} files of this seller are being sent, which is the maximum. Read them first.`,
  details: { limit: limits.filesPerSellerMax },
  retryAfterSeconds: 5,
})
const crowded = serviceUnavailable("Too many files are being sent. Try again soon.", 5)

/** The answer that saves a stream as a file; `name` is without the ending. */
export const fileReply = (
  stream: StreamReply["stream"],
  { contentType, ending }: Pick<ExportWriter<never>, "contentType" | "ending">,
  name: string,
): StreamReply => ({
  stream,
  contentType,
  headers: [["Content-Disposition", `attachment; filename="${name}.${ending}"`]],
})

/** The places of a process' files. */
class Places {
  readonly #ofSellers = new Map<string, number>()
  #taken = 0

  take(sellerId: string): typeof tooMany | typeof crowded | undefined {
    const ofSeller = this.#ofSellers.get(sellerId) ?? 0
    if (ofSeller >= limits.filesPerSellerMax) return tooMany
    if (this.#taken >= limits.filesInProcessMax) return crowded
    this.#ofSellers.set(sellerId, ofSeller + 1)
    this.#taken++
    return undefined
  }

  release(sellerId: string): void {
    const left = (this.#ofSellers.get(sellerId) ?? 0) - 1
    if (left > 0) this.#ofSellers.set(sellerId, left)
    else this.#ofSellers.delete(sellerId)
    this.#taken--
  }
}

/** Waits until the reader has taken what was written; false after {@link limits.fileUnreadMillis}. */
const taken = (connection: StreamConnection): Effect.Effect<boolean> =>
  Effect.callback<boolean>((resume) => connection.whenDrained(() => resume(Effect.succeed(true)))).pipe(
    Effect.timeoutOrElse({
      duration: limits.fileUnreadMillis,
      orElse: () => Effect.succeed(false),
    }),
  )

/**
 * Sends a file, one page at a time and no faster than its reader takes it. What fails cuts the connection: the
 * chunked body then lacks its end, and nobody takes a part for the whole.
 */
const send = Effect.fnUntraced(
  function* <E, Entry extends Listed>(
    source: FileSource<E, Entry>,
    first: ReadonlyArray<Entry>,
    connection: StreamConnection,
  ) {
    const write = (chunk: Chunk) => {
      if (chunk.length > 0) connection.write(typeof chunk === "string" ? Buffer.from(chunk) : chunk)
    }
    write(source.header)
    for (let page = first; ; page = yield* source.readAfter(page.at(-1)?.entryId)) {
      write(yield* source.render(page))
      if (!(yield* taken(connection))) return connection.cut()
      if (page.length < source.pageEntries) break
    }
    const footer = yield* source.footer
    write(footer)
    if (footer.length > 0 && !(yield* taken(connection))) return connection.cut()
    connection.end()
  },
  (effect, _, __, connection) =>
    Effect.onExit(effect, (exit) =>
      Effect.sync(() => {
        if (Exit.isFailure(exit)) connection.cut()
      }),
    ),
)

/**
 * Opens files; they are sent by fibers of the scope. `open` reads the first page, so that a key that is not valid, or
 * a store that is away, is answered with its status. Fails with 429 or 503 where too many are being sent.
 */
export const makeFileStreams = Effect.gen(function* () {
  const places = new Places()
  const run = yield* FiberSet.makeRuntime<never>()

  const open = Effect.fnUntraced(function* <E, Entry extends Listed>(source: FileSource<E, Entry>) {
    const refusal = places.take(source.sellerId)
    if (refusal !== undefined) return yield* refusal
    const first = yield* Effect.onExit(source.readAfter(undefined), (exit) =>
      Effect.sync(() => {
        if (Exit.isFailure(exit)) places.release(source.sellerId)
      }),
    )
    return (connection: StreamConnection): void => {
      const fiber = run(send(source, first, connection).pipe(Effect.ignore))
      connection.onEnded(() => {
        places.release(source.sellerId)
        fiber.interruptUnsafe()
      })
    }
  })
  return open
})

/** Opens a file for its reader; a process has one of these, so that all its files share their limits. */
export type OpenFile = Effect.Success<typeof makeFileStreams>
