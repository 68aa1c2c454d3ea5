import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { NoticeSources } from "../../actors/ports/acquirer.ts"
import { readNotices } from "../../src/acquirers/apiPix/notices.ts"
import { NoticeSourcesLive } from "../../src/acquirers/noticeSources.ts"

const sourcesOf = (options: Parameters<typeof NoticeSourcesLive>[0]) =>
  Effect.map(NoticeSources, (sources) => [...sources.values()]).pipe(
    Effect.provide(NoticeSourcesLive(options)),
  )

describe("the partners whose webhooks are accepted", () => {
  it.effect("are none by default", () =>
    Effect.gen(function* () {
      expect(yield* sourcesOf({ apiPix: undefined, simulatorSecret: undefined })).toEqual([])
    }),
  )

  it.effect("are the simulator where it has a secret, never without one", () =>
    Effect.gen(function* () {
      const sources = yield* sourcesOf({ apiPix: undefined, simulatorSecret: Redacted.make("of tests") })
      expect(sources).toEqual([{ slug: "simulator", secret: "of tests", read: readNotices }])
    }),
  )

  it.effect("are api-pix where it is the live partner, with a secret or without", () =>
    Effect.gen(function* () {
      const apiPix = { webhookSecret: Redacted.make("of the partner") }
      expect(yield* sourcesOf({ apiPix, simulatorSecret: undefined })).toEqual([
        { slug: "api-pix", secret: "of the partner", read: readNotices },
      ])
      const [source] = yield* sourcesOf({ apiPix: { webhookSecret: undefined }, simulatorSecret: undefined })
      expect(source).toEqual({ slug: "api-pix", secret: undefined, read: readNotices })
    }),
  )
})
