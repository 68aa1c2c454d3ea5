import { createHash } from "node:crypto"
import { basename } from "node:path"
import { Effect } from "effect"
import { CurrentAct, type SellerAct } from "../../../actors/values/sellerAct.ts"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { limits } from "../../../schema/limits.ts"
import { luaKeyNames } from "../keys/table.ts"
import { movingKeyBeside, sellerAuditKey } from "../keys.ts"
import {
  type Audited,
  type Change,
  changeText,
  declaredCount,
  declaredFunctions,
  keysOf,
  type LuaFunction,
  moduleOf,
  type NamedKeys,
  registration,
} from "./luaFunction.ts"
import { type LuaSource, luaSources } from "./luaSources.ts"
import type { Argument, RedisClient, RedisServer, Reply } from "./redisClient.ts"

/** The table that a Lua file defines: `pix_keys` of `pixKeys.lua`. */
const moduleName = (path: string): string =>
  basename(path, ".lua").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const prelude = "redis/prelude.lua"

/** What the library is made of. A block for each file: Lua takes 200 locals at the top of a chunk. */
const bodyOf = (
  sources: ReadonlyArray<LuaSource>,
  functions: ReadonlyArray<LuaFunction>,
  registeredName: (name: string) => string,
): string => {
  const modules = sources.filter(({ path }) => path !== prelude)
  const names = modules.map(({ path }) => moduleName(path))
  const missing = functions.find((fn) => !names.includes(moduleOf(fn)))
  if (missing !== undefined) throw new Error(`no Lua file defines ${missing.name}`)
  return [
    luaKeyNames(),
    sources.find(({ path }) => path === prelude)?.text,
    `local ${names.join(", ")} = ${names.map(() => "{}").join(", ")}`,
    ...modules.map(({ path, text }) => `-- ${path}\ndo\n${text}\nend`),
    ...functions.map((fn) => registration(fn, registeredName(fn.name))),
  ].join("\n")
}

/** Makes a library of Lua files and the functions that they define. */
export const makeLibrary = (sources: ReadonlyArray<LuaSource>, functions: ReadonlyArray<LuaFunction>) => {
  const version = createHash("sha256")
    .update(bodyOf(sources, functions, (name) => name))
    .digest("hex")
    .slice(0, 12)
  const names = new Map(
    functions.map(({ name }) => [name, `${libraryPrefix}${version}_${name.replace(".", "_")}`] as const),
  )
  const registeredName = (name: string): string => {
    const registered = names.get(name)
    if (registered === undefined) throw new Error(`no module that is loaded declares ${name}`)
    return registered
  }
  return {
    version,
    name: `${libraryPrefix}${version}`,
    registeredName,
    source: `#!lua name=${libraryPrefix}${version}\n${bodyOf(sources, functions, registeredName)}\n`,
  }
}

let made: { readonly functions: number; readonly library: ReturnType<typeof makeLibrary> } | undefined

/** Made on first use, and again once more modules have declared functions: a worker of tests loads stores one after another. */
const current = () => {
  if (made?.functions !== declaredCount()) {
    made = { functions: declaredCount(), library: makeLibrary(luaSources(), declaredFunctions()) }
  }
  return made.library
}

/** What the names of our libraries begin with. */
const libraryPrefix = "corrente_"
/** The name of a build's library. */
const libraryName = /^corrente_([0-9a-f]{12})$/

/**
 * The function library of this build: every build has one of its own, named after the hash of its sources, so that two builds run
 * side by side on one Redis (docs/decisions/0005-redis-functions-not-scripts.md).
 */
export const library = {
  get source(): string {
    return current().source
  },
  get version(): string {
    return current().version
  },
  get name(): string {
    return current().name
  },
  /** The name by which FCALL calls a function. */
  registeredName: (name: string): string => current().registeredName(name),
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

const isLoadedOn = (server: RedisServer) =>
  Effect.map(
    server.call("FUNCTION", ["LIST", "LIBRARYNAME", library.name]),
    (libraries) => Array.isArray(libraries) && libraries.length > 0,
  )

const ensureOn = Effect.fnUntraced(function* (server: RedisServer) {
  const isLoaded = yield* Effect.catch(isLoadedOn(server), (error) => tooOld(server, error))
  // Another process of this build may load it between: REPLACE makes that no failure.
  if (!isLoaded) yield* server.call("FUNCTION", ["LOAD", "REPLACE", library.source])
})

/** Loads this build's library on every server that lacks it. A server that fails does not keep the others from getting it. */
export const ensureLibrary = Effect.fnUntraced(function* (client: RedisClient["Service"]) {
  const results = yield* Effect.forEach(client.servers(), (server) => Effect.result(ensureOn(server)))
  for (const result of results) yield* Effect.fromResult(result)
})

/** Whether all servers have this build's library. */
export const isLibraryLoaded = (client: RedisClient["Service"]) =>
  Effect.suspend(() => Effect.forEach(client.servers(), isLoadedOn, { concurrency: "unbounded" })).pipe(
    Effect.map((loaded) => loaded.every(Boolean)),
  )

/** Drops the libraries of builds whose version is not in `versions`. A process that still calls one loads it again. */
export const dropLibrariesBut = Effect.fnUntraced(function* (
  client: RedisClient["Service"],
  versions: ReadonlySet<string>,
) {
  for (const server of client.servers()) {
    const libraries = yield* server.call("FUNCTION", ["LIST", "LIBRARYNAME", `${libraryPrefix}*`])
    for (const [, name = ""] of libraries as ReadonlyArray<ReadonlyArray<string>>) {
      const version = libraryName.exec(name)?.[1]
      if (version === undefined || versions.has(version)) continue
      yield* server.call("FUNCTION", ["DELETE", name])
    }
  }
})

/** What a change says of the act that it is part of (`seller_audit.with_act`). An act without an id gets that of what it creates. */
const actChange = (act: SellerAct, { replies, id }: Audited, change: Change) => {
  const { action, actor, ipAddress = null, resourceType, details } = act
  const { resourceId = id === undefined ? "" : String(change[id]) } = act
  return {
    operation: act.operation,
    text: JSON.stringify({ action, actor, ipAddress, resourceType, resourceId, details }),
    replies,
    entriesMax: limits.sellerAuditEntriesMax,
    keptMillis: act.keptMillis,
  }
}

const orderedParameters = <Texts extends string>(
  fn: LuaFunction<string, Texts>,
  ordered: ReadonlyArray<string>,
  change: Change,
  texts: Readonly<Record<Texts, string>>,
): ReadonlyArray<Argument> => {
  const fenced = fn.isReadOnly === true ? ordered : [movingKeyBeside(ordered[0] ?? ""), ...ordered]
  return [
    library.registeredName(fn.name),
    fenced.length,
    ...fenced,
    changeText(fn.name, change),
    ...fn.texts.map((name) => texts[name]),
  ]
}

/** The parameters of FCALL for a function that is not audited: its name, its keys, the change as JSON, and its texts. */
export const parametersOf = <Keys extends string, Texts extends string>(
  fn: LuaFunction<Keys, Texts>,
  keys: NamedKeys<Keys>,
  change: Change,
  texts: Readonly<Record<Texts, string>>,
): ReadonlyArray<Argument> => orderedParameters(fn, keysOf(fn, keys), change, texts)

/**
 * Calls a function of the library with its keys, its change and its texts by name. One whose declaration says `audited` appends
 * the program's {@link CurrentAct} to the seller's audit log in the same call.
 */
export const callFunction = <Keys extends string, Texts extends string = never>(
  client: RedisClient["Service"],
  fn: LuaFunction<Keys, Texts>,
  keys: NamedKeys<Keys>,
  change: Change = {},
  ...[texts]: [Texts] extends [never] ? [] : [texts: Readonly<Record<Texts, string>>]
): Effect.Effect<Reply, StoreUnavailable> => {
  const ordered = keysOf(fn, keys)
  const named = (texts ?? {}) as Readonly<Record<Texts, string>>
  if (fn.audited === undefined) return callParameters(client, orderedParameters(fn, ordered, change, named))
  const { audited } = fn
  return Effect.flatMap(CurrentAct, (act) => {
    const auditKey = act === undefined ? (ordered[0] ?? "") : sellerAuditKey(act.sellerId)
    const whole = act === undefined ? change : { ...change, act: actChange(act, audited, change) }
    return callParameters(client, orderedParameters(fn, [auditKey, ...ordered], whole, named))
  })
}

/**
 * Calls a function with the parameters of FCALL. If a server has lost the library (flushed, or dropped as nobody's), loads it again
 * and repeats the call.
 */
const callParameters = (
  client: RedisClient["Service"],
  parameters: ReadonlyArray<Argument>,
): Effect.Effect<Reply, StoreUnavailable> =>
  client
    .call("FCALL", parameters)
    .pipe(
      Effect.catch((error) =>
        /function not found/i.test(error.reason)
          ? Effect.andThen(Effect.ignore(ensureLibrary(client)), client.call("FCALL", parameters))
          : Effect.fail(error),
      ),
    )

/** A reply that the caller does not know. Library and caller disagree, so the outcome of the write is unknown. */
export const unexpectedReply = ({ name }: LuaFunction, reply: Reply): StoreUnavailable =>
  new StoreUnavailable({
    operation: name,
    reason: `unexpected reply ${JSON.stringify(reply).slice(0, 200)}`,
  })
