import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { NoticeSources } from "../../actors/ports/acquirer.ts"
import type { AcquirersSettings } from "../../src/acquirers/acquirerSettings.ts"
import { acquirerWarnings, NoticeSourcesLive } from "../../src/acquirers/acquirersLive.ts"
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

describe("warnings about the settings of api-pix", () => {
  const warningsOf = (settings: ApiPixSettings) =>
    acquirerWarnings("api-pix", { simulator: simulator(undefined), "api-pix": settings }, true)

  it("an address that does not end as the bank's does is told, and so is a missing secret", () => {
    const settings = apiPix("of the acquirer")
    expect(warningsOf(settings)).toEqual([])
    const inter = { ...settings, bank: bankProfiles.inter }
    expect(warningsOf(inter)).toEqual([
      "API_PIX_BASE_URL does not end in /pix/v2, as the bank of API_PIX_BANK has it: its other APIs may not be found.",
    ])
    expect(warningsOf({ ...inter, baseUrl: "https://pix.example.com/pix/v2" })).toEqual([])
    expect(warningsOf({ ...settings, webhookSecret: undefined })).toHaveLength(1)
  })
})
