import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { openReceiver } from "../../cli/receiver.ts"
import type { Event } from "../../client/src/index.ts"
import { startLocalReceiver } from "./support/localReceiver.ts"

const event = { id: "evt_1", type: "transaction.paid", seq: 2 } as Event
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYA"

const localReceiver = Effect.acquireRelease(Effect.promise(startLocalReceiver), ({ stop }) =>
  Effect.promise(stop),
)

describe("what listen and resend post", () => {
  it.effect("a post counts though its receiver sends an unasked 100 Continue before it answers", () =>
    Effect.gen(function* () {
      const local = yield* localReceiver
      local.interimBefore([100, 103, 100])
      const { post } = yield* openReceiver(local.url, secret)
      expect(yield* post(event, 1)).toMatchObject({ statusCode: 204 })
      local.answerWith(500, {}, "no")
      expect(yield* Effect.flip(post(event, 2))).toMatchObject({ error: "http_500", excerpt: "no" })
      expect(local.requests).toHaveLength(2)
    }),
  )
})
