import { fileURLToPath } from "node:url"
import { Context, Effect, Layer, Scope } from "effect"
import { type ApiError, serviceUnavailable, validationFailed } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { openLowPriorityThread } from "../lowPriorityThread.ts"

/**
 * Writes logos anew (docs/contract/sellers.md#logo), in a thread of low priority: a merchant chose their bytes. The same pixels give the
 * same bytes. Its callers have checked length, width and height.
 */
export class Logos extends Context.Service<
  Logos,
  {
    /** A PNG in base64, as one of its pixels alone. 400 at `logo` where it is broken or gets too long, 503 when too many wait. */
    readonly rewrite: (
      logo: string,
    ) => Effect.Effect<string, ApiError<"validation_failed" | "service_unavailable">>
  }
>()("corrente/payments/Logos") {}

const openThread = openLowPriorityThread<Uint8Array, Uint8Array | undefined>(
  fileURLToPath(new URL("./logoWorker.ts", import.meta.url)),
  limits.logosWaitingMax,
)

const broken = () =>
  validationFailed("logo", "logo is no whole PNG: it cannot be decoded. Export the picture again.")

const tooLong = (bytes: number) =>
  validationFailed(
    "logo",
    `logo takes ${bytes} bytes once its pixels are written anew, and may take ${limits.logoBytesMax}. Make the picture smaller, or use fewer colours.`,
  )

const tooManyWait = () => serviceUnavailable("Too many logos are being decoded. Try again.", 2)

export const LogosLive = Layer.effect(
  Logos,
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const thread = yield* Effect.cached(Scope.provide(openThread, scope))
    return Logos.of({
      rewrite: Effect.fnUntraced(function* (logo) {
        const pool = yield* thread
        if (pool.queueSize >= limits.logosWaitingMax) return yield* tooManyWait()
        const written = yield* Effect.promise((signal) => pool.run(Buffer.from(logo, "base64"), { signal }))
        if (written === undefined) return yield* broken()
        if (written.length > limits.logoBytesMax) return yield* tooLong(written.length)
        return Buffer.from(written).toString("base64")
      }),
    })
  }),
)
