import { readFileSync } from "node:fs"
import { Redis } from "ioredis"
import { renderFeedEvent } from "../../actors/event/envelope.ts"
import type { Feed } from "../../schema/ids.ts"
import * as keys from "../../src/store/keys.ts"
import { Connection } from "./connection.ts"
import { digestFrames, type FrameDigest } from "./frameLog.ts"

/** Events that differ only in their place in the feed. */
export interface SourceEvents {
  readonly feed: Feed
  readonly type: string
  readonly resourceId: string
  /** The resource as stored: JSON text. */
  readonly data: string
}

/** Where events are appended. */
export interface StreamSink {
  /** Appends `count` events after all earlier ones; must not throw. */
  readonly append: (events: SourceEvents, count: number) => void
  /** Completes when everything is appended; fails if anything was not. */
  readonly settled: () => Promise<void>
  /** The newest event: the id of a Redis entry, or the `Last-Event-ID` of nchan's subscribers. */
  readonly newest: () => string
  /** What was sent since the last call, if the sink builds the frames itself. */
  readonly takeDigest: () => FrameDigest | undefined
  readonly close: () => void
}

const retentionMillis = 30 * 24 * 60 * 60 * 1_000

const librarySource = (): string => {
  const prelude = readFileSync(new URL("../../src/store/redis/prelude.lua", import.meta.url), "utf8")
  const append = readFileSync(new URL("./appendEvent.lua", import.meta.url), "utf8")
  return `#!lua name=corrente_bench\n${prelude}\n${append}`
}

/** Appends to a feed's Redis Stream with the code of the service's commits, including the hint. */
export const redisSink = async (url: string): Promise<StreamSink> => {
  const redis = new Redis(url, { protocol: 2 })
  await redis.function("LOAD", "REPLACE", librarySource())
  let newest = "0-0"
  let underWay: Array<Promise<void>> = []
  const append = async ({ feed, type, resourceId, data }: SourceEvents, count: number) => {
    const reply = await redis.fcall(
      "corrente_bench_append_events",
      2,
      keys.eventsKey(feed),
      keys.feedKey(feed),
      ...[keys.feedChannel(feed), type, resourceId, data, retentionMillis, count],
    )
    newest = String(reply)
  }
  return {
    append: (events, count) => {
      const appended = append(events, count)
      // `settled` reports a failure; until then it must not end the process.
      appended.catch(() => {})
      underWay.push(appended)
    },
    settled: async () => {
      const all = underWay
      underWay = []
      await Promise.all(all)
    },
    newest: () => newest,
    takeDigest: () => undefined,
    close: () => redis.disconnect(),
  }
}

/**
 * Publishes to an nchan channel named after the seller: the event's envelope as the service renders it, with entry ids
 * made here. Uses one connection and one request at a time, to keep a seller's events in order.
 */
export const nchanSink = async (port: number): Promise<StreamSink> => {
  const connection = await Connection.open(port, 0)
  const waiting: Array<Buffer> = []
  let frames: Array<string> = []
  let entries = 0
  let newest = ""
  let problem: string | undefined
  let onIdle: () => void = () => {}
  const sendNext = () => {
    const request = waiting.shift()
    if (request !== undefined && problem === undefined) connection.send(request)
    else onIdle()
  }
  connection.onBroken = (reason) => {
    problem ??= reason
    onIdle()
  }
  connection.onAnswer = (status, bytes, start, end) => {
    const body = bytes.toString("latin1", start, end)
    if (status !== 201 && status !== 202) problem ??= `the publisher answered ${status} ${body}`
    newest = /"last_message_id": "([^"]+)"/.exec(body)?.[1] ?? newest
    sendNext()
  }
  const appendOne = ({ feed, type, resourceId, data }: SourceEvents) => {
    entries++
    const entry = { entryId: `${Date.now()}-${entries % 1_000}`, seq: entries, type, resourceId, data }
    const envelope = renderFeedEvent(feed, { ...entry, internal: false }, (text) => text)
    frames.push(`event: ${type}\ndata: ${envelope}\n\n`)
    waiting.push(
      Buffer.from(
        `POST /publish?feed=${feed.sellerId} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/json\r\n` +
          `X-EventSource-Event: ${type}\r\nContent-Length: ${Buffer.byteLength(envelope)}\r\n\r\n${envelope}`,
      ),
    )
    if (!connection.isBusy) sendNext()
  }
  return {
    append: (events, count) => {
      for (let index = 0; index < count; index++) appendOne(events)
    },
    settled: async () => {
      if (connection.isBusy && problem === undefined) {
        await new Promise<void>((resolve) => {
          onIdle = resolve
        })
      }
      if (problem !== undefined) throw new Error(problem)
    },
    newest: () => newest,
    takeDigest: () => {
      const taken = frames
      frames = []
      return digestFrames(Buffer.from(taken.join("")), taken.length)
    },
    close: () => connection.close(),
  }
}
