import { fileURLToPath } from "node:url"
import { Context, Effect, Layer, Scope } from "effect"
import type { Piscina } from "piscina"
import { type ApiError, serviceUnavailable } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import type { Receipt } from "./receipt.ts"

/**
 * Writes receipts as PDFs (docs/contract/receipts.md#pdf), in a thread of low priority: a logo may take long to decode, and one that is
 * broken must not end the process. 503 when too many wait.
 */
export class ReceiptPdf extends Context.Service<
  ReceiptPdf,
  { readonly write: (receipt: Receipt) => Effect.Effect<Uint8Array, ApiError<"service_unavailable">> }
>()("corrente/payments/ReceiptPdf") {}

/** The idle thread ends after this. */
const idleMillis = 60_000
const niceIncrement = 10

/** The thread; the first receipt starts it. */
const openThread = Effect.acquireRelease(
  Effect.promise(async () => {
    const { Piscina } = await import("piscina")
    return new Piscina<Receipt, Uint8Array>({
      filename: fileURLToPath(new URL("./receiptWorker.ts", import.meta.url)),
      minThreads: 0,
      maxThreads: 1,
      maxQueue: limits.receiptsWaitingMax,
      idleTimeout: idleMillis,
      niceIncrement,
    })
  }),
  (running: Piscina<Receipt, Uint8Array>) => Effect.promise(() => running.destroy()),
)

const tooManyWait = () => serviceUnavailable("Too many receipts are being written. Try again.", 2)

export const ReceiptPdfLive = Layer.effect(
  ReceiptPdf,
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const thread = yield* Effect.cached(Scope.provide(openThread, scope))
    const writeIn = (pool: Piscina<Receipt, Uint8Array>, receipt: Receipt) =>
      Effect.tryPromise({ try: (signal) => pool.run(receipt, { signal }), catch: (cause) => cause })
    return ReceiptPdf.of({
      write: Effect.fnUntraced(function* (receipt) {
        const pool = yield* thread
        if (pool.queueSize >= limits.receiptsWaitingMax) return yield* tooManyWait()
        return yield* writeIn(pool, receipt).pipe(
          // The logo's owner chose its bytes, which were never decoded: without it the receipt says the same.
          Effect.catch((cause) =>
            receipt.logo === undefined
              ? Effect.fail(cause)
              : Effect.andThen(
                  Effect.logWarning(`the logo of ${receipt.file} cannot be drawn`),
                  writeIn(pool, { ...receipt, logo: undefined }),
                ),
          ),
          Effect.orDie,
        )
      }),
    })
  }),
)
