import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { buildPages, isBuilt } from "../../scripts/web/build.ts"
import type { PagesSources } from "../../scripts/web/inputs.ts"
import { readPagesBuild } from "../../src/http/app/pagesBuild.ts"

let folder = ""
let builds = ""
let sources: PagesSources
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "corrente-build-"))
  builds = join(folder, "builds")
  const web = join(folder, "web")
  mkdirSync(join(web, "src"), { recursive: true })
  writeFileSync(join(web, "index.html"), '<html><script type="module" src="/src/main.ts"></script></html>')
  writeFileSync(join(web, "src/main.ts"), 'const word: string = "first"\ndocument.title = word\n')
  writeFileSync(
    join(web, "vite.config.ts"),
    'export default { base: "/app/", logLevel: "silent", build: { manifest: true } }\n',
  )
  const other = join(folder, "lock.json")
  writeFileSync(other, "{}")
  sources = { web, others: [other] }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (path: string, text: string) => writeFileSync(join(sources.web, path), text)
const scriptOf = (): string => {
  const script = readPagesBuild(builds)?.others.find(({ path }) => path.endsWith(".js"))
  return Buffer.from(script?.plain ?? []).toString()
}
const foldersOf = () => readdirSync(builds).filter((name) => name !== "current")

describe("building the pages", () => {
  it("a build can be read by the user who runs the service, who need not be the one who built it", async () => {
    const { folder: built } = await buildPages(sources, builds)
    const unreadable = readdirSync(built, { recursive: true, withFileTypes: true })
      .map((entry) => join(entry.parentPath, entry.name))
      .concat(built)
      .filter((path) => {
        const found = statSync(path)
        const wanted = found.isDirectory() ? 0o055 : 0o044
        return (found.mode & wanted) !== wanted
      })
    expect(unreadable).toEqual([])
  })

  it("the same sources are built once, and a second call builds nothing", async () => {
    expect(isBuilt(sources, builds)).toBe(false)
    const first = await buildPages(sources, builds)
    expect(first.isNew).toBe(true)
    expect(isBuilt(sources, builds)).toBe(true)
    expect(scriptOf()).toContain("first")
    // Were it built again, the mark would go.
    const mark = join(first.folder, ".mark")
    writeFileSync(mark, "")
    expect(await buildPages(sources, builds)).toEqual({ folder: first.folder, isNew: false })
    expect(existsSync(mark)).toBe(true)
    expect(foldersOf()).toHaveLength(1)
  })

  it("a change of any source is built, and going back to the earlier one needs no building", async () => {
    const { folder: before } = await buildPages(sources, builds)
    write("src/main.ts", 'document.title = "second"')
    expect(isBuilt(sources, builds)).toBe(false)
    expect((await buildPages(sources, builds)).isNew).toBe(true)
    expect(scriptOf()).toContain("second")
    write("src/main.ts", 'const word: string = "first"\ndocument.title = word\n')
    expect(isBuilt(sources, builds)).toBe(false)
    expect(await buildPages(sources, builds)).toEqual({ folder: before, isNew: false })
    expect(scriptOf()).toContain("first")

    for (const change of [
      () => write("src/unused.ts", "export {}"),
      () => rmSync(join(sources.web, "src/unused.ts")),
      () => writeFileSync(sources.others[0] ?? "", "[]"),
    ]) {
      expect(isBuilt(sources, builds)).toBe(true)
      change()
      expect(isBuilt(sources, builds)).toBe(false)
      await buildPages(sources, builds)
    }
  })

  it("several that build at once do not harm each other", async () => {
    const results = await Promise.all(Array.from({ length: 3 }, () => buildPages(sources, builds)))
    expect(new Set(results.map(({ folder }) => folder)).size).toBe(1)
    expect(scriptOf()).toContain("first")
    expect(foldersOf()).toHaveLength(1)
  })

  it("sources that do not build leave the earlier build in place, and no draft", async () => {
    await buildPages(sources, builds)
    write("src/main.ts", "const = ;")
    await expect(buildPages(sources, builds)).rejects.toThrow()
    expect(scriptOf()).toContain("first")
    expect(foldersOf()).toHaveLength(1)
  })

  it("builds and drafts that nobody has touched for a day go when there is a new one", async () => {
    const { folder: before } = await buildPages(sources, builds)
    const draft = join(builds, "draft-left")
    mkdirSync(draft)
    const young = join(builds, "draft-young")
    mkdirSync(young)
    const twoDaysAgo = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000)
    for (const path of [before, draft]) utimesSync(path, twoDaysAgo, twoDaysAgo)
    write("src/main.ts", 'document.title = "second"')
    const { folder: after } = await buildPages(sources, builds)
    expect([before, draft, young, after].map((path) => existsSync(path))).toEqual([false, false, true, true])
  })

  it("compressed files hold what the plain ones hold", async () => {
    const { folder: built } = await buildPages(sources, builds)
    const { files } = JSON.parse(readFileSync(join(built, "manifest.json"), "utf8"))
    for (const { path } of files) {
      const plain = readFileSync(join(built, path))
      expect(gunzipSync(readFileSync(join(built, `${path}.gz`))).equals(plain)).toBe(true)
    }
    expect(files.length).toBe(2)
  })
})
