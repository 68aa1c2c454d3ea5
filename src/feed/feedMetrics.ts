import { Effect, type Scope } from "effect"
import { makeRegistrar } from "../../actors/metrics/registrar.ts"

/** Counters of the feed, for metrics. */
export interface FeedCounters {
  readonly openStreams: number
  /** Those of them that follow one charge, for payment pages. */
  readonly statusStreams: number
  /** Feeds this process follows. */
  readonly hubs: number
  /** Event frames written since the process started. */
  readonly framesSent: number
  readonly slowReadersCut: number
  /** Streams that began with a replay. */
  readonly replays: number
}

/** Shows the counters of the feed among the metrics, until the scope closes. */
export const registerFeedMetrics = (read: () => FeedCounters): Effect.Effect<void, never, Scope.Scope> =>
  Effect.map(makeRegistrar, ({ counter, gauge }) => {
    gauge({ name: "corrente_streams_open", description: "Open event streams" }, () => read().openStreams)
    gauge(
      {
        name: "corrente_payment_streams_open",
        description: "Open streams of payment pages, which are among the event streams",
      },
      () => read().statusStreams,
    )
    gauge(
      { name: "corrente_feeds_followed", description: "Feeds that a process follows for its event streams" },
      () => read().hubs,
    )
    counter(
      { name: "corrente_stream_frames_total", description: "Event frames written to event streams" },
      () => read().framesSent,
    )
    counter(
      {
        name: "corrente_stream_slow_readers_cut_total",
        description: "Event streams cut because their client did not read",
      },
      () => read().slowReadersCut,
    )
    counter(
      {
        name: "corrente_stream_replays_total",
        description: "Event streams that began with events from before they were opened",
      },
      () => read().replays,
    )
  })
