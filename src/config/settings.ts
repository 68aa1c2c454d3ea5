import { resolve } from "node:path"
import { Context, Effect, Layer, Result, Schema } from "effect"
import type { Environment } from "../env/settingReader.ts"
import { developmentKey } from "./encryptionKey.ts"
import { readSettings } from "./readSettings.ts"
import type { SettingsShape } from "./settingsShape.ts"

/** All wrong settings. `message` is for the user, with one line per problem. */
export class SettingsError extends Schema.TaggedError<SettingsError>()("SettingsError", {
  message: Schema.String,
  problems: Schema.Array(Schema.String),
}) {}

const settingsError = (problems: ReadonlyArray<string>): SettingsError =>
  new SettingsError({
    problems,
    message: ["These settings are wrong:", ...problems.map((line) => `- ${line}`)].join("\n"),
  })

/**
 * Reads all settings from environment variables. Generates development's encryption key if there is none yet, and
 * otherwise only reads files. Relative paths start at the working directory. Fails with every problem at once.
 */
export const loadSettings = (environment: Environment): Effect.Effect<SettingsShape, SettingsError> =>
  Effect.suspend(() => {
    const { settings, problems } = readSettings(environment)
    const dataDir = resolve(settings.dataDir)
    if (problems.length > 0) return Effect.fail(settingsError(problems))

    const key =
      settings.encryptionKeys === undefined
        ? developmentKey(dataDir)
        : Result.succeed(settings.encryptionKeys)
    if (Result.isFailure(key)) return Effect.fail(settingsError([key.failure]))
    return Effect.succeed({ ...settings, dataDir, encryptionKeys: key.success })
  })

/** The settings as a service. */
export class Settings extends Context.Service<Settings, SettingsShape>()("corrente/config/Settings") {
  /** The settings from environment variables; see {@link loadSettings}. */
  static readonly layer = (environment: Environment): Layer.Layer<Settings, SettingsError> =>
    Layer.effect(Settings, loadSettings(environment))
}
