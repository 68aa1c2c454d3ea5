import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { Context, Effect, Layer, Result, Schema } from "effect"
import type { ApiPixSettings } from "../acquirers/apiPix/settings.ts"
import type { Environment } from "../env/settingReader.ts"
import { developmentKey } from "./encryptionKey.ts"
import { readSettings } from "./readSettings.ts"
import type { SettingsShape } from "./settingsShape.ts"

/** All wrong settings. `message` is for the user, with one line per problem. */
export class SettingsError extends Schema.TaggedError<SettingsError>()("SettingsError", {
  message: Schema.String,
  problems: Schema.Array(Schema.String),
}) {}

/** The problem with a PEM file, if any; `what` is the label it must contain. */
const pemProblem = (
  name: string,
  path: string | undefined,
  what: "CERTIFICATE" | "PRIVATE KEY",
): ReadonlyArray<string> => {
  if (path === undefined || path === "") return []
  try {
    if (new RegExp(`-----BEGIN (?:[A-Z]+ )?${what}-----`).test(readFileSync(path, "utf8"))) return []
    const missing = what === "CERTIFICATE" ? "no certificate" : "no private key"
    return [`${name} ${path} holds ${missing}. Point it at a PEM file.`]
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error)
    return [`${name} ${path} cannot be read (${reason}). Point it at a PEM file that this user may read.`]
  }
}

const resolved = <P extends string | undefined>(path: P): P =>
  (path === undefined || path === "" ? path : resolve(path)) as P

/** The API Pix settings with absolute paths. */
const withPaths = (apiPix: ApiPixSettings | undefined): ApiPixSettings | undefined =>
  apiPix === undefined
    ? undefined
    : {
        ...apiPix,
        certFile: resolved(apiPix.certFile),
        keyFile: resolved(apiPix.keyFile),
        caFile: resolved(apiPix.caFile),
      }

const pemProblems = (webhookCaFile: string | undefined, apiPix: ApiPixSettings | undefined) => [
  ...pemProblem("WEBHOOK_CA_FILE", webhookCaFile, "CERTIFICATE"),
  ...pemProblem("API_PIX_CERT_FILE", apiPix?.certFile, "CERTIFICATE"),
  ...pemProblem("API_PIX_KEY_FILE", apiPix?.keyFile, "PRIVATE KEY"),
  ...pemProblem("API_PIX_CA_FILE", apiPix?.caFile, "CERTIFICATE"),
]

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
    const webhookCaFile = resolved(settings.webhookCaFile)
    const apiPix = withPaths(settings.apiPix)
    const found = [...problems, ...pemProblems(webhookCaFile, apiPix)]
    if (found.length > 0) return Effect.fail(settingsError(found))

    const key =
      settings.encryptionKey === undefined ? developmentKey(dataDir) : Result.succeed(settings.encryptionKey)
    if (Result.isFailure(key)) return Effect.fail(settingsError([key.failure]))
    return Effect.succeed({ ...settings, dataDir, webhookCaFile, apiPix, encryptionKey: key.success })
  })

/** The settings as a service. */
export class Settings extends Context.Service<Settings, SettingsShape>()("corrente/config/Settings") {
  /** The settings from environment variables; see {@link loadSettings}. */
  static readonly layer = (environment: Environment): Layer.Layer<Settings, SettingsError> =>
    Layer.effect(Settings, loadSettings(environment))
}
