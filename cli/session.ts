import { Config, Effect, Option, Redacted } from "effect"
import { Flag, GlobalFlag } from "effect/cli"
import { Corrente } from "../client/src/index.ts"
import type { Mode } from "../schema/ids.ts"
import { readSecret } from "../src/ops/secretInput.ts"
import { CliFailure, failureOfCall, usageFailure } from "./failure.ts"
import { ServiceTime } from "./serviceTime.ts"

const ApiKey = GlobalFlag.Setting("api-key")({
  flag: Flag.Redacted("api-key").pipe(
    Flag.withFallbackConfig(Config.Redacted("CORRENTE_API_KEY")),
    Flag.optional,
    Flag.withMetavar("KEY"),
    Flag.withDescription("sk_test_… or sk_live_…; CORRENTE_API_KEY by default, which other users cannot see"),
  ),
})

const ApiKeyFile = GlobalFlag.Setting("api-key-file")({
  flag: Flag.String("api-key-file").pipe(
    Flag.optional,
    Flag.withMetavar("FILE"),
    Flag.withDescription("Read the key from a file"),
  ),
})

const ApiKeyStdin = GlobalFlag.Setting("api-key-stdin")({
  flag: Flag.Boolean("api-key-stdin").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Read the key from standard input, until its end"),
  ),
})

const BaseUrl = GlobalFlag.Setting("base-url")({
  flag: Flag.String("base-url").pipe(
    Flag.withFallbackConfig(Config.String("CORRENTE_BASE_URL")),
    Flag.withDefault("http://localhost:3000"),
    Flag.withMetavar("URL"),
    Flag.withDescription("Where the service is; CORRENTE_BASE_URL or http://localhost:3000 by default"),
  ),
})

/** Read from the command line before it is parsed, so that its errors are JSON too; declared here for help and completions. */
const Json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withDescription("Print one JSON object a line, errors too"),
    Flag.withDefault(false),
  ),
})

/** The flags of every command. */
export const globalFlags = [ApiKey, ApiKeyFile, ApiKeyStdin, BaseUrl, Json] as const

/** Calls of one service under one key. */
export interface Session {
  readonly apiKey: Redacted.Redacted<string>
  readonly mode: Mode
  readonly corrente: Corrente
  readonly serviceTime: ServiceTime
  /** Makes a call, which ends when its fiber is interrupted. */
  readonly call: <A>(
    make: (corrente: Corrente, options: { readonly signal: AbortSignal }) => Promise<A>,
  ) => Effect.Effect<A, CliFailure>
  readonly failureOf: (error: unknown) => CliFailure
}

const keyFailure = (code: string, message: string): CliFailure =>
  new CliFailure({ kind: "key", code, message, param: "api-key" })

const modeOf = (key: string): Mode | undefined => {
  const [, mode] = /^sk_(test|live)_/.exec(key) ?? []
  return mode === "test" || mode === "live" ? mode : undefined
}

const missingKey = keyFailure(
  "missing_api_key",
  "There is no API key. Set CORRENTE_API_KEY or give --api-key-file; `npm run --silent ops -- seller create …` makes one (README.md).",
)

/** Enough tries to outlive a restart of the service's process, and no more: somebody waits at the terminal. */
const maxRetries = 2
const timeoutMillis = 15_000

const isWebUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** The key of a file or of standard input, else that of `--api-key` or the environment. */
const readApiKey = Effect.gen(function* () {
  const file = Option.getOrUndefined(yield* ApiKeyFile)
  const input = { value: undefined, file, isOnStdin: yield* ApiKeyStdin }
  const key = yield* Effect.mapError(readSecret("api-key", input), ({ param, message }) =>
    usageFailure(param, message),
  )
  return key === undefined ? Option.getOrUndefined(yield* ApiKey) : Redacted.make(key)
})

/**
 * Reads key and service from the command line. `testOnly` names an act of test mode alone, for which a live key is refused before
 * anything is called.
 */
export const openSession = Effect.fnUntraced(function* (testOnly?: string) {
  const baseUrl = yield* BaseUrl
  const given = yield* readApiKey
  if (given === undefined || Redacted.value(given) === "") return yield* missingKey
  const key = Redacted.value(given)
  const mode = modeOf(key)
  if (mode === undefined || !/^[\x21-\x7e]+$/.test(key)) {
    return yield* keyFailure("invalid_api_key", "This is no API key: they begin with sk_test_ or sk_live_.")
  }
  if (testOnly !== undefined && mode === "live") {
    return yield* keyFailure("live_key", `${testOnly} is for test mode alone, and this is a live key.`)
  }
  if (!isWebUrl(baseUrl)) {
    return yield* usageFailure("base-url", "--base-url must be an http or https URL.")
  }
  const failureOf = (error: unknown) => failureOfCall(error, baseUrl)
  const serviceTime = new ServiceTime()
  const { fetch } = serviceTime
  const corrente = new Corrente({ apiKey: key, baseUrl, maxRetries, timeoutMillis, fetch })
  const session: Session = {
    apiKey: given,
    mode,
    corrente,
    serviceTime,
    call: (make) =>
      Effect.tryPromise({ try: (signal) => make(corrente, { signal }), catch: (error) => failureOf(error) }),
    failureOf,
  }
  return session
})
