import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { NoticeSources } from "../../actors/ports/acquirer.ts"
import type { AcquirersSettings } from "../../src/acquirers/acquirerSettings.ts"
import { NoticeSourcesLive } from "../../src/acquirers/acquirersLive.ts"
import { bankProfiles } from "../../src/acquirers/apiPix/bankProfiles.ts"
import { readNotices } from "../../src/acquirers/apiPix/notices.ts"
import type { ApiPixSettings } from "../../src/acquirers/apiPix/settings.ts"

const simulator = (secret: string | undefined): AcquirersSettings["simulator"] => ({
  delayMillis: 3_000,
  chargeLatencyMillis: 0,
  locationHost: "pix.corrente.test",
  webhookSecret: secret === undefined ? undefined : Redacted.make(secret),
})

const apiPix = (secret: string | undefined): ApiPixSettings => ({
  baseUrl: "https://pix.example.com/v2",
  tokenUrl: "https://pix.example.com/oauth/token",
  clientId: "client",
  clientSecret: Redacted.make("hunter2"),
  certFile: "cert.pem",
  keyFile: "key.pem",
  caFile: undefined,
  pixKey: "pix@example.com",
  ...{ bank: bankProfiles.efi, appKey: undefined, headers: undefined },
  webhookSecret: secret === undefined ? undefined : Redacted.make(secret),
})

const sourcesOf = (settings: AcquirersSettings) =>
  Effect.map(NoticeSources, (sources) => [...sources.values()]).pipe(
    Effect.provide(NoticeSourcesLive(settings)),
  )

describe("the acquirers whose webhooks are accepted", () => {
  it.effect("no acquirer's webhooks are accepted by default", () =>
    Effect.gen(function* () {
      expect(yield* sourcesOf({ simulator: simulator(undefined) })).toEqual([])
    }),
  )

  it.effect("the simulator's webhooks are accepted when it has a secret", () =>
    Effect.gen(function* () {
      const sources = yield* sourcesOf({ simulator: simulator("of tests") })
      expect(sources).toEqual([{ slug: "simulator", secret: "of tests", read: readNotices }])
    }),
  )

  it.effect("api-pix's webhooks are accepted when it is configured, with or without a secret", () =>
    Effect.gen(function* () {
      for (const secret of ["of the acquirer", undefined]) {
        const sources = yield* sourcesOf({ simulator: simulator(undefined), "api-pix": apiPix(secret) })
        expect(sources).toEqual([{ slug: "api-pix", secret, read: readNotices }])
      }
    }),
  )
})
