import { Effect, Redacted } from "effect"
import { isRunning } from "./processIdentity.ts"
import { readAddress, readRecord, redisFolderOf } from "./redisFolder.ts"
import { RedisServerError } from "./redisServerError.ts"

/**
 * The Redis that a command beside the service uses (decisions 6): REDIS_URL, or the one that `npm start` runs for the
 * same data folder. Fails, with what to do, where there is neither. Looks at files only and connects to nothing.
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
    // Without a record the server is just being started, again perhaps: connecting will tell.
    if (address !== undefined && (server === undefined || isRunning(server))) {
      return Effect.succeed(Redacted.make(address))
    }
    return Effect.fail(
      new RedisServerError({
        message:
          `No Redis runs for the data folder ${settings.dataDir}. Start the service with \`npm start\`, set DATA_DIR ` +
          "to the folder of the one that runs, or set REDIS_URL.",
      }),
    )
  })
