import { Cause, Console, Effect } from "effect"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { ApiError, serviceUnavailable, validationFailed } from "../../schema/errors.ts"
import type { SettingsError } from "../config/settings.ts"
import type { RedisServerError } from "../start/ownRedis/redisServerError.ts"
import type { WrongEncryptionKey } from "../store/redis/encryptionKeyCheck.ts"
import { inertLines } from "./text/values.ts"

/** Everything a command may fail with. */
export type OpsFailure = ApiError | StoreUnavailable | SettingsError | RedisServerError | WrongEncryptionKey

const unavailable = ({ operation, reason }: StoreUnavailable): ApiError<"service_unavailable"> =>
  serviceUnavailable(
    operation === "connect"
      ? `Cannot use Redis: ${reason}. Start the service with \`npm start\`, or correct REDIS_URL.`
      : `Redis did not answer (${operation}: ${reason}). The change may or may not have been made: check before you try again.`,
  )

const wrongSettings = (error: SettingsError): ApiError<"validation_failed"> =>
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

/** Maps every failure to an {@link ApiError}. A defect is printed on stderr with the request's id. */
export const toEnvelopeErrors =
  (requestId: string) =>
  <A, R>(self: Effect.Effect<A, OpsFailure, R>): Effect.Effect<A, ApiError, R> =>
    self.pipe(
      Effect.mapError(toApiError),
      Effect.catchDefect((defect) =>
        Effect.andThen(
          Console.error(`${requestId}: ${inertLines(Cause.pretty(Cause.die(defect)))}`),
          Effect.fail(
            new ApiError({
              code: "internal_error",
              message: "The command failed because of a bug; stderr has the details.",
            }),
          ),
        ),
      ),
    )
