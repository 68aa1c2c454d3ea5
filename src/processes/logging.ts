import { Layer, Logger, References } from "effect"
import type { SettingsShape } from "../config/settingsShape.ts"

/** Log format and level, from the settings. */
export const LogLive = (settings: Pick<SettingsShape, "environment" | "logLevel">) =>
  Layer.mergeAll(
    Logger.layer([settings.environment === "production" ? Logger.consoleJson : Logger.consolePretty()]),
    Layer.succeed(References.MinimumLogLevel, settings.logLevel),
  )
