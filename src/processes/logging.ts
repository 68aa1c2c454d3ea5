import { Cause, Formatter, Layer, Logger, References } from "effect"
import { inert, inertLines } from "../../schema/inert.ts"
import type { SettingsShape } from "../config/settingsShape.ts"
import { maskSecrets } from "../http/contract/failure.ts"

/** A part of a message as text. */
const wordsOf = (part: unknown): string => (typeof part === "string" ? part : Formatter.format(part))

const wordsOfAll = (message: unknown): string => [message].flat().map(wordsOf).join(" ")

/** A line of JSON: nothing in it ends the line or acts in a terminal, and nothing looks like one of our secrets. */
export const jsonLineOf = (fields: Readonly<Record<string, unknown>>): string =>
  inert(maskSecrets(JSON.stringify(fields)))

/** `timestamp`, `level`, `message`, then the line's own fields, and `cause` where something failed. */
const jsonLine = Logger.make(({ message, logLevel, date, fiber, cause }) =>
  jsonLineOf({
    timestamp: date.toISOString(),
    level: logLevel.toLowerCase(),
    ...fiber.getRef(References.CurrentLogAnnotations),
    message: wordsOfAll(message),
    ...(cause.reasons.length === 0 ? {} : { cause: Cause.pretty(cause) }),
  }),
)

const pretty = Logger.consolePretty()
/** For people: control characters of what is logged do not reach their terminal. */
const prettyLine = Logger.make((options) =>
  pretty.log({ ...options, message: inertLines(maskSecrets(wordsOfAll(options.message))) }),
)

/** Log format and level, from the settings: lines of JSON in production (`docs/logs.md`), readable ones elsewhere. */
export const LogLive = (settings: Pick<SettingsShape, "environment" | "logLevel">) =>
  Layer.mergeAll(
    Logger.layer([settings.environment === "production" ? Logger.withConsoleLog(jsonLine) : prettyLine]),
    Layer.succeed(References.MinimumLogLevel, settings.logLevel),
  )
