import { type ChildProcess, execFile, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Effect, type Scope } from "effect"
import { errorOfAnswer } from "../../client/src/errors.ts"
import { type CallOptions, Corrente } from "../../client/src/index.ts"
import { retryWaitMillis } from "../../client/src/waiting.ts"
import { attempt, DemoFailed, waitFor } from "./demoFailed.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const folderPrefix = "corrente-demo-"
/** The service drains within 15 s after SIGTERM; one that takes longer is killed. */
const stopSecondsMax = 20
/** An overloaded service refuses what it has not begun, and says when to come again. */
const retriesMax = 10

/** The running service, on a temporary data folder. */
export interface DemoService {
  readonly url: string
  readonly dataDir: string
  /** Runs an ops command; returns the document it prints. */
  readonly ops: (
    ...args: ReadonlyArray<string>
  ) => Effect.Effect<Readonly<Record<string, unknown>>, DemoFailed>
  /** Calls the API as merchants do, by an API key and with the client package. */
  readonly asMerchant: <A>(
    key: string,
    what: string,
    call: (corrente: Corrente, options: CallOptions) => Promise<A>,
  ) => Effect.Effect<A, DemoFailed>
  /** Makes a call that the client package does not have; returns a 2xx. Repeats what an overloaded service refused. */
  readonly request: (path: string, request: ApiRequest) => Effect.Effect<Response, DemoFailed>
  /** The same; returns the body. */
  readonly call: <A>(path: string, request: ApiRequest) => Effect.Effect<A, DemoFailed>
}

export interface ApiRequest {
  /** An API key. */
  readonly key?: string
  /** The `Cookie` of a session. */
  readonly cookie?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Makes it a POST. */
  readonly body?: unknown
}

const keptVariables = ["PATH", "HOME", "TMPDIR", "NODE_OPTIONS", "NODE_COMPILE_CACHE"]

/** Leaves out the rest of the user's environment: their REDIS_URL is not for demos. */
const environment = (settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => keptVariables.includes(name))),
  ...settings,
})

const dataFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), folderPrefix))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })),
)

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

const stop = (child: ChildProcess): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (hasEnded(child)) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGTERM")
  }).pipe(
    Effect.timeoutOrElse({
      duration: `${stopSecondsMax} seconds`,
      orElse: () => Effect.sync(() => child.kill("SIGKILL")),
    }),
    Effect.asVoid,
  )

/** Starts the service with these settings and its own Redis. Stops it and removes its data when the scope closes. */
export const startService = (
  settings: Readonly<Record<string, string>>,
): Effect.Effect<DemoService, DemoFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const folder = yield* dataFolder
    const env = environment({ ...settings, DATA_DIR: folder, PORT: "0", LOG_LEVEL: "error" })
    let output = ""
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => {
        // A separate process group: Ctrl-C is for us, and we stop it in order.
        const started = spawn(process.execPath, ["dist/main.mjs"], {
          cwd: root,
          env,
          detached: true,
          stdio: ["ignore", "pipe", "pipe"],
        })
        for (const stream of [started.stdout, started.stderr]) {
          stream?.setEncoding("utf8").on("data", (text: string) => {
            output += text
          })
        }
        return started
      }),
      stop,
    )
    const url = yield* waitFor("service", () => {
      if (hasEnded(child)) return ""
      return /listening on (http:\/\/\S+)/.exec(output)?.[1]
    })
    if (url === "") return yield* new DemoFailed({ message: `the service did not start:\n${output}` })
    const request = requestApi(url)
    const call = <A>(path: string, given: ApiRequest) =>
      Effect.flatMap(request(path, given), (response) =>
        attempt(path, async () => (await response.json()) as A),
      )
    const asMerchant: DemoService["asMerchant"] = (key, what, run) => {
      const corrente = new Corrente({ apiKey: key, baseUrl: url, maxRetries: retriesMax })
      return attempt(what, (signal) => run(corrente, { signal }))
    }
    return { url, dataDir: folder, ops: runOps(env), asMerchant, request, call }
  })

const runOps =
  (env: NodeJS.ProcessEnv): DemoService["ops"] =>
  (...args) =>
    attempt(`ops ${args.slice(0, 2).join(" ")}`, async (signal) => {
      const { stdout } = await promisify(execFile)(process.execPath, ["dist/ops.mjs", ...args], {
        cwd: root,
        env,
        signal,
      })
      return JSON.parse(stdout)
    })

const send = (
  url: string,
  { key, cookie, headers = {}, body }: ApiRequest,
  signal: AbortSignal,
): Promise<Response> =>
  fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      ...(cookie === undefined ? {} : { Cookie: cookie }),
      "Content-Type": "application/json",
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal,
  })

const requestApi =
  (url: string): DemoService["request"] =>
  (path, given) =>
    Effect.gen(function* () {
      for (let failures = 0; ; failures += 1) {
        const response = yield* attempt(path, (signal) => send(url + path, given, signal))
        if (response.ok) return response
        const text = yield* attempt(path, () => response.text())
        const error = errorOfAnswer(response.status, response.headers, text)
        const waitMillis = failures < retriesMax ? retryWaitMillis(error, failures, true) : undefined
        if (waitMillis === undefined) {
          return yield* new DemoFailed({ message: `${path}: ${response.status} ${text}` })
        }
        yield* Effect.sleep(waitMillis)
      }
    })
