// Usage: node scripts/web/build.ts
//
// Builds the pages of web/ into web/dist, unless there is a build of these very sources. The service reads them when it starts.
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { manifestName } from "../../src/http/app/buildFiles.ts"
import { type Build, builds } from "../setUp/builds.mjs"
import { keepBuild } from "../setUp/keep.ts"
import { compressBuild } from "./compress.ts"

/** Makes the build of pages whose `index.html` and `vite.config.ts` are in the folder `web`. */
export const buildPages = (build: Build = builds.pages, web = join(import.meta.dirname, "../../web")) =>
  keepBuild(build, async (draft) => {
    // Loaded here: whoever only asks whether there is a build needs no Vite.
    const { build } = await import("vite")
    const configFile = join(web, "vite.config.ts")
    await build({
      root: web,
      configFile,
      configLoader: "native",
      build: { outDir: draft, emptyOutDir: false },
    })
    await compressBuild(draft)
  })

/** What the files of a build weigh, in words. */
const weightOf = (folder: string): string => {
  const { files } = JSON.parse(readFileSync(join(folder, manifestName), "utf8")) as {
    readonly files: ReadonlyArray<{ readonly path: string }>
  }
  const bytesOf = (ending: string) =>
    files.reduce(
      (sum, { path }) => sum + (statSync(join(folder, path + ending), { throwIfNoEntry: false })?.size ?? 0),
      0,
    )
  const kB = (bytes: number) => `${Math.round(bytes / 1000)} kB`
  return `${files.length} files, ${kB(bytesOf(""))}, ${kB(bytesOf(".br"))} as brotli`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { folder, isNew } = await buildPages()
  process.stderr.write(`The pages are ${isNew ? "built" : "built already"}: ${weightOf(folder)}.\n`)
}
