/** The type of a key: a Redis type, with the order of sorted sets, or a channel. */
export type KeyType =
  | "string"
  | "hash"
  | "set"
  | "set by time"
  | "set by id"
  | "set by text"
  | "stream"
  | "channel"

type Strings<Parts extends ReadonlyArray<string>> = { readonly [At in keyof Parts]: string }

/** What a kind of keys is. Texts are Markdown for docs/redis-keys.md; `ops streams` shows `family` and `holds`. */
interface Contents {
  /** Kinds that belong together have the same. */
  readonly family: string
  readonly type: KeyType
  /** In a few words, with no markup but code. */
  readonly holds: string
  /** Its fields, or how to read it. */
  readonly details?: string
  readonly lifetime: string
  /** The values that a part takes, where they are few. A `mode` takes both modes without an entry here. */
  readonly values?: Readonly<Record<string, ReadonlyArray<string>>>
}

/** Keys of one kind, or channels. */
export interface KeyKind<Parts extends ReadonlyArray<string> = ReadonlyArray<string>> extends Contents {
  /**
   * The parts of the name that vary, in order. `tag` is the hash tag of a partition, `slot` that of an account slot and `claims`
   * that of claimed Pix; a key belongs to a seller, a mode or an endpoint if that is one of its parts.
   */
  readonly parts: Parts
  /** Concatenates the parts and nothing else: Lua, patterns and pages are made from what it returns for placeholders. */
  readonly name: (...parts: Strings<Parts>) => string
}

/** Declares a kind of keys. */
export const key = <const Parts extends ReadonlyArray<string>>(
  parts: Parts,
  name: (...parts: Strings<Parts>) => string,
  contents: Contents,
): KeyKind<Parts> => ({ parts, name, ...contents })
