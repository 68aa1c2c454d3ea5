import { Effect, Redacted } from "effect"
import { isRunning } from "./processIdentity.ts"
import { readAddress, readRecord, redisFolderOf } from "./redisFolder.ts"
import { RedisServerError } from "./redisServerError.ts"

/**
 * The URL of the Redis for a command beside the service: REDIS_URL, or the Redis that `npm start` runs for the same data
 * folder. Fails, saying what to do, if there is neither. Only reads files; does not connect.
 */
export const redisUrlFor = (settings: {
  readonly redisUrl: Redacted.Redacted<string> | undefined
  readonly dataDir: string
}): Effect.Effect<Redacted.Redacted<string>, RedisServerError> =>
  Effect.suspend(() => {
    if (settings.redisUrl !== undefined) return Effect.succeed(settings.redisUrl)
    const folder = redisFolderOf(settings.dataDir)
    const address = readAddress(folder)
    const server = readRecord(folder.processFile)
    // Without a record the server is starting or restarting: connecting will show.
    if (address !== undefined && (server === undefined || isRunning(server))) {
      return Effect.succeed(Redacted.make(address))
    }
    return Effect.fail(
      new RedisServerError({
        message:
          `No Redis runs for the data folder ${settings.dataDir}. Start the service with \`npm start\`, set DATA_DIR ` +
          "to the folder of a running service, or set REDIS_URL.",
      }),
    )
  })
