import { type IncomingHttpHeaders, request } from "node:http"
import type { Event } from "../../../schema/resources/event.ts"
import { checkDocumented, checkDocumentedEvent } from "../../support/documentedAnswers.ts"
import { until } from "../../support/until.ts"
import type { Client } from "./client.ts"

/** One block of a stream by its fields; the text of a comment is `comment`. */
export interface Frame {
  readonly id?: string
  readonly event?: string
  readonly data?: string
  readonly retry?: string
  readonly comment?: string
}

/** A stream as it comes over the wire: uninterpreted, and never reconnected. */
export interface RawStream {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Everything so far, in order. */
  readonly frames: ReadonlyArray<Frame>
  /** The text of the body, for answers that are not streams. */
  readonly text: () => string
  readonly isOpen: () => boolean
  /** Event frames: those with an id. */
  readonly events: () => ReadonlyArray<Frame & { readonly id: string; readonly data: string }>
  /** Frames with an event and no id, such as `ready`. */
  readonly controls: () => ReadonlyArray<Frame>
  /** Waits until `count` event frames have come. */
  readonly waitForEvents: (count: number) => Promise<void>
  readonly waitForEnd: () => Promise<void>
  readonly close: () => void
}

const readFrame = (block: string): Frame => {
  const frame: Record<string, string> = {}
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":")
    const name = colon === 0 ? "comment" : line.slice(0, colon)
    frame[name] = line.slice(colon + 1).replace(/^ /, "")
  }
  return frame
}

/** Opens `path` (`/events` and its query) under the client's key; resolves at the head of any answer. */
export const openStream = (
  client: Client,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawStream> =>
  new Promise((resolve, reject) => {
    const frames: Array<Frame> = []
    const authorization = client.key === undefined ? {} : { authorization: `Bearer ${client.key}` }
    const sent = request(
      new URL(path, client.origin),
      { agent: false, headers: { ...authorization, ...headers } },
      (response) => {
        let all = ""
        let rest = ""
        let isOpen = true
        response.setEncoding("utf8")
        response.on("data", (chunk: string) => {
          all += chunk
          const blocks = (rest + chunk).split("\n\n")
          rest = blocks.pop() ?? ""
          if (response.statusCode === 200) frames.push(...blocks.map(readFrame))
        })
        // Some tests cut streams on purpose.
        response.on("error", () => {})
        response.on("close", () => {
          isOpen = false
        })
        const events = () =>
          frames.filter((frame) => frame.id !== undefined) as ReturnType<RawStream["events"]>
        const controls = () => frames.filter((frame) => frame.id === undefined && frame.event !== undefined)
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          frames,
          text: () => all,
          isOpen: () => isOpen,
          events,
          controls,
          waitForEvents: (count) =>
            until(
              () =>
                `${count} events on the stream; ${events().length} came, and it ` +
                `${isOpen ? "is open" : "has ended"} after ${JSON.stringify(controls())}`,
              () => events().length >= count,
            ),
          waitForEnd: () => until("the end of the stream", () => !isOpen),
          close: () => sent.destroy(),
        })
      },
    )
    sent.on("error", reject)
    sent.end()
  })

/** Opens a stream and waits for its `ready`; fails where it is refused. */
export const readyStream = async (
  client: Client,
  path = "/events",
  headers: Readonly<Record<string, string>> = {},
): Promise<RawStream> => {
  const stream = await openStream(client, path, headers)
  if (stream.status !== 200) throw new Error(`no stream: ${stream.status} ${stream.text()}`)
  checkDocumented("GET", path, {
    ...{ status: stream.status, text: "" },
    contentType: stream.headers["content-type"] ?? "",
  })
  await until("ready", () => stream.controls().some(({ event }) => event === "ready"))
  return stream
}

/** The envelope of an event frame, which is held to the API's document. */
export const envelopeOf = (frame: { readonly data: string }): Event => {
  const event = JSON.parse(frame.data)
  checkDocumentedEvent(event)
  return event
}
