import type { Effect, Scope } from "effect"
import type { Acquirer, NoticeSource } from "../../actors/ports/acquirer.ts"
import type { Identifiers } from "../../actors/ports/identifiers.ts"
import type { SettingReader } from "../env/settingReader.ts"

/** How the service uses an acquirer, as far as its settings depend on it. */
export interface AcquirerUse {
  /** Whether `LIVE_ACQUIRER` names it. */
  readonly isLive: boolean
  readonly isProduction: boolean
}

/** Reads the settings of an acquirer and reports problems to the reader; undefined if the acquirer is not used. */
export type ReadAcquirerSettings<Settings> = (reader: SettingReader, use: AcquirerUse) => Settings

/** An acquirer and how the service runs it. */
export interface AcquirerModule<Settings, E> {
  /** Names it in `LIVE_ACQUIRER`, `/v1/webhooks/{slug}` and records. */
  readonly slug: string
  readonly make: (settings: Settings) => Effect.Effect<Acquirer, E, Identifiers | Scope.Scope>
  /** Reads its notices; undefined: none are accepted. */
  readonly noticeSource: (settings: Settings) => NoticeSource | undefined
  /** Warnings for operators, logged at start. */
  readonly warnings: (settings: Settings, use: AcquirerUse) => ReadonlyArray<string>
}
