import { Effect, Exit, FiberSet } from "effect"
import type { StoredLedgerEntry } from "../../../actors/ports/ledger.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { ApiError, serviceUnavailable } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import type { StreamConnection } from "../../feed/streamConnection.ts"

type Entries = ReadonlyArray<StoredLedgerEntry>

/** What a statement is made from. */
export interface StatementSource {
  readonly sellerId: string
  readonly header: string
  /** The next entries, up to {@link limits.statementPageEntries}; fails once the credential is no longer valid. */
  readonly readAfter: (entryId: string | undefined) => Effect.Effect<Entries, ApiError | StoreUnavailable>
  readonly render: (entry: StoredLedgerEntry) => string
}

const tooMany = new ApiError({
  code: "rate_limited",
  message: `${limits.statementsPerSellerMax} statements of this seller are being sent, which is the maximum. Read them first.`,
  details: { limit: limits.statementsPerSellerMax },
  retryAfterSeconds: 5,
})
const crowded = serviceUnavailable("Too many statements are being sent. Try again soon.", 5)

/** The places of a process' statements. */
class Places {
  readonly #ofSellers = new Map<string, number>()
  #taken = 0

  take(sellerId: string): ApiError | undefined {
    const ofSeller = this.#ofSellers.get(sellerId) ?? 0
    if (ofSeller >= limits.statementsPerSellerMax) return tooMany
    if (this.#taken >= limits.statementsInProcessMax) return crowded
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

/** Waits until the reader has taken what was written; false after {@link limits.statementUnreadMillis}. */
const taken = (connection: StreamConnection): Effect.Effect<boolean> =>
  Effect.callback<boolean>((resume) => connection.whenDrained(() => resume(Effect.succeed(true)))).pipe(
    Effect.timeoutOrElse({
      duration: limits.statementUnreadMillis,
      orElse: () => Effect.succeed(false),
    }),
  )

/**
 * Sends a statement, one page at a time and no faster than its reader takes it. What fails cuts the connection: the
 * chunked body then lacks its end, and nobody takes a part for the whole.
 */
const send = Effect.fnUntraced(
  function* (source: StatementSource, first: Entries, connection: StreamConnection) {
    let page = first
    let text = source.header
    for (;;) {
      for (const entry of page) text += source.render(entry)
      if (text !== "") connection.write(Buffer.from(text))
      if (!(yield* taken(connection))) return connection.cut()
      if (page.length < limits.statementPageEntries) return connection.end()
      page = yield* source.readAfter(page.at(-1)?.entryId)
      text = ""
    }
  },
  (effect, _, __, connection) =>
    Effect.onExit(effect, (exit) =>
      Effect.sync(() => {
        if (Exit.isFailure(exit)) connection.cut()
      }),
    ),
)

/**
 * Opens statements; they are sent by fibers of the scope. `open` reads the first page, so that a key that is not valid, or
 * a store that is away, is answered with its status. Fails with 429 or 503 where too many are being sent.
 */
export const makeStatementStreams = Effect.gen(function* () {
  const places = new Places()
  const run = yield* FiberSet.makeRuntime<never>()

  const open = Effect.fnUntraced(function* (source: StatementSource) {
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
