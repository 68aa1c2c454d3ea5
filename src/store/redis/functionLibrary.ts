import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { CurrentAct } from "../../../actors/values/sellerAct.ts"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { auditedParameters } from "../sellerAudit/runAudited.ts"
import {
  bindParameters,
  declarationOf,
  type FunctionDeclaration,
  type Named,
  parametersOf,
} from "./functionDeclaration.ts"
import type { Argument, RedisClient, RedisServer, Reply } from "./redisClient.ts"

const folder = new URL("../", import.meta.url)

const textOf = (file: string): string => readFileSync(new URL(file, folder), "utf8")

/** A function's Lua with positions in place of names. Throws unless a module that declares it has been loaded. */
const bound = (file: string): string => {
  const declaration = declarationOf(fileURLToPath(new URL(file, folder)))
  if (declaration === undefined)
    throw new Error(`${file} is not declared by any module that redisStore.ts imports`)
  const lua = bindParameters(file, textOf(file), declaration)
  if (declaration.audited === undefined) return lua
  const { functionName } = declaration
  return `${lua}\naudited_functions['${functionName}'] = ${functionName.replace(/^corrente_/, "")}\n`
}

const readLibrary = () => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".lua"))
    .sort()
  const isPrelude = (file: string) => file.endsWith("/prelude.lua")
  const first = "redis/prelude.lua"
  // Functions use what the preludes define; the other preludes use what the first one defines.
  const preludes = [first, ...files.filter((file) => isPrelude(file) && file !== first)]
  const folders = new Set(files.filter((file) => !isPrelude(file)).map(dirname))
  // A block for each folder: Lua takes 200 locals at the top, and what a function's file defines is for its folder.
  const functions = [...folders].map((folderName) => {
    const inFolder = files.filter((file) => !isPrelude(file) && dirname(file) === folderName)
    return `do\n${inFolder.map((file) => `-- ${file}\n${bound(file)}`).join("\n")}\nend`
  })
  const body = [...preludes.map((file) => `-- ${file}\n${textOf(file)}`), ...functions].join("\n")
  const version = createHash("sha256").update(body).digest("hex").slice(0, 16)
  const versionFunction = [
    "redis.register_function({",
    `  function_name = 'corrente_version', callback = function() return '${version}' end, flags = { 'no-writes' }`,
    "})",
  ].join("\n")
  return { version, source: `#!lua name=corrente\n${body}\n${versionFunction}\n` }
}

let read: ReturnType<typeof readLibrary> | undefined

/** The function library as one source, and its hash as its version; read on first use. */
export const library = {
  get source(): string {
    read ??= readLibrary()
    return read.source
  },
  get version(): string {
    read ??= readLibrary()
    return read.version
  },
}

/** The version that a server reports. */
const serverVersion = (server: RedisServer) =>
  Effect.map(
    server.call("INFO", ["server"]),
    (info) => /^redis_version:(\S+)/m.exec(String(info))?.[1] ?? "of an unknown version",
  )

/** Explains an unknown command: Redis has functions since 7.0. */
const tooOld = (server: RedisServer, error: StoreUnavailable) =>
  /unknown command/i.test(error.reason)
    ? Effect.flatMap(serverVersion(server), (version) =>
        Effect.fail(
          new StoreUnavailable({
            operation: error.operation,
            reason: `This Redis is ${version}, which is too old: Corrente needs 7.0 or later. Upgrade it, set REDIS_URL to a newer one, or leave REDIS_URL out to run one of our own.`,
          }),
        ),
      )
    : Effect.fail(error)

const ensureOn = Effect.fnUntraced(function* (server: RedisServer) {
  const loaded = yield* Effect.catch(versionOn(server), (error) => tooOld(server, error))
  if (loaded === library.version) return
  yield* server.call("FUNCTION", ["LOAD", "REPLACE", library.source])
})

/**
 * Loads the library on every server that lacks it or has another version. A server that fails does not keep the others from
 * getting it.
 */
export const ensureLibrary = Effect.fnUntraced(function* (client: RedisClient["Service"]) {
  const results = yield* Effect.forEach(client.servers(), (server) => Effect.result(ensureOn(server)))
  for (const result of results) yield* Effect.fromResult(result)
})

const versionOn = (server: RedisServer) =>
  server.call("FCALL_RO", ["corrente_version", 0]).pipe(
    Effect.map((reply) => String(reply)),
    Effect.catch((error) =>
      /function not found/i.test(error.reason) ? Effect.succeed(undefined) : Effect.fail(error),
    ),
  )

/** The version that the servers have; one that is not ours if any differs, undefined if it is missing. */
export const loadedVersion = (client: RedisClient["Service"]) =>
  Effect.suspend(() => Effect.forEach(client.servers(), versionOn, { concurrency: "unbounded" })).pipe(
    Effect.map((versions) =>
      versions.every((version) => version === library.version)
        ? library.version
        : versions.find((version) => version !== library.version),
    ),
  )

/**
 * Calls a function of the library with its keys and arguments by name. One whose declaration says `audited` appends the program's
 * {@link CurrentAct} to the seller's audit log in the same call.
 */
export const callFunction = <Keys extends string, Args extends string>(
  client: RedisClient["Service"],
  declaration: FunctionDeclaration<Keys, Args>,
  keys: Named<Keys, string>,
  args: Named<Args, Argument>,
): Effect.Effect<Reply, StoreUnavailable> => {
  const parameters = parametersOf(declaration, keys, args)
  const { audited } = declaration
  if (audited === undefined) return callParameters(client, parameters)
  return Effect.flatMap(CurrentAct, (act) => {
    if (act === undefined) return callParameters(client, parameters)
    const id =
      audited.id === undefined ? "" : String((args as Readonly<Record<string, Argument>>)[audited.id])
    return callParameters(client, auditedParameters(act, { parameters, replies: audited.replies, id }))
  })
}

/**
 * Calls a function with the parameters of FCALL. If a server has lost the library (flushed or replaced), loads it again and
 * repeats the call.
 */
export const callParameters = (
  client: RedisClient["Service"],
  parameters: ReadonlyArray<Argument>,
): Effect.Effect<Reply, StoreUnavailable> => {
  // A function would only find out halfway through, after its first writes.
  if (parameters.some((parameter) => typeof parameter === "number" && !Number.isFinite(parameter))) {
    return Effect.die(new RangeError(`${parameters[0]} was given a number that is not finite`))
  }
  return client
    .call("FCALL", parameters)
    .pipe(
      Effect.catch((error) =>
        /function not found/i.test(error.reason)
          ? Effect.andThen(Effect.ignore(ensureLibrary(client)), client.call("FCALL", parameters))
          : Effect.fail(error),
      ),
    )
}

/** A reply that the caller does not know. Library and caller disagree, so the outcome of the write is unknown. */
export const unexpectedReply = (declaration: FunctionDeclaration, reply: Reply): StoreUnavailable =>
  new StoreUnavailable({
    operation: declaration.functionName,
    reason: `unexpected reply ${JSON.stringify(reply).slice(0, 200)}`,
  })
