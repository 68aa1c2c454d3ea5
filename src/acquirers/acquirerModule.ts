import type { Effect, Scope } from "effect"
import type { Acquirer, NoticeSource } from "../../actors/ports/acquirer.ts"
import type { Identifiers } from "../../actors/ports/identifiers.ts"
import type { SettingReader } from "../env/settingReader.ts"

/** Where the service runs, as far as the settings of an acquirer depend on it. */
export interface AcquirerUse {
  /** Whether `LIVE_ACQUIRER` names it. */
  readonly isLive: boolean
  readonly isProduction: boolean
}

/** Reads the settings of an acquirer; what is wrong with them is the reader's to report. Undefined: it is not used. */
export type ReadAcquirerSettings<Settings> = (reader: SettingReader, use: AcquirerUse) => Settings

/** An acquirer as the service runs it; its folder holds all of it. */
export interface AcquirerModule<Settings, E> {
  /** Its name in `LIVE_ACQUIRER`, in `/v1/webhooks/{slug}` and in records. */
  readonly slug: string
  readonly make: (settings: Settings) => Effect.Effect<Acquirer, E, Identifiers | Scope.Scope>
  /** How its notices are read; undefined: none are accepted. */
  readonly noticeSource: (settings: Settings) => NoticeSource | undefined
  /** What an operator must know about these settings, one sentence or two each, logged at the start. */
  readonly warnings: (settings: Settings, use: AcquirerUse) => ReadonlyArray<string>
}
