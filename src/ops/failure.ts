import { Cause, Effect } from "effect"
import type { StoreUnavailable } from "../../actors/ports/store.ts"
import { ApiError, serviceUnavailable, validationFailed } from "../../schema/errors.ts"
import type { SettingsError } from "../config/settings.ts"
import type { RedisServerError } from "../start/ownRedis/redisServerError.ts"
import type { WrongEncryptionKey } from "../store/redis/encryptionKeyCheck.ts"

/** All that a command may fail with. */
export type OpsFailure = ApiError | StoreUnavailable | SettingsError | RedisServerError | WrongEncryptionKey

const unavailable = ({ operation, reason }: StoreUnavailable): ApiError =>
  serviceUnavailable(
    operation === "connect"
      ? `Cannot use Redis: ${reason}. Start the service with \`npm start\`, or correct REDIS_URL.`
      : `Redis gave no answer (${operation}: ${reason}). A change may have been made or not: look before asking again.`,
  )

const wrongSettings = (error: SettingsError): ApiError =>
  validationFailed(/^[A-Z_]+/.exec(error.problems[0] ?? "")?.[0], error.message)

/** A failure as the caller sees it. */
const toApiError = (failure: OpsFailure): ApiError => {
  switch (failure._tag) {
    case "ApiError":
      return failure
    case "StoreUnavailable":
      return unavailable(failure)
    case "SettingsError":
      return wrongSettings(failure)
    case "WrongEncryptionKey":
      return validationFailed("ENCRYPTION_KEY", failure.message)
    case "RedisServerError":
      return serviceUnavailable(failure.message)
  }
}

/** Makes every failure an {@link ApiError}; what nobody foresaw is told on stderr, under the request's id. */
export const toEnvelopeErrors =
  (requestId: string) =>
  <A, R>(self: Effect.Effect<A, OpsFailure, R>): Effect.Effect<A, ApiError, R> =>
    self.pipe(
      Effect.mapError(toApiError),
      Effect.catchDefect((defect) =>
        Effect.andThen(
          Effect.sync(() => console.error(`${requestId}: ${Cause.pretty(Cause.die(defect))}`)),
          Effect.fail(
            new ApiError({
              code: "internal_error",
              message: "The command failed by a fault of its own; stderr has the details.",
            }),
          ),
        ),
      ),
    )
