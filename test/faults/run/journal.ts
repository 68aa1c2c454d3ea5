/** A seller's feed, by its name: `<seller>:<mode>`. */
export type FeedName = string

interface Answered {
  readonly feed: FeedName
  /** The Idempotency-Key. */
  readonly key: string
  readonly id: string
  readonly amount: number
  readonly status: string
}

/** Something that somebody outside was told, or asked to do. */
export type Told =
  /** A 2xx of `POST /v1/transactions`, of `POST /v1/withdrawals`, or of the read of a charge, whose key is its id. */
  | (Answered & { readonly kind: "charge" })
  | (Answered & { readonly kind: "withdrawal" })
  | (Answered & { readonly kind: "read" })
  | {
      /** A frame of a stream with an event. */
      readonly kind: "frame"
      readonly feed: FeedName
      /** Which of the feed's followers saw it. */
      readonly follower: string
      readonly id: string
      readonly seq: number
      readonly type: string
      readonly resourceId: string
    }
  | { readonly kind: "gap"; readonly feed: FeedName; readonly follower: string }
  | {
      readonly kind: "webhook"
      readonly feed: FeedName
      readonly id: string
      readonly type: string
      readonly resourceId: string
    }
  /** A charge was refused for good, since the bank had not made it in time. */
  | { readonly kind: "refusal"; readonly feed: FeedName; readonly key: string }
  /** The bank was asked for a charge, by its txid, for the request of a key; or for a payout, by its idEnvio. */
  | { readonly kind: "bankCharge"; readonly id: string; readonly key: string }
  | { readonly kind: "bankPayout"; readonly id: string }

export type Entry = Told & { readonly atMillis: number }
type Kind = Told["kind"]
/** The entries of a kind. */
export type EntryOf<K extends Kind> = Extract<Entry, { readonly kind: K }>

/** All that anybody outside was told during a run, in order. */
export interface Journal {
  readonly tell: (told: Told) => void
  readonly entries: ReadonlyArray<Entry>
  readonly of: <K extends Kind>(kind: K) => ReadonlyArray<EntryOf<K>>
}

/** An empty journal. Times are of `Date.now()`. */
export const makeJournal = (): Journal => {
  const entries: Array<Entry> = []
  const byKind = new Map<Kind, Array<Entry>>()
  return {
    tell: (told) => {
      const entry = { ...told, atMillis: Date.now() }
      entries.push(entry)
      const ofKind = byKind.get(told.kind)
      if (ofKind === undefined) byKind.set(told.kind, [entry])
      else ofKind.push(entry)
    },
    entries,
    of: <K extends Kind>(kind: K) => (byKind.get(kind) ?? []) as unknown as ReadonlyArray<EntryOf<K>>,
  }
}
