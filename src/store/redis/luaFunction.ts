import type { Argument } from "./redisConnection.ts"

/**
 * What a function is called with besides keys, by name. It travels as JSON: a list is a list in Lua, an object a table, and what is
 * undefined is nil. Never null.
 */
export type Change = Readonly<Record<string, string | number | boolean | object | undefined>>

type NameOf<Declared extends string> = Declared extends `...${infer Name}`
  ? Name
  : Declared extends `${infer Name}?`
    ? Name
    : Declared

/** A key for each declared name: `name`, `name?` (may be absent) or `...name` (a list of any length, always last). */
export type NamedKeys<Declared extends string> = {
  readonly [D in Declared as D extends `...${string}` | `${string}?` ? never : D]: string
} & {
  readonly [D in Declared as D extends `${string}?` ? NameOf<D> : never]?: string | undefined
} & {
  readonly [D in Declared as D extends `...${string}` ? NameOf<D> : never]: ReadonlyArray<string>
}

/** When a call joins the seller's audit log (docs/contract/audit-log.md#what-is-kept). */
export interface Audited {
  /** The replies that say that it did what was asked. */
  readonly replies: ReadonlyArray<string>
  /** The value of the change with the id of what it is done to; undefined: the act itself has it. */
  readonly id?: string
}

/** What a function's declaration says besides its name. */
interface Declaration<Keys extends string, Texts extends string> {
  readonly keys: ReadonlyArray<Keys>
  /** Large texts, such as documents, which travel as they are: the Lua function's arguments after `key` and `change`. */
  readonly texts?: ReadonlyArray<Texts>
  /** It writes nothing: a call of it is no commit. */
  readonly isReadOnly?: boolean
  readonly audited?: Audited
}

/** A function of the Lua library. */
export interface LuaFunction<Keys extends string = string, Texts extends string = string>
  extends Declaration<Keys, Texts> {
  /** `pix_keys.create`: the function `create` of the table `pix_keys`, which `pixKeys.lua` defines. */
  readonly name: string
  /** The names of its keys, in order, without what says whether a key is optional or a list. */
  readonly keyNames: ReadonlyArray<string>
  readonly texts: ReadonlyArray<Texts>
}

const bareName = (declaredName: string): string => declaredName.replace(/^\.\.\.|\?$/g, "")

const declared = new Map<string, LuaFunction>()

/**
 * Declares a function of a Lua file: `function pix_keys.create(key, change, …)` of `pixKeys.lua` is `pix_keys.create`. Redis
 * gets its keys in the declared order; Lua reads them by name (`key.seller`), and the call's values too (`change.version`).
 */
export const luaFunction = <const Keys extends string, const Texts extends string = never>(
  name: string,
  declaration: Declaration<Keys, Texts>,
): LuaFunction<Keys, Texts> => {
  if (declared.has(name)) throw new Error(`${name} is declared twice`)
  const { keys, texts = [] } = declaration
  const made = { ...declaration, name, keyNames: keys.map(bareName), texts }
  declared.set(name, made)
  return made
}

/** All functions that the modules loaded so far declare, sorted by name. */
export const declaredFunctions = (): ReadonlyArray<LuaFunction> =>
  [...declared.values()].sort((a, b) => (a.name < b.name ? -1 : 1))

/** A function's name without that of its library: `pix_keys_create` of `corrente_<version>_pix_keys_create`. */
export const plainName = (registeredName: string): string =>
  registeredName.replace(/^corrente_[0-9a-f]{12}_/, "")

/** Whether a function of this plain name is declared as one that writes nothing. */
export const isReadOnlyFunction = (plain: string): boolean =>
  declaredFunctions().some(({ name, isReadOnly }) => isReadOnly === true && name.replace(".", "_") === plain)

/** How many functions the modules loaded so far declare. */
export const declaredCount = (): number => declared.size

/** The name of a function's table: that of its Lua file in snake case. */
export const moduleOf = ({ name }: LuaFunction): string => name.slice(0, name.indexOf("."))

/** The keys that Redis gets, in order. An absent one is replaced by the first: all that matters is that it is in the slot. */
export const keysOf = <Keys extends string>(
  { keyNames }: LuaFunction<Keys>,
  named: NamedKeys<Keys>,
): Array<string> => {
  const values = named as Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  const ordered: Array<string> = []
  for (const name of keyNames) {
    const value = values[name]
    if (typeof value === "string") ordered.push(value)
    else if (value !== undefined) ordered.push(...value)
    else ordered.push(ordered[0] ?? "")
  }
  return ordered
}

/** A function that writes gets the key of the fence before its own, and an audited one that of the audit log after it. */
const firstKeyAt = ({ isReadOnly, audited }: LuaFunction): number =>
  1 + (isReadOnly === true ? 0 : 1) + (audited === undefined ? 0 : 1)

/** The Lua that reads a function's keys by name. */
const keyTable = (fn: LuaFunction): string => {
  const { keys, keyNames } = fn
  const first = firstKeyAt(fn)
  const entries = keyNames.map((name, i) =>
    keys[i]?.startsWith("...") === true
      ? `${name} = { unpack(keys, ${first + i}) }`
      : `${name} = keys[${first + i}]`,
  )
  return `{ ${entries.join(", ")} }`
}

/**
 * The Lua that registers a function under `registeredName`. One that writes refuses while its slot moves: by the key of the fence
 * (`movingKeyBeside`), which is also the reason why a server refuses to start it in a slot that somebody else moves. That key is
 * declared and missing, as if it had moved already (docs/decisions/0107-partitions-are-copied-behind-a-fence.md).
 */
export const registration = (fn: LuaFunction, registeredName: string): string => {
  const texts = fn.texts.map((_, i) => `, args[${i + 2}]`).join("")
  const call = `${fn.name}(${keyTable(fn)}, change${texts})`
  const body =
    fn.audited === undefined
      ? `  return ${call}`
      : `  return seller_audit.with_act(keys[${firstKeyAt(fn) - 1}], change.act, ${call})`
  const fence =
    fn.isReadOnly === true ? "" : "  if redis.call('EXISTS', keys[1]) == 1 then return slot_moves end\n"
  const callback = `function(keys, args)\n${fence}  local change = cjson.decode(args[1])\n${body}\nend`
  const flags = fn.isReadOnly === true ? ", flags = { 'no-writes' }" : ""
  return `redis.register_function({ function_name = '${registeredName}', callback = ${callback}${flags} })`
}

/** Throws on a null or on a number that is not finite, which JSON writes as null: Lua would find out after its first writes. */
const refuseNull = (name: string, value: unknown): void => {
  if (value === null || (typeof value === "number" && !Number.isFinite(value))) {
    throw new RangeError(`${name} was given ${value}`)
  }
  if (typeof value === "object") for (const inner of Object.values(value)) refuseNull(name, inner)
}

/** A string with U+FFFD in place of half of a surrogate pair, which a cut within a character leaves. */
const wellFormed = (_name: string, value: unknown): unknown =>
  typeof value === "string" ? value.toWellFormed() : value

/** A change as the first argument of its call. */
export const changeText = (name: string, change: Change): Argument => {
  const text = JSON.stringify(change)
  if (text.includes("null")) refuseNull(name, change)
  // JSON writes such a half as \ud…, which Lua's reader refuses.
  return text.includes("\\ud") ? JSON.stringify(change, wellFormed) : text
}
