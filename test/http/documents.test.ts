import { describe, expect, it } from "@effect/vitest"
import { openApiDocument } from "../../schema/api/openapi.ts"
import { openApiPart } from "../../schema/api/openapiPart.ts"
import { readers } from "../../schema/api/readers.ts"
import { curlExample } from "../../src/http/docs/curl.ts"
import { escapeHtml, proseHtml } from "../../src/http/docs/html.ts"
import { docsPage } from "../../src/http/docs/page.ts"
import { inFixture } from "./fixture.ts"

const document = openApiDocument("http://localhost:3000")
const page = docsPage(document)

describe("/openapi.json and /docs/plain", () => {
  it.live(
    "/openapi.json and /docs/plain are served whole, without a key",
    inFixture(async ({ origin }) => {
      const openapi = await fetch(`${origin}/openapi.json`)
      expect(openapi.headers.get("content-type")).toBe("application/json")
      expect(await openapi.json()).toEqual(JSON.parse(JSON.stringify(document)))
      for (const reader of readers) {
        const part = await fetch(`${origin}/openapi/${reader}.json`)
        expect(part.headers.get("access-control-allow-origin")).toBe("*")
        expect(await part.json()).toEqual(JSON.parse(JSON.stringify(openApiPart(document, reader))))
      }
      const docs = await fetch(`${origin}/docs/plain`)
      expect(docs.headers.get("content-type")).toBe("text/html; charset=utf-8")
      expect(docs.headers.get("content-security-policy")).toMatch(/^default-src 'none';/)
      expect(docs.headers.get("x-content-type-options")).toBe("nosniff")
      expect(await docs.text()).toBe(page)
    }),
  )
})

describe("the docs page", () => {
  it("the docs page loads nothing: no script, no address but those in examples", () => {
    expect(page).not.toMatch(/<script|<link(?! rel="icon" href="data:,")|@import|url\(|<img|<iframe/i)
    expect(page).not.toMatch(/(?:src|href)="(?!#|data:,|try"|\.\.\/(?:docs|openapi\.json)")/)
  })

  it("the docs page has every operation and schema once, and none of its internal links is dead", () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target)
    for (const path of Object.values(document.paths)) {
      for (const { operationId } of Object.values(path)) expect(ids).toContain(operationId)
    }
    for (const name of Object.keys(document.components.schemas)) expect(ids).toContain(`schema-${name}`)
  })

  it("the docs page escapes the text it shows", () => {
    expect(escapeHtml(`<a href="x">'&'</a>`)).toBe("&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;")
    expect(proseHtml("`<b>` is <b>")).toBe("<code>&lt;b&gt;</code> is &lt;b&gt;")
    const spoiled = { ...document, info: { ...document.info, title: "<script>alert(1)</script>" } }
    expect(docsPage(spoiled)).not.toContain("<script>")
  })

  it("a curl example can be pasted: it has the API key, the Idempotency-Key and a JSON body", () => {
    const create = document.paths["/v1/transactions"]?.post
    if (create === undefined) throw new Error("no createTransaction")
    const command = curlExample("http://localhost:3000", "post", "/v1/transactions", create)
    expect(command).toMatch(
      /^curl http:\/\/localhost:3000\/v1\/transactions \\\n {2}-H "Authorization: Bearer \$API_KEY"/,
    )
    expect(command).toContain('-H "Idempotency-Key: order-1042"')
    const body = /-d '(.*)'$/s.exec(command)?.[1] ?? ""
    expect(JSON.parse(body)).toEqual(create.requestBody?.content["application/json"]?.example)
    const retry = document.paths["/v1/webhook-deliveries/{id}/retry"]?.post
    if (retry === undefined) throw new Error("no retryDelivery")
    expect(curlExample("http://x", "post", "/v1/webhook-deliveries/{id}/retry", retry)).toMatch(
      /^curl -X POST http:\/\/x\/v1\/webhook-deliveries\/whd_\w+\/retry/,
    )
  })

  it("a curl example uses the session's cookie on session routes, and $TOKEN for a mailed token", () => {
    const command = (method: string, path: string) => {
      const operation = document.paths[path]?.[method]
      if (operation === undefined) throw new Error(`no ${method} ${path}`)
      return curlExample("http://x", method, path, operation)
    }
    expect(command("get", "/v1/me/webhook-deliveries/{id}")).toMatch(
      /^curl http:\/\/x\/v1\/me\/webhook-deliveries\/whd_\w+ \\\n {2}-b "lm.session=\$SESSION" \\\n {2}-H "X-Mode: test"$/,
    )
    expect(command("delete", "/v1/me/sessions/{id}")).toMatch(
      /^curl -X DELETE http:\/\/x\/v1\/me\/sessions\/ses_\w+ \\\n {2}-b "lm.session=\$SESSION"$/,
    )
    expect(command("get", "/v1/me/auth/invites/{token}")).toBe("curl http://x/v1/me/auth/invites/$TOKEN")
    expect(command("post", "/v1/me/auth/sign-in/email")).not.toContain("lm.session")
    expect(command("get", "/events")).toContain("Authorization: Bearer $API_KEY")
    expect(command("get", "/events")).not.toContain("lm.session")
  })

  it("the docs page says which credentials an operation takes, and whether it needs a step-up", () => {
    const articleOf = (id: string) =>
      new RegExp(`<article id="${id}">.*?</article>`, "s").exec(page)?.[0] ?? ""
    expect(articleOf("signIn")).toContain("no credential needed")
    expect(articleOf("listTransactions")).toContain(">API key<")
    expect(articleOf("streamEvents")).toContain(">API key or session<")
    expect(articleOf("createEndpoint")).toContain(">session<")
    expect(articleOf("createEndpoint")).toContain("Needs a step-up")
    expect(articleOf("listEndpoints")).not.toContain("Needs a step-up")
    expect(page).toContain("<h2>Second step</h2>")
    expect(page).toContain("lm.session")
  })

  it("the docs page's examples use the public address where one is set", () => {
    const publicPage = docsPage(openApiDocument("https://pay.example"))
    expect(publicPage).toContain("curl https://pay.example/v1/transactions")
    expect(publicPage).not.toContain("localhost")
  })
})
