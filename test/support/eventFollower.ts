import { type ClientRequest, request } from "node:http"

/** A frame of the feed that carries an event. */
export interface FollowedEvent {
  readonly id: string
  readonly type: string
  readonly seq: number
  readonly resourceId: string
}

/** A client that follows GET /events and reconnects, with `Last-Event-ID`, whenever the stream ends. */
export interface EventFollower {
  /** Every event frame that came, in order; a repeated one would be here twice. */
  readonly events: ReadonlyArray<FollowedEvent>
  /** `event:` of the frames without an id, in order: ready, reconnect, replay_gap. */
  readonly controls: ReadonlyArray<{ readonly event: string; readonly data: string }>
  /** How many answers had each status; any but 200 would end a browser's EventSource for good. */
  readonly statuses: ReadonlyMap<number, number>
  /** Whether a stream is open now and has sent `ready`. */
  readonly isReady: () => boolean
  readonly stop: () => void
}

interface Frame {
  readonly event: string
  readonly id: string | undefined
  readonly data: string
}

/** Parses a frame; undefined where it has no data, as comments and `retry`. */
const readFrame = (text: string): Frame | undefined => {
  let event = ""
  let id: string | undefined
  const data: Array<string> = []
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":")
    const value = line.slice(colon + 1).replace(/^ /, "")
    const field = line.slice(0, colon)
    if (field === "event") event = value
    else if (field === "id") id = value
    else if (field === "data") data.push(value)
  }
  return data.length === 0 ? undefined : { event, id, data: data.join("\n") }
}

const readEvent = (id: string, { event, data }: Frame): FollowedEvent => {
  const envelope = JSON.parse(data) as { seq: number; data: { object: { id: string } } }
  return { id, type: event, seq: envelope.seq, resourceId: envelope.data.object.id }
}

/**
 * Follows a feed until `stop`. It waits `retryMillis` before it reconnects, instead of the stream's own `retry`, so that
 * a test with many breaks sees many streams.
 */
export const followEvents = (
  url: string,
  apiKey: string,
  options: {
    readonly path?: string
    readonly retryMillis?: number
    /** Called with each event frame, and with the name of each frame that has no id. */
    readonly onEvent?: (event: FollowedEvent) => void
    readonly onControl?: (event: string) => void
  } = {},
): EventFollower => {
  const { path = "/events", retryMillis = 50, onEvent, onControl } = options
  const events: Array<FollowedEvent> = []
  const controls: Array<{ event: string; data: string }> = []
  const statuses = new Map<number, number>()
  let current: ClientRequest | undefined
  let retry: NodeJS.Timeout | undefined
  let isReady = false
  let isStopped = false

  const take = (frame: Frame) => {
    if (frame.id !== undefined) {
      const event = readEvent(frame.id, frame)
      events.push(event)
      onEvent?.(event)
    } else {
      onControl?.(frame.event)
      controls.push({ event: frame.event, data: frame.data })
      isReady = frame.event === "ready" || (isReady && frame.event !== "reconnect")
    }
  }
  const comeBack = () => {
    isReady = false
    if (isStopped || retry !== undefined) return
    retry = setTimeout(() => {
      retry = undefined
      connect()
    }, retryMillis)
  }
  const connect = () => {
    const lastId = events.at(-1)?.id
    current = request(
      new URL(path, url),
      {
        agent: false,
        headers: {
          authorization: `Bearer ${apiKey}`,
          accept: "text/event-stream",
          ...(lastId === undefined ? {} : { "last-event-id": lastId }),
        },
      },
      (response) => {
        const status = response.statusCode ?? 0
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        let rest = ""
        response.setEncoding("utf8")
        response.on("data", (chunk: string) => {
          const frames = (rest + chunk).split("\n\n")
          // A frame that a break has cut off does not count.
          rest = frames.pop() ?? ""
          if (status !== 200) return
          for (const text of frames) {
            const frame = readFrame(text)
            if (frame !== undefined) take(frame)
          }
        })
        response.on("error", () => {})
        response.on("close", comeBack)
      },
    )
    current.on("error", comeBack)
    current.end()
  }
  connect()
  return {
    events,
    controls,
    statuses,
    isReady: () => isReady,
    stop: () => {
      isStopped = true
      clearTimeout(retry)
      current?.destroy()
    },
  }
}
