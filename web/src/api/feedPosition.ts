/** Where a tab is in a feed: the last event that it was told. */
export interface FeedPosition {
  /** Its id, which a stream goes on after; undefined where none is known. */
  readonly id: string | undefined
  /** Its number; undefined before the first event. */
  readonly seq: number | undefined
}

/** Nothing is known yet. */
export const nowhere: FeedPosition = { id: undefined, seq: undefined }

/** What an event is to a tab: the next one, one that it has, or one before which others are missing. */
export type Step = "next" | "repeated" | "gap"

/**
 * What an event is to a tab that is at `position`. A feed counts its events from 1, so every number that is left out is an event
 * that was missed.
 */
export const stepTo = ({ seq }: FeedPosition, event: { readonly seq: number }): Step => {
  if (seq === undefined || event.seq === seq + 1) return "next"
  return event.seq <= seq ? "repeated" : "gap"
}

/** Where a tab is after what the holder of the stream told it: it learns a place only if it has none. */
export const learn = (position: FeedPosition, told: FeedPosition): FeedPosition =>
  position.id === undefined ? told : position
