import { describe, expect, it } from "vitest"
import { openApiDocument } from "../../schema/api/openapi.ts"
import { openApiPart } from "../../schema/api/openapiPart.ts"
import type { OpenApiDocument } from "../../schema/api/openapiTypes.ts"
import { readers } from "../../schema/api/readers.ts"

const whole = openApiDocument("https://pay.example")
const parts = readers.map((reader) => ({ reader, part: openApiPart(whole, reader) }))

const operationsOf = ({ paths }: Pick<OpenApiDocument, "paths">) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
  )
const namesOf = (document: OpenApiDocument) => operationsOf(document).map(({ name }) => name)
const partFor = (reader: string) => parts.find((one) => one.reader === reader)?.part ?? whole

describe("the OpenAPI document's parts", () => {
  it("every operation is tagged by its readers and stands in the parts written for them, and in no other", () => {
    expect(whole.tags.map(({ name }) => name)).toEqual([...readers])
    for (const { name, operation } of operationsOf(whole)) {
      const inParts = parts.filter(({ part }) => namesOf(part).includes(name)).map(({ reader }) => reader)
      expect([name, inParts]).toEqual([name, [...operation.tags]])
      expect([name, operation.tags.length]).not.toEqual([name, 0])
    }
  })

  it("a part asks for the credential of its reader, and names no other", () => {
    const schemes = parts.map(({ reader, part }) => [reader, Object.keys(part.components.securitySchemes)])
    expect(schemes).toEqual([
      ["merchant", ["apiKey"]],
      ["dashboard", ["session"]],
      ["operator", ["session"]],
      ["partner", []],
    ])
    for (const { part } of parts) {
      const named = new Set(Object.keys(part.components.securitySchemes))
      for (const { name, operation } of operationsOf(part)) {
        for (const needed of operation.security) {
          expect([name, Object.keys(needed).filter((scheme) => !named.has(scheme))]).toEqual([name, []])
        }
      }
    }
    const streamIn = (reader: string) => partFor(reader).paths["/events"]?.get?.security
    expect([streamIn("merchant"), streamIn("dashboard")]).toEqual([[{ apiKey: [] }], [{ session: [] }]])
  })

  it("a part is complete and has no more: every reference leads somewhere, and every component is used", () => {
    for (const { reader, part } of [{ reader: "whole", part: whole }, ...parts]) {
      const refs = new Set(
        [...JSON.stringify(part).matchAll(/"\$ref":"#\/components\/(\w+\/\w+)"/g)].map(([, ref]) => ref),
      )
      const { securitySchemes: _, ...components } = part.components
      const named = Object.entries(components).flatMap(([kind, all]) =>
        Object.keys(all).map((name) => `${kind}/${name}`),
      )
      expect([reader, [...refs].toSorted()]).toEqual([reader, named.toSorted()])
    }
  })

  it("a merchant's part has the routes of API keys and the webhooks; others have no webhooks", () => {
    const merchant = partFor("merchant")
    expect(namesOf(merchant)).toContain("post /v1/transactions")
    expect(namesOf(merchant).filter((name) => /\/v1\/(?:me|admin|webhooks)\//.test(name))).toEqual([])
    expect(merchant.webhooks).toEqual(whole.webhooks)
    for (const reader of ["dashboard", "operator", "partner"])
      expect(partFor(reader).webhooks).toBeUndefined()
  })

  it("an operator's part has sign-in, the step-up and the probes; an acquirer's has its notices alone", () => {
    const operator = namesOf(partFor("operator"))
    for (const path of ["post /v1/me/auth/sign-in/email", "post /v1/me/auth/step-up", "get /ready"]) {
      expect(operator).toContain(path)
    }
    expect(namesOf(partFor("partner"))).toEqual(["post /v1/webhooks/{slug}", "post /v1/webhooks/{slug}/pix"])
  })
})
