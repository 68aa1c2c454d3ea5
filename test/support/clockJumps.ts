import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Service, ServiceOptions } from "./service.ts"

const preload = fileURLToPath(new URL("./shiftedClock.mjs", import.meta.url))

/** Runs the service so that {@link shiftClock} can set its clock. */
export const clockedCommand: NonNullable<ServiceOptions["command"]> = [
  process.execPath,
  "--import",
  preload,
  "dist/main.mjs",
]

/** Sets the clock of a service of {@link clockedCommand} to so many milliseconds after the machine's, or before. */
export const shiftClock = (
  { dataDir, signal }: Pick<Service, "dataDir" | "signal">,
  millis: number,
): void => {
  writeFileSync(join(dataDir, "clock-shift"), String(millis))
  signal("SIGUSR2")
}
