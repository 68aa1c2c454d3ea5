import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { Context, Effect, Layer, Result, Schema } from "effect"
import { developmentKey } from "./encryptionKey.ts"
import { readSettings } from "./readSettings.ts"
import type { Environment } from "./settingReader.ts"
import type { SettingsShape } from "./settingsShape.ts"

/** Settings that are wrong, all of them. `message` is what the user reads: one line for each. */
export class SettingsError extends Schema.TaggedError<SettingsError>()("SettingsError", {
  message: Schema.String,
  problems: Schema.Array(Schema.String),
}) {}

/** What is wrong with the CA file, if anything. */
const caFileProblem = (path: string): string | undefined => {
  try {
    if (readFileSync(path, "utf8").includes("-----BEGIN CERTIFICATE-----")) return undefined
    return `WEBHOOK_CA_FILE ${path} holds no certificate. Point it to a PEM file.`
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error)
    return `WEBHOOK_CA_FILE ${path} cannot be read (${reason}). Point it to a PEM file that this user may read.`
  }
}

const settingsError = (problems: ReadonlyArray<string>): SettingsError =>
  new SettingsError({
    problems,
    message: ["These settings are wrong:", ...problems.map((line) => `- ${line}`)].join("\n"),
  })

/**
 * Reads all settings from environment variables. Makes development's encryption key where there is none yet, and
 * touches the disk for nothing else. Relative paths start at the working directory. Fails with every problem at once.
 */
export const loadSettings = (environment: Environment): Effect.Effect<SettingsShape, SettingsError> =>
  Effect.suspend(() => {
    const { settings, problems } = readSettings(environment)
    const dataDir = resolve(settings.dataDir)
    const webhookCaFile = settings.webhookCaFile === undefined ? undefined : resolve(settings.webhookCaFile)
    const caProblem = webhookCaFile === undefined ? undefined : caFileProblem(webhookCaFile)
    const found = caProblem === undefined ? problems : [...problems, caProblem]
    if (found.length > 0) return Effect.fail(settingsError(found))

    const key =
      settings.encryptionKey === undefined ? developmentKey(dataDir) : Result.succeed(settings.encryptionKey)
    if (Result.isFailure(key)) return Effect.fail(settingsError([key.failure]))
    return Effect.succeed({ ...settings, dataDir, webhookCaFile, encryptionKey: key.success })
  })

/** The settings as a service. */
export class Settings extends Context.Service<Settings, SettingsShape>()("corrente/config/Settings") {
  /** The service, read from environment variables; see {@link loadSettings}. */
  static readonly layer = (environment: Environment): Layer.Layer<Settings, SettingsError> =>
    Layer.effect(Settings, loadSettings(environment))
}
