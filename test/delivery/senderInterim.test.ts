import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { answerHeadBytesMax } from "../../src/httpClient/answers.ts"
import type { InterimStatus } from "../support/receiverBehaviours.ts"
import { attemptAgainst, attemptTo, receiver, send, senderFor } from "./senderTesting.ts"

const raw = (...pieces: ReadonlyArray<string>) => ({ kind: "raw", pieces }) as const
const interim = "HTTP/1.1 100 Continue\r\n\r\n"
const final = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

describe("a receiver that sends an interim answer which nobody asked for", () => {
  it.effect.each<{ readonly interim: ReadonlyArray<InterimStatus> }>([
    { interim: [100] },
    { interim: [102] },
    { interim: [103] },
    { interim: [100, 100] },
    { interim: [103, 100, 102, 100] },
  ])("an attempt that is answered $interim and then 200 counts, on a kept connection too", ({ interim }) =>
    Effect.gen(function* () {
      const target = yield* receiver({ behaviour: { kind: "respond", interim, body: "ok" } })
      yield* Effect.gen(function* () {
        for (let attempt = 1; attempt <= 2; attempt++) {
          expect(yield* send(attemptTo(target.url, { attempt }))).toMatchObject({
            outcome: "success",
            error: null,
            statusCode: 200,
            responseBodyExcerpt: "ok",
          })
        }
      }).pipe(Effect.provide(senderFor([target])))
      expect(target.requests).toHaveLength(2)
      expect(target.connections.total).toBe(1)
    }),
  )

  it.effect("an attempt that is answered 100 and then 500 fails by the 500", () =>
    Effect.gen(function* () {
      expect(
        yield* attemptAgainst({ kind: "respond", interim: [100], status: 500, body: "no" }),
      ).toMatchObject({ outcome: "failed", error: "http_500", statusCode: 500, responseBodyExcerpt: "no" })
    }),
  )

  it.effect.each<{ readonly how: string; readonly pieces: ReadonlyArray<string> }>([
    { how: "byte by byte", pieces: [...interim, final] },
    {
      how: "with header fields",
      pieces: [`HTTP/1.1 100 Go\r\nServer: x\r\nConnection: close\r\n\r\n${final}`],
    },
    { how: "by HTTP/1.0", pieces: [`HTTP/1.0 100 Continue\r\n\r\n${final}`] },
    { how: "without a phrase", pieces: [`HTTP/1.1 100\r\n\r\n${final}`] },
    { how: "of a status that nobody knows", pieces: [`HTTP/1.1 199 Wait\r\n\r\n${final}`] },
  ])("an attempt counts though the interim answer comes $how", ({ pieces }) =>
    Effect.gen(function* () {
      expect(yield* attemptAgainst(raw(...pieces))).toMatchObject({
        outcome: "success",
        responseBodyExcerpt: "ok",
      })
    }),
  )

  it.effect("interim answers may take 16 KiB before an answer, and not a byte more", () =>
    Effect.gen(function* () {
      const padding = "x".repeat(answerHeadBytesMax % interim.length)
      const most = interim.repeat(Math.floor(answerHeadBytesMax / interim.length))
      const withinLimit = most.replace("Continue", `Continue${padding}`)
      expect(withinLimit).toHaveLength(answerHeadBytesMax)
      expect((yield* attemptAgainst(raw(withinLimit, final))).outcome).toBe("success")
      const beyond = most.replace("Continue", `Continue${padding}x`)
      expect((yield* attemptAgainst(raw(beyond, final))).error).toBe("response_head_too_large")
    }),
  )

  it.effect("an interim answer's head may come in any pieces, and so may the answer's", () =>
    Effect.gen(function* () {
      const head = `HTTP/1.1 103 Early Hints\r\n${"Link: </a.css>\r\n".repeat(40)}\r\n`
      const whole = `${interim}${head}${interim}HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(40)}Content-Length: 2\r\n\r\nok`
      for (const size of [1, 2, 3, 7, 13, 64, 500]) {
        const pieces = whole.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []
        expect(yield* attemptAgainst(raw(...pieces))).toMatchObject({
          outcome: "success",
          responseBodyExcerpt: "ok",
        })
      }
    }),
  )

  it.effect("an interim answer that never ends is given up after 16 KiB", () =>
    Effect.gen(function* () {
      const endless = `HTTP/1.1 100 ${"x".repeat(answerHeadBytesMax)}`
      expect((yield* attemptAgainst(raw(endless))).error).toBe("response_head_too_large")
    }),
  )

  it.effect.each([
    "HTTP/1.1 101 Switching Protocols\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
    "HTTP/1.1 100 Continue\n\n",
    "HTTP/1.1 100 Continue\r\nServer: x\n\r\n",
    "HTTP/1.1 100 Continue\rServer: x\r\n\r\n",
  ])("an attempt that is answered %j first fails", (first) =>
    Effect.gen(function* () {
      expect(yield* attemptAgainst(raw(first, final))).toMatchObject({ outcome: "failed", statusCode: null })
    }),
  )

  it.effect("an attempt whose answer's body looks like an interim answer keeps that body", () =>
    Effect.gen(function* () {
      const body = "HTTP/1.1 100 Continue\r\n\r\n"
      expect(
        yield* attemptAgainst(raw(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`, body)),
      ).toMatchObject({ outcome: "success", responseBodyExcerpt: body })
    }),
  )
})
