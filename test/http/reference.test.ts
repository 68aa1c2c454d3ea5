import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import { openApiDocument } from "../../schema/api/openapi.ts"
import type { OpenApiDocument } from "../../schema/api/openapiTypes.ts"
import { eventCatalog } from "../../schema/events.ts"
import { codingOf } from "../../src/http/server/compressed.ts"
import { type Fixture, inFixture } from "./fixture.ts"

const folder = new URL("../../src/http/docs/reference/", import.meta.url)
const source = JSON.parse(readFileSync(new URL("source.json", folder), "utf8"))
const bundle = gunzipSync(readFileSync(new URL("api-reference.js.gz", folder)))

/** Paths, from the root, of what the page loads. */
const filesOf = async ({ origin }: Fixture): Promise<ReadonlyArray<string>> => {
  const text = await (await fetch(`${origin}/docs/try`)).text()
  return [...text.matchAll(/(?:src|href)="(files\/[^"]+)"/g)].map(([, path]) => `/docs/${path}`)
}

describe("the page of /docs/try", () => {
  it.live(
    "/docs/try runs only scripts that the service serves, none of its own, and calls nobody else",
    inFixture(async ({ origin }) => {
      const docs = await fetch(`${origin}/docs/try`)
      const policy = docs.headers.get("content-security-policy") ?? ""
      expect(policy).toMatch(/^default-src 'none'; script-src 'self'; /)
      expect(policy).toMatch(/; connect-src 'self'; /)
      expect(policy).not.toContain("unsafe-eval")
      const text = await docs.text()
      expect(text).not.toMatch(/<script(?! src="files\/)|<script[^>]*>[^<]|\son\w+=|style=/i)
      expect(text).toContain('<a href="plain">')
    }),
  )

  it.live(
    "each of its files is kept for ever under a path that names its bytes",
    inFixture(async (fixture) => {
      const files = await filesOf(fixture)
      expect(files.map((path) => path.split("/").at(-1))).toEqual([
        "page.css",
        "api-reference.js",
        "start.js",
      ])
      for (const path of files) {
        const file = await fetch(`${fixture.origin}${path}`)
        expect(file.status).toBe(200)
        expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
        expect(file.headers.get("content-encoding")).toBe("gzip")
        expect(file.headers.get("vary")).toBe("Accept-Encoding")
        const hash = createHash("sha256")
          .update(Buffer.from(await file.arrayBuffer()))
          .digest("hex")
        expect(path).toContain(`/${hash.slice(0, 32)}/`)
      }
    }),
  )

  it("the bundle is the one whose hash the repository names", () => {
    expect(source.package).toBe("@scalar/api-reference")
    expect(createHash("sha256").update(bundle).digest("hex")).toBe(source.sha256)
    expect(bundle.toString()).not.toContain("sourceMappingURL")
  })
})

describe("compressed documents", () => {
  it.live(
    "a client that takes no gzip gets the plain bytes",
    inFixture(async (fixture) => {
      const [style = "", script = ""] = await filesOf(fixture)
      for (const path of [style, script, "/docs/openapi.json"]) {
        const identity = { "accept-encoding": "identity" }
        const plain = await fetch(`${fixture.origin}${path}`, { headers: identity })
        expect(plain.headers.get("content-encoding")).toBeNull()
        const gzipped = await fetch(`${fixture.origin}${path}`)
        expect(gzipped.headers.get("content-encoding")).toBe("gzip")
        expect((await gzipped.text()) === (await plain.text())).toBe(true)
      }
    }),
  )

  it.live(
    "a client that has the document gets 304 without a body, and HEAD has GET's headers",
    inFixture(async (fixture) => {
      for (const path of [...(await filesOf(fixture)), "/docs/openapi.json"]) {
        const url = `${fixture.origin}${path}`
        const head = await fetch(url, { method: "HEAD" })
        expect([head.status, await head.text()]).toEqual([200, ""])
        const etag = head.headers.get("etag") ?? ""
        expect(etag).toMatch(/^W\/"[0-9a-f]{32}"$/)
        for (const names of [etag, etag.slice(2), `"other", ${etag}`, "*"]) {
          const known = await fetch(url, { headers: { "if-none-match": names } })
          expect([known.status, await known.text()]).toEqual([304, ""])
          for (const name of ["etag", "cache-control", "vary", "content-length"]) {
            expect([name, known.headers.get(name)]).toEqual([name, head.headers.get(name)])
          }
        }
        const other = await fetch(url, { headers: { "if-none-match": '"other"' } })
        expect(other.status).toBe(200)
        await other.arrayBuffer()
      }
    }),
  )

  it("gzip is taken where Accept-Encoding gives it or * a weight above zero", () => {
    for (const accepted of ["gzip", "br, gzip;q=0.1", "deflate,GZIP", "*", "identity;q=0, *;q=0.5"]) {
      expect([accepted, codingOf(accepted, ["gzip"])]).toEqual([accepted, "gzip"])
    }
    for (const accepted of ["", "br", "gzip;q=0", "gzip;q=0, *", "*;q=0", "x-gzip"]) {
      expect([accepted, codingOf(accepted, ["gzip"])]).toEqual([accepted, undefined])
    }
  })

  it("of several codings the heaviest is taken, and of equal ones the first offered", () => {
    for (const accepted of ["gzip, deflate, br, zstd", "*", "br;q=0.5, gzip;q=0.5", "gzip;q=0.2, *;q=0.3"]) {
      expect([accepted, codingOf(accepted, ["br", "gzip"])]).toEqual([accepted, "br"])
    }
    for (const accepted of ["gzip", "gzip, br;q=0", "br;q=0.4, gzip;q=0.5"]) {
      expect([accepted, codingOf(accepted, ["br", "gzip"])]).toEqual([accepted, "gzip"])
    }
    expect(codingOf("br, gzip", [])).toBeUndefined()
  })
})

describe("what the reference shows", () => {
  it.live(
    "the reference has every operation and webhook of /openapi.json once, in one group, behind the guide",
    inFixture(async ({ origin }) => {
      const shown = (await (await fetch(`${origin}/docs/openapi.json`)).json()) as OpenApiDocument & {
        readonly "x-tagGroups": ReadonlyArray<{ readonly tags: ReadonlyArray<string> }>
      }
      const whole = openApiDocument("http://localhost:3000")
      expect(Object.keys(shown.paths)).toEqual(Object.keys(whole.paths))
      expect(Object.keys(shown.webhooks ?? {})).toEqual(Object.keys(whole.webhooks ?? {}))
      expect(shown.info.description).toContain("# In ten minutes")
      const grouped = shown["x-tagGroups"].flatMap(({ tags }) => tags)
      expect(new Set(grouped).size).toBe(grouped.length)
      for (const methods of Object.values(shown.paths)) {
        for (const { tags } of Object.values(methods)) {
          expect(tags).toHaveLength(1)
          expect(grouped).toContain(tags[0])
        }
      }
    }),
  )

  it.live(
    "/docs/events shows each event type, when it happens and an example, and loads nothing",
    inFixture(async ({ origin }) => {
      const answer = await fetch(`${origin}/docs/events`)
      expect(answer.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src/)
      const text = await answer.text()
      const plain = await (await fetch(`${origin}/docs/plain`)).text()
      expect(text).not.toMatch(/<script|\ssrc=/)
      for (const { type } of eventCatalog) {
        const article = new RegExp(`<article id="${type.replace(".", "\\.")}">.*?</article>`, "s").exec(text)
        expect(article?.[0]).toContain(`&quot;type&quot;: &quot;${type}&quot;`)
        const [, anchor = ""] = /href="plain#([^"]+)"/.exec(article?.[0] ?? "") ?? []
        expect(plain).toContain(`id="${anchor}"`)
      }
    }),
  )
})
