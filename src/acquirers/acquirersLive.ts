import { Effect, Layer, type Scope } from "effect"
import { type Acquirer, Acquirers, type NoticeSource, NoticeSources } from "../../actors/ports/acquirer.ts"
import type { Identifiers } from "../../actors/ports/identifiers.ts"
import type { AcquirerModule, AcquirerUse } from "./acquirerModule.ts"
import type { AcquirerSlug, AcquirersSettings } from "./acquirerSettings.ts"
import { apiPix } from "./apiPix/module.ts"
import { booksFrom } from "./booksFrom.ts"
import { measured } from "./measured.ts"
import { simulator } from "./simulator/module.ts"

/** An acquirer that the service uses, with its settings. */
interface UsedAcquirer<E> {
  readonly slug: string
  readonly make: Effect.Effect<Acquirer, E, Identifiers | Scope.Scope>
  readonly noticeSource: NoticeSource | undefined
  readonly warnings: (use: AcquirerUse) => ReadonlyArray<string>
}

const use = <Settings, E>(
  module: AcquirerModule<Settings, E>,
  settings: Settings | undefined,
): ReadonlyArray<UsedAcquirer<E>> =>
  settings === undefined
    ? []
    : [
        {
          slug: module.slug,
          make: module.make(settings),
          noticeSource: module.noticeSource(settings),
          warnings: (how) => module.warnings(settings, how),
        },
      ]

/** All acquirers that the settings use. */
const usedAcquirers = (settings: AcquirersSettings) => [
  ...use(simulator, settings.simulator),
  ...use(apiPix, settings["api-pix"]),
]

/**
 * The acquirer of each mode: the simulator in test mode, `live` in live mode (docs/partner.md). The books of live begin at
 * `booksFromMillis`, if that is set.
 */
export const AcquirersLive = (live: AcquirerSlug, settings: AcquirersSettings, booksFromMillis?: number) =>
  Layer.effect(
    Acquirers,
    Effect.gen(function* () {
      const made = yield* Effect.forEach(usedAcquirers(settings), ({ make }) =>
        Effect.flatMap(make, measured),
      )
      const named = (wanted: AcquirerSlug) => {
        const found = made.find(({ slug }) => slug === wanted)
        return found === undefined
          ? Effect.die(new Error(`${wanted} has no settings`))
          : Effect.succeed(found)
      }
      return { live: booksFrom(yield* named(live), booksFromMillis), test: yield* named("simulator") }
    }),
  )

/** The acquirers whose notices are accepted (docs/contract/notices.md#recording). */
export const NoticeSourcesLive = (settings: AcquirersSettings) => {
  const sources = usedAcquirers(settings).flatMap(({ noticeSource }) => noticeSource ?? [])
  return Layer.succeed(NoticeSources, new Map(sources.map((source) => [source.slug, source])))
}

/** Warnings about the settings of acquirers, for operators. */
export const acquirerWarnings = (
  live: AcquirerSlug,
  settings: AcquirersSettings,
  isProduction: boolean,
): ReadonlyArray<string> =>
  usedAcquirers(settings).flatMap(({ slug, warnings }) => warnings({ isLive: slug === live, isProduction }))
