/** An event, as far as its place in the feed goes. */
interface Numbered {
  readonly seq: number
}

/** The newest events that a page keeps; older ones are read from the list when somebody scrolls to them. */
export const rowsMax = 2_000

/** The most that scrolling reads. */
export const rowsReadMax = 10_000

/** Events of a feed, both parts newest first. */
export interface Feed<A extends Numbered> {
  readonly shown: ReadonlyArray<A>
  /** Newer than all that are shown; they wait while the page is paused or read. */
  readonly waiting: ReadonlyArray<A>
  /** Whether the waiting ones follow the shown ones without a hole: false once they were too many to keep. */
  readonly isWhole: boolean
  /** Whether the oldest shown event may have older ones. */
  readonly hasOlder: boolean
}

export const emptyFeed: Feed<never> = { shown: [], waiting: [], isWhole: true, hasOlder: true }

/** Both lists as one, newest first, each event once. */
const union = <A extends Numbered>(some: ReadonlyArray<A>, others: ReadonlyArray<A>): ReadonlyArray<A> => {
  const newest = some[0]
  const oldestOther = others.at(-1)
  // The usual case: what comes is newer than all that is there.
  if (newest === undefined) return others
  if (oldestOther !== undefined && oldestOther.seq > newest.seq) return [...others, ...some]
  const bySeq = new Map([...others, ...some].map((event) => [event.seq, event]))
  return [...bySeq.values()].sort((a, b) => b.seq - a.seq)
}

/** The number of the newest event; undefined where there is none. */
export const newestSeq = ({ shown, waiting }: Feed<Numbered>): number | undefined =>
  (waiting[0] ?? shown[0])?.seq

/**
 * Adds events to a feed, newest first: newer ones wait, and those that were missed take their place. What is older than all that is
 * shown belongs to {@link addOlder}.
 */
export const addNewer = <A extends Numbered>(
  feed: Feed<A>,
  events: ReadonlyArray<A>,
  max = rowsMax,
): Feed<A> => {
  const top = feed.shown[0]?.seq ?? 0
  const bottom = feed.shown.at(-1)?.seq ?? 0
  const newer = events.filter(({ seq }) => seq > top)
  const missed = events.filter(({ seq }) => seq <= top && seq > bottom)
  const waiting = union(feed.waiting, newer)
  return {
    ...feed,
    shown: missed.length === 0 ? feed.shown : union(feed.shown, missed),
    waiting: waiting.length > max ? waiting.slice(0, max) : waiting,
    isWhole: feed.isWhole && waiting.length <= max,
  }
}

/** Shows the newest page of the list, newest first, in a feed that shows nothing yet. `hasOlder`: whether the list goes on. */
export const begin = <A extends Numbered>(
  feed: Feed<A>,
  events: ReadonlyArray<A>,
  hasOlder: boolean,
): Feed<A> => {
  const top = events[0]?.seq ?? 0
  return { ...feed, shown: events, waiting: feed.waiting.filter(({ seq }) => seq > top), hasOlder }
}

/** Shows what waits, and keeps the newest `max`. */
export const release = <A extends Numbered>(feed: Feed<A>, max = rowsMax): Feed<A> => {
  if (feed.waiting.length === 0 && feed.shown.length <= max) return feed
  const all = feed.isWhole ? union(feed.shown, feed.waiting) : feed.waiting
  return {
    shown: all.slice(0, max),
    waiting: [],
    isWhole: true,
    hasOlder: feed.hasOlder || all.length > max || !feed.isWhole,
  }
}

/** Appends older events to those shown, newest first. `hasOlder`: whether the list goes on. */
export const addOlder = <A extends Numbered>(
  feed: Feed<A>,
  events: ReadonlyArray<A>,
  hasOlder: boolean,
): Feed<A> => {
  const bottom = feed.shown.at(-1)?.seq ?? Number.POSITIVE_INFINITY
  return { ...feed, shown: [...feed.shown, ...events.filter(({ seq }) => seq < bottom)], hasOlder }
}

/** Whether an event is of one of these types or families (`transaction.*`); no types stand for all. */
export const isOfTypes = (type: string, types: ReadonlyArray<string>): boolean =>
  types.length === 0 ||
  types.some((wanted) => wanted === type || (wanted.endsWith(".*") && type.startsWith(wanted.slice(0, -1))))
