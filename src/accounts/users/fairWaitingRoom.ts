import { customerOf, networksOf } from "../clientAddress.ts"

/** Who asks for a password to be checked. */
export type Asker =
  | {
      /** Has a session, a token, or a device that its user signed in from before. */
      readonly isKnown: true
      /** The group it waits in: a user. */
      readonly path: ReadonlyArray<string>
    }
  | {
      readonly isKnown: false
      /** The groups it waits in, widest first: the networks of its address. */
      readonly path: ReadonlyArray<string>
      /** Whose tries are counted together. */
      readonly network: string
    }

/**
 * The ranks of strangers, best first, by what their network did lately: it did not ask before, or only without getting
 * an answer; it had a wrong password; it had one and asked often.
 */
export const strangerRanks = ["first", "again", "wrong", "often"] as const
export type StrangerRank = (typeof strangerRanks)[number]

/** How an entry waits: known askers go first, strangers by their rank, and within a rank all groups are called in rotation. */
export interface Place {
  readonly rank: "known" | StrangerRank
  /** The groups it waits in, widest first. */
  readonly path: ReadonlyArray<string>
}

/**
 * The ranks in the order in which they are called. Three of four calls are for first tries, so that whoever is new is
 * called soon. No rank waits for more than fifteen others: an owner may share an address with an attacker.
 */
const rotation: ReadonlyArray<StrangerRank> = [
  ...(["first", "first", "again", "first", "first", "first", "wrong", "first"] as const),
  ...(["first", "first", "again", "first", "first", "first", "often", "first"] as const),
]
const callsOf = (rank: StrangerRank): number => rotation.filter((one) => one === rank).length

/** The least share of calls to strangers that first tries get. */
export const firstShare = callsOf("first") / rotation.length

/** The rank that call number `call` to strangers is for: its own if it waits, else the best that waits. */
export const rankOfCall = (
  call: number,
  waits: (rank: StrangerRank) => boolean,
): StrangerRank | undefined => {
  const own = rotation[call % rotation.length]
  return own !== undefined && waits(own) ? own : strangerRanks.find(waits)
}

/** How many may wait, and how many of these for their first try. */
export interface Places {
  readonly all: number
  readonly first: number
}

/**
 * How many of the places are a rank's own: nobody of another rank keeps one of these. First tries have no more than
 * their own; the other ranks share the rest in proportion to their calls, and what others leave free.
 */
export const ownPlaces = (rank: StrangerRank, { all, first }: Places): number => {
  const firsts = Math.min(all, first)
  if (rank === "first") return firsts
  return Math.floor(((all - firsts) * callsOf(rank)) / (rotation.length - callsOf("first")))
}

/**
 * Entries that wait together: groups by name, in the order in which they are called next; the narrowest holds entries in order.
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

/** Takes the entry to call next. */
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
 * A fair queue of bounded size (`places`, evaluated at each addition). Known askers go before strangers, whose ranks
 * share the calls. Within a rank the widest groups are called in rotation, within each the next narrower ones, and so on, so whoever
 * fills a group waits only for itself. When full, a known asker takes the place of a stranger; a stranger that of a lower
 * rank, or of one that has more than its own places while the newcomer's has fewer; else that of a heavier group of its
 * own rank, never of a lighter one. So does a first try once first tries have all their places.
 */
export class FairWaitingRoom<Entry extends Place> {
  readonly #known = emptyGroup<Entry>()
  readonly #strangers: Readonly<Record<StrangerRank, Group<Entry>>> = {
    first: emptyGroup(),
    again: emptyGroup(),
    wrong: emptyGroup(),
    often: emptyGroup(),
  }
  readonly #places: () => Places
  #callsToStrangers = 0

  constructor(places: () => Places) {
    this.#places = places
  }

  get size(): number {
    return strangerRanks.reduce((sum, rank) => sum + this.#strangers[rank].size, this.#known.size)
  }

  #groupOf({ rank }: Place): Group<Entry> {
    return rank === "known" ? this.#known : this.#strangers[rank]
  }

  /** The strangers of which one loses its place to a newcomer of `rank`; undefined where only its own rank can. */
  #losersFor(rank: Place["rank"], { all, first }: Places): Group<Entry> | undefined {
    const fromLowest = strangerRanks.toReversed()
    if (rank === "known") {
      const lowest = fromLowest.find((one) => this.#strangers[one].size > 0)
      return lowest === undefined ? undefined : this.#strangers[lowest]
    }
    const places = { all: Math.max(0, all - this.#known.size), first }
    const sizeOf = (one: StrangerRank) => this.#strangers[one].size
    const hasTooMany = (one: StrangerRank) => sizeOf(one) > ownPlaces(one, places)
    const hasTooFew = sizeOf(rank) < ownPlaces(rank, places)
    const isLower = (one: StrangerRank) => strangerRanks.indexOf(one) > strangerRanks.indexOf(rank)
    const loser = fromLowest.find((one) => one !== rank && hasTooMany(one) && (hasTooFew || isLower(one)))
    return loser === undefined ? undefined : this.#strangers[loser]
  }

  /** Adds an entry. Returns the entry that lost its place, perhaps the new one; undefined if there was room. */
  add(entry: Entry): Entry | undefined {
    const group = this.#groupOf(entry)
    const places = this.#places()
    const isRankFull = entry.rank === "first" && group.size >= places.first
    if (this.size < places.all && !isRankFull) {
      putInto(group, entry.path, entry)
      return undefined
    }
    const losers = isRankFull ? undefined : this.#losersFor(entry.rank, places)
    const dropped = losers === undefined ? dropFor(group, entry.path) : dropHeaviest(losers)
    if (dropped === undefined) return entry
    putInto(group, entry.path, entry)
    return dropped
  }

  /** Takes the entry to call next. */
  take(): Entry | undefined {
    const known = takeFrom(this.#known)
    if (known !== undefined) return known
    const rank = rankOfCall(this.#callsToStrangers, (one) => this.#strangers[one].size > 0)
    if (rank === undefined) return undefined
    this.#callsToStrangers += 1
    return takeFrom(this.#strangers[rank])
  }

  /** Removes an entry that no longer waits; false if it was not there. */
  remove(entry: Entry): boolean {
    return removeFrom(this.#groupOf(entry), entry.path, entry)
  }
}

/**
 * A caller that has shown more than a password: a session, a mailed token, an invite, or a device signed in from
 * before; by user id.
 */
export const userAsker = (id: string): Asker => ({ isKnown: true, path: [id] })

/** A caller of whom only the address is known. */
export const strangerAsker = (ipAddress: string | undefined): Asker => ({
  isKnown: false,
  path: networksOf(ipAddress ?? ""),
  network: customerOf(ipAddress ?? ""),
})

/** Commands run on this machine. */
export const commandAsker: Asker = { isKnown: true, path: ["commands"] }
