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
import { type Build, isBuilt } from "../../scripts/setUp/builds.mjs"
import { buildPages } from "../../scripts/web/build.ts"
import { readPagesBuild } from "../../src/http/app/pagesBuild.ts"

let folder = ""
let web = ""
let other = ""
let build: Build
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "corrente-build-"))
  web = join(folder, "web")
  mkdirSync(join(web, "src"), { recursive: true })
  writeFileSync(join(web, "index.html"), '<html><script type="module" src="/src/main.ts"></script></html>')
  writeFileSync(join(web, "src/main.ts"), 'const word: string = "first"\ndocument.title = word\n')
  writeFileSync(
    join(web, "vite.config.ts"),
    'export default { base: "/app/", logLevel: "silent", build: { manifest: true } }\n',
  )
  other = join(folder, "lock.json")
  writeFileSync(other, "{}")
  build = { sources: [web, other], folder: join(folder, "builds"), link: join(web, "dist") }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (path: string, text: string) => writeFileSync(join(web, path), text)
const scriptOf = (): string => {
  const script = readPagesBuild(build.link)?.others.find(({ path }) => path.endsWith(".js"))
  return Buffer.from(script?.plain ?? []).toString()
}
const foldersOf = () => readdirSync(build.folder)

describe("building the pages", () => {
  it("a build can be read by the user who runs the service, who need not be the one who built it", async () => {
    const { folder: built } = await buildPages(build, web)
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
    expect(isBuilt(build)).toBe(false)
    const first = await buildPages(build, web)
    expect(first.isNew).toBe(true)
    expect(isBuilt(build)).toBe(true)
    expect(scriptOf()).toContain("first")
    // Were it built again, the mark would go.
    const mark = join(first.folder, ".mark")
    writeFileSync(mark, "")
    expect(await buildPages(build, web)).toEqual({ folder: first.folder, isNew: false })
    expect(existsSync(mark)).toBe(true)
    expect(foldersOf()).toHaveLength(1)
  })

  it("a change of any source is built, and going back to the earlier one needs no building", async () => {
    const { folder: before } = await buildPages(build, web)
    write("src/main.ts", 'document.title = "second"')
    expect(isBuilt(build)).toBe(false)
    expect((await buildPages(build, web)).isNew).toBe(true)
    expect(scriptOf()).toContain("second")
    write("src/main.ts", 'const word: string = "first"\ndocument.title = word\n')
    expect(isBuilt(build)).toBe(false)
    expect(await buildPages(build, web)).toEqual({ folder: before, isNew: false })
    expect(scriptOf()).toContain("first")

    for (const change of [
      () => write("src/unused.ts", "export {}"),
      () => rmSync(join(web, "src/unused.ts")),
      () => writeFileSync(other, "[]"),
    ]) {
      expect(isBuilt(build)).toBe(true)
      change()
      expect(isBuilt(build)).toBe(false)
      await buildPages(build, web)
    }
  })

  it("several that build at once do not harm each other", async () => {
    const results = await Promise.all(Array.from({ length: 3 }, () => buildPages(build, web)))
    expect(new Set(results.map(({ folder }) => folder)).size).toBe(1)
    expect(scriptOf()).toContain("first")
    expect(foldersOf()).toHaveLength(1)
  })

  it("sources that do not build leave the earlier build in place, and no draft", async () => {
    await buildPages(build, web)
    write("src/main.ts", "const = ;")
    await expect(buildPages(build, web)).rejects.toThrow()
    expect(scriptOf()).toContain("first")
    expect(foldersOf()).toHaveLength(1)
  })

  it("builds and drafts older than a day go when there is a new one, except the one before it", async () => {
    const { folder: first } = await buildPages(build, web)
    write("src/unused.ts", "export {}")
    const { folder: before } = await buildPages(build, web)
    const draft = join(build.folder, "draft-left")
    mkdirSync(draft)
    const young = join(build.folder, "draft-young")
    mkdirSync(young)
    const twoDaysAgo = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000)
    for (const path of [first, before, draft]) utimesSync(path, twoDaysAgo, twoDaysAgo)
    write("src/main.ts", 'document.title = "second"')
    const { folder: after } = await buildPages(build, web)
    expect([first, draft].filter((path) => existsSync(path))).toEqual([])
    expect([before, young, after].filter((path) => !existsSync(path))).toEqual([])
  })

  it("compressed files hold what the plain ones hold", async () => {
    const { folder: built } = await buildPages(build, web)
    const { files } = JSON.parse(readFileSync(join(built, "manifest.json"), "utf8"))
    for (const { path } of files) {
      const plain = readFileSync(join(built, path))
      expect(gunzipSync(readFileSync(join(built, `${path}.gz`))).equals(plain)).toBe(true)
    }
    expect(files.length).toBe(2)
  })
})
