import type { SettingReader } from "../env/settingReader.ts"
import { readApiPixSettings } from "./apiPix/settings.ts"
import { readSimulatorSettings, type SimulatorSettings } from "./simulator/settings.ts"

/** The settings readers of all acquirers, by slug. */
const readers = { simulator: readSimulatorSettings, "api-pix": readApiPixSettings } as const

/** The values of `LIVE_ACQUIRER`. */
export type AcquirerSlug = keyof typeof readers
export const acquirerSlugs = Object.keys(readers) as ReadonlyArray<AcquirerSlug>

/** The settings of the acquirers that the service uses; test mode always uses the simulator. */
export type AcquirersSettings = { readonly simulator: SimulatorSettings } & {
  readonly [Slug in AcquirerSlug]?: ReturnType<(typeof readers)[Slug]>
}

/** Reads the settings of every acquirer that the service uses. */
export const readAcquirersSettings = (
  reader: SettingReader,
  live: AcquirerSlug,
  isProduction: boolean,
): AcquirersSettings => {
  const entries = acquirerSlugs.map((slug) => [
    slug,
    readers[slug](reader, { isLive: slug === live, isProduction }),
  ])
  return Object.fromEntries(entries) as AcquirersSettings
}
