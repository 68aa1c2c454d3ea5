import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ResponseFault } from "../../schema/names.ts"
import { answerHeadBytesMax } from "../../src/httpClient/answers.ts"
import { behaviours } from "../support/tlsReceiver.ts"
import { attemptAgainst, attemptTo, receiver, send, senderFor } from "./senderTesting.ts"

const raw = (...pieces: ReadonlyArray<string>) => ({ kind: "raw", pieces }) as const
const notAnswered = { outcome: "failed", retriable: true, statusCode: null, responseBodyExcerpt: null }

const malformed: ReadonlyArray<readonly [ResponseFault, string]> = [
  ["response_bare_line_feed", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok"],
  ["response_bare_line_feed", "HTTP/1.1 200 OK\nContent-Length: 2\r\n\r\nok"],
  ["response_bare_line_feed", "HTTP/1.1 200 OK\r\nServer: x\nContent-Length: 2\r\n\r\nok"],
  ["response_bare_line_feed", "HTTP/1.1 200 OK\r\nContent-Length: 2\nServer: x\r\n\r\nok"],
  ["response_bare_line_feed", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\nok"],
  ["response_bare_line_feed", "HTTP/1.1 100 Continue\n\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"],
  ["response_two_lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok"],
  [
    "response_two_lengths",
    "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nServer: x\r\nCONTENT-LENGTH: 2\r\n\r\nok",
  ],
  ["response_two_lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2, 3\r\n\r\nok"],
  [
    "response_two_lengths",
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
  ],
  [
    "response_two_lengths",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n",
  ],
  ["response_switches_protocols", "HTTP/1.1 101 Switching Protocols\r\n\r\n"],
  [
    "response_switches_protocols",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
  ],
  ["response_not_http", "SSH-2.0-OpenSSH_9.6\r\n"],
  ["response_not_http", "<html>\n<body>hello</body>\n</html>\n"],
  ["response_not_http", "HTTP/1.1 2x0 OK\r\n\r\n"],
  ["response_not_http", "HTTP/1.1 000 OK\r\n\r\n"],
  ["response_not_http", "HTTP/1.1 200 OK\r\nServer : x\r\n\r\n"],
  ["response_not_http", "HTTP/1.1 200 OK\r\nServer: x\r\n y\r\n\r\n"],
  ["response_not_http", "HTTP/1.1 200 OK\r\nServer: x\0\r\n\r\n"],
  ["response_not_http", "HTTP/1.1 200 OK\r\nServer: x\rY: z\r\n\r\n"],
  ["response_not_http", "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok"],
  ["response_not_http", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nok"],
]

describe("an answer that is not HTTP", () => {
  it.effect.each(malformed)("an attempt says %s of the answer %j", ([error, answer]) =>
    Effect.gen(function* () {
      expect(yield* attemptAgainst(raw(answer))).toMatchObject({ ...notAnswered, error })
    }),
  )

  it.effect("an attempt says what is wrong with an answer that comes byte by byte", () =>
    Effect.gen(function* () {
      const answer =
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n"
      expect(yield* attemptAgainst(raw(...answer))).toMatchObject({
        ...notAnswered,
        error: "response_two_lengths",
      })
    }),
  )

  it.effect("the fields of an answer's head may take just less than 16 KiB", () =>
    Effect.gen(function* () {
      const answer = (bytes: number) => `HTTP/1.1 200 OK\r\nx: ${"y".repeat(bytes - 1)}\r\n\r\n`
      expect((yield* attemptAgainst(raw(answer(answerHeadBytesMax - 1)))).outcome).toBe("success")
      expect(yield* attemptAgainst(raw(answer(answerHeadBytesMax)))).toMatchObject({
        ...notAnswered,
        error: "response_head_too_large",
      })
    }),
  )

  it.effect("an attempt on a kept connection is not repeated because the answer is not HTTP", () =>
    Effect.gen(function* () {
      const target = yield* receiver()
      yield* Effect.gen(function* () {
        expect((yield* send(attemptTo(target.url))).outcome).toBe("success")
        target.respondWith(
          raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
        )
        expect(yield* send(attemptTo(target.url))).toMatchObject({ error: "response_switches_protocols" })
      }).pipe(Effect.provide(senderFor([target])))
      expect(target.requests).toHaveLength(2)
      expect(target.connections.total).toBe(1)
    }),
  )

  it.effect("a connection that is closed before an answer's head ends is a connection error", () =>
    Effect.gen(function* () {
      for (const answer of [
        "",
        "HTTP/1.1 20",
        "HTTP/1.1 200 OK\r\nServer: x\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
      ]) {
        expect(yield* attemptAgainst(raw(answer))).toMatchObject({
          ...notAnswered,
          error: "connection_error",
        })
      }
    }),
  )

  it.effect("an answer counts by its head, though its body is not HTTP", () =>
    Effect.gen(function* () {
      const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      expect(yield* attemptAgainst(raw(`${chunked}2\r\nok\r\nnone\r\n`))).toMatchObject({
        outcome: "success",
        responseBodyExcerpt: "ok",
      })
      expect((yield* attemptAgainst(behaviours.respond(200, "HTTP/1.1 101\n\n"))).outcome).toBe("success")
    }),
  )
})
