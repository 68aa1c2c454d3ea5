import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import type { Argument } from "./redisConnection.ts"

/** `name`, `name?` (may be omitted, together with all that follow) or `...name` (a list of any length, always last). */
type NameOf<Declared extends string> = Declared extends `...${infer Name}`
  ? Name
  : Declared extends `${infer Name}?`
    ? Name
    : Declared

/** A value for each declared name. */
export type Named<Declared extends string, Value> = {
  readonly [D in Declared as D extends `...${string}` | `${string}?` ? never : D]: Value
} & {
  readonly [D in Declared as D extends `${string}?` ? NameOf<D> : never]?: Value | undefined
} & {
  readonly [D in Declared as D extends `...${string}` ? NameOf<D> : never]: ReadonlyArray<Value>
}

/** The names of a function's keys and arguments, in the order in which Redis receives them. */
export interface ParameterNames {
  readonly keys: ReadonlyArray<string>
  readonly args: ReadonlyArray<string>
}

/** A Lua function of the library, as its TypeScript declares it. */
export interface FunctionDeclaration<Keys extends string = string, Args extends string = string>
  extends ParameterNames {
  readonly keys: ReadonlyArray<Keys>
  readonly args: ReadonlyArray<Args>
  /** The path of its Lua file. */
  readonly path: string
  /** The name that FCALL takes. */
  readonly functionName: string
  readonly keysRead: Reading
  readonly argsRead: Reading
  readonly audited: Audited<Args> | undefined
}

/** What is audited of a function (`src/store/sellerAudit`). All of its keys have the seller's tag. */
export interface Audited<Args extends string = string> {
  /** The replies that say that it did what was asked. */
  readonly replies: ReadonlyArray<string>
  /** The argument with the id of what it is done to; undefined: the act itself has it. */
  readonly id?: Args
}

const declared = new Map<string, FunctionDeclaration>()

/**
 * Declares the Lua function beside a module: `recordAttempt.lua` beside `recordAttempt.ts` is `corrente_record_attempt`. Its
 * Lua uses the names declared here: `KEYS.queue`, `ARGV.fence`, and `ARGV_FROM.members` for the position of a list's first
 * element. {@link bindParameters} replaces names by positions when the library is loaded. During a deploy old processes call
 * the new library, so a declaration may only grow at its end (docs/decisions/0005-redis-functions-not-scripts.md).
 */
export const declareFunction = <const Keys extends string = never, const Args extends string = never>(
  moduleUrl: string,
  parameters: {
    readonly keys: ReadonlyArray<Keys>
    readonly args: ReadonlyArray<Args>
    readonly audited?: Audited<NoInfer<Args>>
  },
): FunctionDeclaration<Keys, Args> => {
  const path = fileURLToPath(moduleUrl).replace(/\.ts$/, ".lua")
  const snakeCase = basename(path, ".lua").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const declaration = {
    ...parameters,
    audited: parameters.audited,
    path,
    functionName: `corrente_${snakeCase}`,
    keysRead: readingOf(parameters.keys),
    argsRead: readingOf(parameters.args),
  }
  declared.set(path, declaration)
  return declaration
}

/** The declaration of a Lua file's function; undefined unless a module that declares it has been loaded. */
export const declarationOf = (path: string): FunctionDeclaration | undefined => declared.get(path)

const bareName = (name: string): string => name.replace(/^\.\.\./, "").replace(/\?$/, "")

/** Declared names, grouped by how their values are read. */
interface Reading {
  /** All names but the list's, in order; optional ones come last. */
  readonly names: ReadonlyArray<string>
  readonly list: string | undefined
}

const readingOf = (declaredNames: ReadonlyArray<string>): Reading => ({
  names: declaredNames.filter((name) => !name.startsWith("...")).map(bareName),
  list: declaredNames.find((name) => name.startsWith("..."))?.slice(3),
})

/** Appends values to `target` in the declared order, up to the first that was omitted. */
const pushNamed = (
  target: Array<Argument>,
  { names, list }: Reading,
  values: Readonly<Record<string, Argument | ReadonlyArray<Argument> | undefined>>,
): void => {
  for (const name of names) {
    const value = values[name]
    if (value === undefined) return
    target.push(value as Argument)
  }
  if (list === undefined) return
  for (const value of values[list] as ReadonlyArray<Argument>) target.push(value)
}

/** The parameters of FCALL: the function's name, the number of keys, the keys and the arguments. */
export const parametersOf = <Keys extends string, Args extends string>(
  { functionName, keysRead, argsRead }: FunctionDeclaration<Keys, Args>,
  keys: Named<Keys, string>,
  args: Named<Args, Argument>,
): Array<Argument> => {
  const parameters: Array<Argument> = [functionName, 0]
  pushNamed(parameters, keysRead, keys as Readonly<Record<string, string>>)
  parameters[1] = parameters.length - 2
  pushNamed(parameters, argsRead, args as Readonly<Record<string, Argument>>)
  return parameters
}

const withoutComments = (lua: string): string => lua.replace(/--.*$/gm, "")

/**
 * Replaces names in a function's Lua by positions, so that they cost nothing per call: `KEYS.queue` by `keys[1]`, `ARGV.fence`
 * by `args[3]`, `ARGV_FROM.members` by `4`. Throws if the Lua uses an undeclared name or a number in a name's place, or
 * does not use a declared name.
 */
export const bindParameters = (path: string, lua: string, { keys, args }: ParameterNames): string => {
  const tables = [
    { table: "KEYS", list: "keys", names: keys.map(bareName) },
    { table: "ARGV", list: "args", names: args.map(bareName) },
  ]
  let bound = lua
  for (const { table, list, names } of tables) {
    const code = withoutComments(lua)
    const positional = new RegExp(`\\b${list}\\[\\d`).exec(code)
    if (positional !== null)
      throw new Error(`${path}: ${positional[0]}…] stands where ${table}.<name> belongs`)
    const used = new Set<string>()
    bound = bound.replace(
      new RegExp(`\\b${table}(_FROM)?\\.(\\w+)`, "g"),
      (_, from: string, name: string) => {
        const position = names.indexOf(name) + 1
        if (position === 0) throw new Error(`${path}: ${table}.${name} is not declared`)
        return from === undefined ? `${list}[${position}]` : String(position)
      },
    )
    for (const [, name] of code.matchAll(new RegExp(`\\b${table}(?:_FROM)?\\.(\\w+)`, "g")))
      used.add(name ?? "")
    const unused = names.filter((name) => !used.has(name))
    if (unused.length > 0)
      throw new Error(`${path}: ${table}.${unused.join(`, ${table}.`)} is declared and not used`)
  }
  return bound
}
