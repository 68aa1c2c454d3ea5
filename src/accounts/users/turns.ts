/** Whose turn an entry waits for: known askers go first, and within a lane all take turns. */
export interface Asker {
  /** Has a session, a token, or a device that its user signed in from before. */
  readonly isKnown: boolean
  /** The groups it waits in, widest first: a user, or the networks of an address. */
  readonly path: ReadonlyArray<string>
}

/**
 * Entries that wait together: groups by name, in the order of their next turns; the narrowest holds entries in order.
 */
interface Group<Entry> {
  readonly groups: Map<string, Group<Entry>>
  readonly entries: Array<Entry>
  size: number
}

const emptyGroup = <Entry>(): Group<Entry> => ({ groups: new Map(), entries: [], size: 0 })

const heaviestOf = <Entry>({ groups }: Group<Entry>): readonly [string, Group<Entry>] | undefined => {
  let found: readonly [string, Group<Entry>] | undefined
  for (const named of groups) if (found === undefined || named[1].size > found[1].size) found = named
  return found
}

/** Takes the entry whose turn it is. */
const takeFrom = <Entry>(group: Group<Entry>): Entry | undefined => {
  const [first] = group.groups
  const entry = first === undefined ? group.entries.shift() : takeFrom(first[1])
  if (entry === undefined) return undefined
  group.size -= 1
  if (first !== undefined) {
    const [name, inner] = first
    group.groups.delete(name)
    if (inner.size > 0) group.groups.set(name, inner)
  }
  return entry
}

const putInto = <Entry>(group: Group<Entry>, path: ReadonlyArray<string>, entry: Entry): void => {
  group.size += 1
  const [name, ...rest] = path
  if (name === undefined) {
    group.entries.push(entry)
    return
  }
  const inner = group.groups.get(name) ?? emptyGroup<Entry>()
  group.groups.set(name, inner)
  putInto(inner, rest, entry)
}

const removeFrom = <Entry>(group: Group<Entry>, path: ReadonlyArray<string>, entry: Entry): boolean => {
  const [name, ...rest] = path
  const inner = name === undefined ? undefined : group.groups.get(name)
  const index = group.entries.indexOf(entry)
  const isThere = name === undefined ? index >= 0 : inner !== undefined && removeFrom(inner, rest, entry)
  if (!isThere) return false
  if (name === undefined) group.entries.splice(index, 1)
  else if (inner?.size === 0) group.groups.delete(name)
  group.size -= 1
  return true
}

/** Drops the newest entry of the heaviest subgroup of the heaviest group. */
const dropHeaviest = <Entry>(group: Group<Entry>): Entry | undefined => {
  const heaviest = heaviestOf(group)
  const dropped = heaviest === undefined ? group.entries.pop() : dropHeaviest(heaviest[1])
  if (dropped === undefined) return undefined
  group.size -= 1
  if (heaviest !== undefined && heaviest[1].size === 0) group.groups.delete(heaviest[0])
  return dropped
}

/** Drops an entry of a group that stays at least as heavy as the one `path` names; undefined if there is none. */
const dropFor = <Entry>(group: Group<Entry>, path: ReadonlyArray<string>): Entry | undefined => {
  const [name, ...rest] = path
  const heaviest = heaviestOf(group)
  if (name === undefined || heaviest === undefined) return undefined
  const own = group.groups.get(name)
  if (heaviest[1] !== own && (own?.size ?? 0) + 1 < heaviest[1].size) return dropHeaviest(group)
  const dropped = own === undefined ? undefined : dropFor(own, rest)
  if (dropped !== undefined) group.size -= 1
  return dropped
}

/**
 * A fair queue of at most `sizeMax` entries (evaluated at each addition). Known askers go before strangers. Within a
 * lane the widest groups take turns, within each the next narrower ones, and so on, so whoever fills a group waits
 * only for itself. When full, room is made at the cost of a heavier group, strangers first, never a lighter one.
 */
export class Turns<Entry extends { readonly asker: Asker }> {
  readonly #known = emptyGroup<Entry>()
  readonly #strangers = emptyGroup<Entry>()
  readonly #sizeMax: () => number

  constructor(sizeMax: () => number) {
    this.#sizeMax = sizeMax
  }

  get size(): number {
    return this.#known.size + this.#strangers.size
  }

  #laneOf({ isKnown }: Asker): Group<Entry> {
    return isKnown ? this.#known : this.#strangers
  }

  /** Adds an entry. Returns the entry that lost its place, perhaps the new one; undefined if there was room. */
  add(entry: Entry): Entry | undefined {
    const { asker } = entry
    if (this.size < this.#sizeMax()) {
      putInto(this.#laneOf(asker), asker.path, entry)
      return undefined
    }
    const dropped =
      (asker.isKnown ? dropHeaviest(this.#strangers) : undefined) ?? dropFor(this.#laneOf(asker), asker.path)
    if (dropped === undefined) return entry
    putInto(this.#laneOf(asker), asker.path, entry)
    return dropped
  }

  /** Takes the entry whose turn it is. */
  take(): Entry | undefined {
    return takeFrom(this.#known) ?? takeFrom(this.#strangers)
  }

  /** Removes an entry that no longer waits; false if it was not there. */
  remove(entry: Entry): boolean {
    return removeFrom(this.#laneOf(entry.asker), entry.asker.path, entry)
  }
}
