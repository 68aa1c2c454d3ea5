/** A process that follows a seller's event stream and records when each frame arrived. */
import { get } from "node:http"
import { type ObserverAnswer, type ObserverRequest, readEnvelope, type SeenEvent } from "./eventProtocol.ts"
import { serveParent } from "./serveParent.ts"

let events: Array<SeenEvent> = []
let problems: Array<string> = []

const fieldOf = (frame: string, name: string): string | undefined =>
  frame
    .split("\n")
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2)

/** Opens the stream; calls `onReady` at its `ready` frame, and `onBroken` if it cannot go on. */
const follow = (port: number, apiKey: string, onReady: () => void, onBroken: (reason: string) => void) => {
  const headers = { authorization: `Bearer ${apiKey}`, accept: "text/event-stream" }
  const request = get({ port, host: "127.0.0.1", path: "/events", headers }, (response) => {
    let pending = ""
    const take = (frame: string, seenAtMillis: number) => {
      const type = fieldOf(frame, "event")
      if (type === "ready") onReady()
      else if (type === "reconnect" || type === "replay_gap") onBroken(frame)
      else if (type !== undefined) events.push(readEnvelope(fieldOf(frame, "data") ?? "", seenAtMillis))
    }
    if (response.statusCode !== 200) onBroken(`the stream answered ${response.statusCode}`)
    response.setEncoding("utf8")
    response.on("data", (text: string) => {
      const seenAtMillis = performance.timeOrigin + performance.now()
      const frames = (pending + text).split("\n\n")
      pending = frames.pop() ?? ""
      for (const frame of frames) take(frame, seenAtMillis)
    })
    response.once("close", () => onBroken("the stream ended"))
  })
  request.once("error", (error) => onBroken(error.message))
}

const answer = (): ObserverAnswer => ({ count: events.length, events: [], problems: [] })

serveParent<ObserverRequest, ObserverAnswer>((request) => {
  switch (request.kind) {
    case "follow":
      return new Promise((resolve, reject) => {
        const broken = (reason: string) => {
          problems.push(reason)
          reject(new Error(reason))
        }
        follow(request.port, request.apiKey, () => resolve(answer()), broken)
      })
    case "take": {
      const taken = { count: events.length, events, problems }
      events = []
      problems = []
      return taken
    }
    case "count":
      return answer()
    case "listen":
      throw new Error("an SSE client does not listen")
  }
})
