import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import bruno from "@usebruno/lang"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { brunoFiles } from "../../scripts/examples/brunoFiles.ts"
import { httpFile } from "../../scripts/examples/httpFile.ts"
import { merchantRequests } from "../../scripts/examples/merchantRequests.ts"
import { openStage, type Stage } from "../e2e/support/stage.ts"

const folder = fileURLToPath(new URL("../../examples/", import.meta.url))
const read = (path: string): string => readFileSync(join(folder, path), "utf8")
const requests = merchantRequests()
const stale = "is stale: run npm run examples:requests"

/** A request of an `.http` file, with these values for its variables. */
const requestOf = (text: string, name: string, values: Readonly<Record<string, string>>) => {
  const part = text.split(/^### .*$/m).find((one) => one.includes(`# @name ${name}\n`)) ?? ""
  const filled = part.replace(/\{\{(\$?\w+)\}\}/g, (_, variable: string) => values[variable] ?? "")
  const [head = "", ...body] = filled
    .replace(/^#.*\n/gm, "")
    .trim()
    .split("\n\n")
  const [line = "", ...headers] = head.split("\n")
  const [method = "", url = ""] = line.split(" ")
  const named = headers.map((header) => header.split(": ", 2) as [string, string])
  return { method, url, headers: named, ...(body.length === 0 ? {} : { body: body.join("\n\n") }) }
}

describe("the collections of requests", () => {
  it("examples/corrente.http is what the contract says", () => {
    expect(read("corrente.http"), stale).toBe(httpFile(requests))
  })

  it("examples/bruno is what the contract says", () => {
    const files = brunoFiles(requests)
    const found = readdirSync(join(folder, "bruno"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, "bruno/").length))
    expect(found.toSorted(), stale).toEqual([...files.keys()].toSorted())
    for (const [path, text] of files) expect(read(`bruno/${path}`), `${path} ${stale}`).toBe(text)
  })

  it("each request of the Bruno collection is one that Bruno reads, with every id a variable", () => {
    for (const { section, operationId, name, method, body } of requests) {
      const path = [...brunoFiles(requests).keys()].find((one) => one.endsWith(`/${operationId}.bru`)) ?? ""
      expect([section, path]).toEqual([section, expect.stringContaining("/")])
      const request = bruno.bruToJsonV2(read(`bruno/${path}`)) as {
        readonly meta: object
        readonly http: { readonly url: string }
        readonly body?: { readonly json: string }
      }
      expect(request).toMatchObject({ meta: { name }, http: { method: method.toLowerCase() } })
      expect(request.http.url).not.toMatch(/\{id\}|undefined/)
      expect(request.body?.json).toBe(body)
      expect(read(`bruno/${path}`)).not.toContain("undefined")
    }
  })
})

describe("the requests against a service", () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  it("the first request of the .http file makes a charge, and its others find it", async () => {
    const { keys } = await stage.newSeller()
    const text = read("corrente.http")
    const values = { baseUrl: stage.service.url, apiKey: keys.test, $timestamp: "1795262640" }
    const send = async (name: string, more: Readonly<Record<string, string>> = {}) => {
      const { url, ...request } = requestOf(text, name, { ...values, ...more })
      const answer = await fetch(url, request)
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    }
    expect(text.indexOf("# @name")).toBe(text.indexOf("# @name createTransaction"))
    const made = await send("createTransaction")
    expect(made).toMatchObject({ status: 201, body: { object: "transaction", mode: "test" } })
    const transactionId = String(made.body.id)
    expect(await send("getTransaction", { transactionId })).toMatchObject({ body: { id: transactionId } })
    expect((await send("payTestTransaction", { transactionId })).status).toBe(200)
    expect(await send("createRefund", { transactionId })).toMatchObject({ status: 201 })
    expect((await send("listEvents")).status).toBe(200)
  })
})
