// Builds the pages before what serves or tests them runs (scripts/with-node22.mjs).
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { isBuilt } from "./build.ts"
import { pagesSources } from "./inputs.ts"

const builder = fileURLToPath(new URL("build.ts", import.meta.url))
const vite = fileURLToPath(new URL("../../node_modules/vite", import.meta.url))

/**
 * Builds the pages unless there is a build of their sources. The service runs without them too, so where they do not build, or
 * where Vite is not installed, that is said on stderr and nothing fails.
 */
export const setUpPages = (): void => {
  const hasSources = existsSync(join(pagesSources.web, "index.html"))
  if (!hasSources || !existsSync(vite) || isBuilt()) return
  process.stderr.write("Setting up: building the dashboard's pages, once...\n")
  const { status } = spawnSync(process.execPath, [builder], { stdio: ["ignore", 2, 2] })
  if (status !== 0)
    process.stderr.write("The pages did not build, for the reason above; /app is not served.\n")
}

if (process.argv[1] === fileURLToPath(import.meta.url)) setUpPages()
