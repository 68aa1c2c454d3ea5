import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { compressBuild } from "../../scripts/web/compress.ts"
import { readPagesBuild } from "../../src/http/app/pagesBuild.ts"
import { appRoutes } from "../../src/http/app/routes.ts"
import { serve } from "../../src/http/server/server.ts"

const index = `<!doctype html><link rel="icon" href="/app/assets/icon-1.svg"><script type="module" src="/app/assets/index-1.js"></script>${" ".repeat(2_000)}`
const script = `console.log("${"x".repeat(2_000)}")`
const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47])

let pages = ""
beforeAll(async () => {
  pages = mkdtempSync(join(tmpdir(), "corrente-pages-"))
  mkdirSync(join(pages, "assets"), { recursive: true })
  mkdirSync(join(pages, ".vite"))
  writeFileSync(join(pages, "index.html"), index)
  writeFileSync(join(pages, "licenses.md"), "# Licenses")
  writeFileSync(join(pages, "assets/index-1.js"), script)
  writeFileSync(join(pages, "assets/icon-1.svg"), "<svg/>")
  writeFileSync(join(pages, "assets/picture-1.png"), picture)
  writeFileSync(join(pages, ".vite/manifest.json"), "{}")
  await compressBuild(pages)
})
afterAll(() => rmSync(pages, { recursive: true, force: true }))

interface Options {
  readonly publicUrl?: string
  readonly isBuilt?: boolean
}
const inApp = (run: (origin: string, port: number) => Promise<void>, options: Options = {}) =>
  Effect.fnUntraced(function* () {
    const build = options.isBuilt === false ? undefined : readPagesBuild(pages)
    expect(build === undefined).toBe(options.isBuilt === false)
    const routes = appRoutes(build, options.publicUrl)
    const { port } = yield* serve({ host: "127.0.0.1", port: 0, routes })
    yield* Effect.promise(() => run(`http://127.0.0.1:${port}`, port))
  })

const read = async (url: string, headers: Readonly<Record<string, string>> = {}, method = "GET") => {
  const answer = await fetch(url, { method, headers, redirect: "manual" })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** GET of a path exactly as it is written, without decompressing the answer. */
const readRaw = (port: number, path: string, accepted = "identity") =>
  new Promise<{
    readonly status: number | undefined
    readonly headers: Readonly<Record<string, unknown>>
    readonly body: Buffer
  }>((done, failed) => {
    const headers = { "accept-encoding": accepted }
    const asked = request({ host: "127.0.0.1", port, path, headers }, async (answer) => {
      const { statusCode: status, headers } = answer
      done({ status, headers, body: Buffer.concat(await answer.toArray()) })
    })
    asked.once("error", failed).end()
  })

describe("the pages under /app", () => {
  it.live(
    "every path below /app answers the one page, which browsers check again each time",
    inApp(async (origin) => {
      for (const path of [
        "/app",
        "/app/",
        "/app/charges",
        "/app/charges/txn_1?status=paid",
        "/app/%2e%2e%2fx",
      ]) {
        const { status, headers, text } = await read(origin + path)
        expect([path, status, text === index]).toEqual([path, 200, true])
        expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
        expect(headers.get("cache-control")).toBe("no-cache")
      }
    }),
  )

  it.live(
    "the page may load from us alone, runs nothing inline, is framed by nobody, and tells its address to no other site",
    inApp(async (origin) => {
      const { headers } = await read(`${origin}/app/reset-password?token=t0ken`)
      const policy = new Map(
        (headers.get("content-security-policy") ?? "")
          .split("; ")
          .map((part) => [part.slice(0, part.indexOf(" ")), part.slice(part.indexOf(" ") + 1)] as const),
      )
      expect(Object.fromEntries(policy)).toEqual({
        "default-src": "'self'",
        "img-src": "'self' data:",
        "style-src": "'self'",
        "script-src": "'self'",
        "connect-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
        "object-src": "'none'",
      })
      expect(headers.get("referrer-policy")).toBe("same-origin")
      expect(headers.get("x-content-type-options")).toBe("nosniff")
    }),
  )

  it.live(
    "files with a hash in their name are kept for ever; others are checked again",
    inApp(async (origin) => {
      const found = await read(`${origin}/app/assets/index-1.js`)
      expect([found.status, found.text]).toEqual([200, script])
      expect(found.headers.get("content-type")).toBe("text/javascript; charset=utf-8")
      expect(found.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
      expect(found.headers.get("x-content-type-options")).toBe("nosniff")
      expect((await read(`${origin}/app/assets/icon-1.svg`)).headers.get("content-type")).toBe(
        "image/svg+xml",
      )
      const licenses = await read(`${origin}/app/licenses.md`)
      expect([licenses.text, licenses.headers.get("cache-control")]).toEqual(["# Licenses", "no-cache"])
    }),
  )

  it.live(
    "texts are sent as brotli, gzip or plain, as the client takes them; pictures always plain",
    inApp(async (_, port) => {
      for (const [path, text] of [
        ["/app/assets/index-1.js", script],
        ["/app/charges", index],
      ] as const) {
        const br = await readRaw(port, path, "gzip, deflate, br")
        expect([br.headers["content-encoding"], br.headers.vary]).toEqual(["br", "Accept-Encoding"])
        expect(brotliDecompressSync(br.body).toString()).toBe(text)
        const gzipped = await readRaw(port, path, "gzip, br;q=0")
        expect(gzipped.headers["content-encoding"]).toBe("gzip")
        expect(gunzipSync(gzipped.body).toString()).toBe(text)
        expect(br.body.length).toBeLessThan(gzipped.body.length)
        const plain = await readRaw(port, path, "identity")
        expect([plain.headers["content-encoding"], plain.body.toString()]).toEqual([undefined, text])
        expect(new Set([br, gzipped, plain].map(({ headers }) => headers.etag)).size).toBe(1)
      }
      const picturePath = "/app/assets/picture-1.png"
      const shown = await readRaw(port, picturePath, "br, gzip")
      expect([shown.headers["content-encoding"], shown.headers.vary]).toEqual([undefined, undefined])
      expect(shown.body.equals(picture)).toBe(true)
    }),
  )

  it.live(
    "a client that has the file gets 304 without a body, and HEAD has GET's headers",
    inApp(async (origin) => {
      for (const path of ["/app", "/app/charges", "/app/assets/index-1.js"]) {
        const head = await read(origin + path, {}, "HEAD")
        expect([head.status, head.text]).toEqual([200, ""])
        const etag = head.headers.get("etag") ?? ""
        expect(etag).toMatch(/^W\/"[0-9a-f]{32}"$/)
        const known = await read(origin + path, { "if-none-match": etag })
        expect([known.status, known.text]).toEqual([304, ""])
        for (const name of ["etag", "cache-control", "vary", "content-length", "content-security-policy"]) {
          expect([name, known.headers.get(name)]).toEqual([name, head.headers.get(name)])
        }
        expect((await read(origin + path, { "if-none-match": '"other"' })).status).toBe(200)
      }
    }),
  )

  it.live(
    "a file that the build does not have is 404, whatever its name tries",
    inApp(async (origin, port) => {
      const names = [
        ...["other.js", "", "index-1.js/", "index-1.js.br", "../index.html", "..%2f..%2fpackage.json"],
        ...["..%2findex.html", "%2e%2e/manifest.json", "..%5cmanifest.json", ".vite/manifest.json", "%00"],
      ]
      for (const name of names) {
        const { status, body } = await readRaw(port, `/app/assets/${name}`)
        expect([name, status]).toEqual([name, 404])
        expect(JSON.parse(body.toString()).error.code).toBe("resource_not_found")
      }
      for (const path of ["/app/manifest.json", "/app/.vite/manifest.json"]) {
        expect((await read(origin + path)).text).toBe(index)
      }
      expect((await read(`${origin}/application`)).status).toBe(404)
      const posted = await read(`${origin}/app/sign-in`, {}, "POST")
      expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"])
    }),
  )

  it.live(
    "browsers are sent from / to /app; others are told that nothing is there",
    inApp(async (origin) => {
      const accept = "text/html,application/xhtml+xml,*/*;q=0.8"
      for (const method of ["GET", "HEAD"]) {
        const sent = await read(`${origin}/`, { accept }, method)
        expect([sent.status, sent.headers.get("location")]).toEqual([302, "/app"])
        expect(sent.headers.get("vary")).toBe("Accept")
      }
      for (const other of ["*/*", "application/json"]) {
        const told = await read(`${origin}/`, { accept: other })
        expect([told.status, JSON.parse(told.text).error.code]).toEqual([404, "resource_not_found"])
      }
    }),
  )

  it.live(
    "below a path of PUBLIC_URL the page's links and the redirect begin with that path",
    inApp(
      async (origin) => {
        const { text, headers } = await read(`${origin}/app/charges`)
        expect([...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link]) => link)).toEqual([
          "/corrente/app/assets/icon-1.svg",
          "/corrente/app/assets/index-1.js",
        ])
        expect(headers.get("content-encoding")).toBe("gzip")
        const sent = await read(`${origin}/`, { accept: "text/html" })
        expect(sent.headers.get("location")).toBe("/corrente/app")
      },
      { publicUrl: "https://pay.example.com/corrente" },
    ),
  )

  it.live(
    "without a build, /app answers 503 with a page that names the command, and files are 404",
    inApp(
      async (origin) => {
        for (const path of ["/app", "/app/charges"]) {
          const { status, headers, text } = await read(origin + path)
          expect([status, headers.get("cache-control")]).toEqual([503, "no-store"])
          expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
          expect(headers.get("content-security-policy")).toContain("default-src 'self'")
          expect(text).toContain("<code>npm run build</code>")
        }
        expect((await read(`${origin}/app/assets/index-1.js`)).status).toBe(404)
      },
      { isBuilt: false },
    ),
  )
})

describe("a build that cannot be read", () => {
  const folder = () => mkdtempSync(join(tmpdir(), "corrente-pages-"))
  const write = (pages: string, manifest: unknown) => {
    writeFileSync(join(pages, "manifest.json"), JSON.stringify(manifest))
  }
  const file = { path: "index.html", contentType: "text/html", sha256: "00", isCompressed: false }

  it.each([
    ["an empty folder", () => {}],
    [
      "a link to nothing",
      (pages: string) => {
        rmSync(pages, { recursive: true })
        symlinkSync("nothing", pages)
      },
    ],
    ["a manifest of another form", (pages: string) => write(pages, { entries: [] })],
    ["a file that is missing", (pages: string) => write(pages, { files: [file] })],
    ["no page", (pages: string) => write(pages, { files: [] })],
  ])("%s counts as none", (_, spoil) => {
    const pages = folder()
    try {
      spoil(pages)
      expect(readPagesBuild(pages)).toBeUndefined()
    } finally {
      rmSync(pages, { recursive: true, force: true })
    }
  })
})
