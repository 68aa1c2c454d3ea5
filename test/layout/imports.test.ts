import { describe, expect, it } from "vitest"
import { documents } from "./documents.ts"
import { importsOf, isOurs, type Source, sourcesOf } from "./sources.ts"

const sources = sourcesOf(["schema", "actors", "src", "cli"])

/**
 * Which part may import which (`docs/architecture.md#layers`): schema <- actors <- src <- cli; inside src the rows below, each part
 * all of the rows above its own. Parts of one row are siblings and do not know each other.
 */
const rowsOfSrc: ReadonlyArray<ReadonlyArray<string>> = [
  ["src/env", "src/crypto", "src/load", "src/pixCode", "src/httpClient"],
  ["src/acquirers"],
  ["src/config"],
  ["src/store"],
  ["src/mail"],
  [
    ...["src/feed", "src/delivery", "src/scheduler", "src/accounts", "src/audit", "src/closings"],
    ...["src/exports", "src/freeze", "src/payments", "src/start", "src/tracing"],
  ],
  ["src/http"],
  // The wiring: /ready's checks, fault points around the ports, the service as one layer, and the programs that run it.
  ["src/readiness.ts", "src/faults", "src/scrape"],
  ["src/service.ts"],
  ["src/processes"],
  // The programs; and the client, which knows none of them.
  ["src/main.ts", "src/ops", "client/src"],
  ["cli"],
]

/** Inside actors: ports import only values, the runtime imports no other part, and the kinds of actors do not import each other. */
const rowsOfActors: ReadonlyArray<ReadonlyArray<string>> = [
  ["actors/values", "actors/metrics"],
  ["actors/ports", "actors/runtime", "actors/delivery"],
  ["actors/event", "actors/timers"],
  ["actors/seller", "actors/endpoint"],
  ["actors/bulk", "actors/inbox", "actors/sweeps"],
]

/** The part a file belongs to: schema, cli, or a folder or file right below actors, src or client. */
const partOf = (path: string): string =>
  /^(?:schema|cli)(?=\/)/.exec(path)?.[0] ?? path.split("/").slice(0, 2).join("/")

const rows = [["schema"], ...rowsOfActors, ...rowsOfSrc]
const rowOf = (part: string): number => rows.findIndex((row) => row.includes(part))
const isActor = (part: string) => part.startsWith("actors/")

const mayImport = (from: string, to: string): boolean => from === to || rowOf(to) < rowOf(from)

/** Which packages the folders may use; Node's own modules are free in src alone. */
const packages: ReadonlyArray<readonly [string, RegExp]> = [
  ["schema/", /^effect(\/|$)/],
  ["actors/", /^(effect(\/|$)|node:crypto$)/],
]
/** Packages that one part keeps to itself, so that the rest need not know them. */
const owners: Readonly<Record<string, ReadonlyArray<string>>> = {
  ioredis: ["src/store", "src/start"],
  "uWebSockets.js": ["src/http"],
  undici: ["src/httpClient", "src/delivery", "src/acquirers", "cli"],
  qr: ["src/pixCode"],
  "@simplewebauthn/server": ["src/accounts"],
  bcryptjs: ["src/accounts"],
  otplib: ["src/accounts"],
  piscina: ["src/accounts", "src/payments"],
  pdfkit: ["src/payments"],
  "redis-om": ["src/store"],
  nodemailer: ["src/mail"],
  cookie: ["src/http"],
  fflate: ["src/exports"],
}

/** The imports that `isFine` refuses, each as `from -> to`. */
const offending = (isFine: (source: Source, target: string) => boolean): ReadonlyArray<string> =>
  sources.flatMap((source) =>
    importsOf(source)
      .filter((target) => !isFine(source, target))
      .map((target) => `${source.path} -> ${target}`),
  )

describe("imports", () => {
  it("imports are read from the sources", () => {
    expect(sources.length).toBeGreaterThan(100)
    expect(sources.flatMap((source) => importsOf(source)).filter(isOurs).length).toBeGreaterThan(300)
  })

  it("every source belongs to a part in the table of layers", () => {
    expect([...new Set(sources.map(({ path }) => partOf(path)))].filter((part) => rowOf(part) < 0)).toEqual(
      [],
    )
  })

  it("imports run one way: schema <- actors <- src <- cli, inside them by the table, and never between siblings", () => {
    expect(
      offending(({ path }, target) => !isOurs(target) || mayImport(partOf(path), partOf(target))),
    ).toEqual([])
  })

  it("imports name the project's files by paths that end in .ts, and none of tests, benches or scripts", () => {
    const isFine = /^(?:(?:schema|actors|src|cli)\/.*\.ts|client\/src\/index\.ts)$/
    expect(offending((_, target) => !isOurs(target) || isFine.test(target))).toEqual([])
  })

  it("schema imports no package but Effect, and actors add only a cache and node:crypto", () => {
    expect(
      offending(({ path }, target) =>
        packages.every(
          ([folder, allowed]) => isOurs(target) || !path.startsWith(folder) || allowed.test(target),
        ),
      ),
    ).toEqual([])
  })

  it("a package with an owner is imported by its owner alone", () => {
    expect(offending(({ path }, target) => owners[target]?.includes(partOf(path)) ?? true)).toEqual([])
  })
})

describe("the pages", () => {
  const pages = sourcesOf(["web/src"], [".ts", ".tsx"])

  it("pages load themselves, the client, the contract and their few packages: what a build is named after, and no server", () => {
    expect(pages.length).toBeGreaterThan(20)
    const mayLoad =
      /^(?:web\/src\/|client\/src\/|schema\/|@?preact\b|@simplewebauthn\/browser$|uplot\b|qr$|src\/mail\/deviceName\.ts$)/
    const found = pages.flatMap((source) =>
      importsOf(source, { loadedOnly: true })
        .filter((target) => !mayLoad.test(target))
        .map((target) => `${source.path} -> ${target}`),
    )
    expect(found).toEqual([])
  })

  it("what pages load of the contract loads no package, so that browsers need not load Effect", () => {
    const contract = new Map(sourcesOf(["schema"]).map((source) => [source.path, source]))
    const loaded = (source: Source) => importsOf(source, { loadedOnly: true })
    const reached = new Set(pages.flatMap(loaded).filter((target) => contract.has(target)))
    const found: Array<string> = []
    for (const path of reached) {
      const source = contract.get(path)
      for (const target of source === undefined ? [] : loaded(source)) {
        if (contract.has(target)) reached.add(target)
        else found.push(`${path} -> ${target}`)
      }
    }
    expect(reached.size).toBeGreaterThan(1)
    expect(found).toEqual([])
  })
})

/** The parts in each row of the table of layers in docs/architecture.md. */
const documentedRows = (): ReadonlyArray<ReadonlyArray<string>> => {
  const page = documents.find(({ path }) => path === "docs/architecture.md")?.text ?? ""
  const table = page.slice(page.indexOf("| row | parts | what |")).split("\n\n")[0] ?? ""
  return [...table.matchAll(/^\| \d+ \| ([^|]+) \|/gm)].map(([, parts = ""]) =>
    [...parts.matchAll(/`([^`]+)`/g)].map(([, part = ""]) => part).toSorted(),
  )
}

describe("the table of layers", () => {
  it("the table of layers in docs/architecture.md has the rows that imports are held to", () => {
    expect(documentedRows()).toEqual(rows.map((row) => row.toSorted()))
  })

  it("the table of layers lets a part import those above it, not those below or beside it", () => {
    expect(mayImport("src/http", "src/store")).toBe(true)
    expect(mayImport("src/store", "src/http")).toBe(false)
    expect(mayImport("src/feed", "src/delivery")).toBe(false)
    expect(mayImport("src/main.ts", "src/http")).toBe(true)
    expect(mayImport("cli", "client/src")).toBe(true)
    expect(mayImport("src/ops", "client/src")).toBe(false)
    expect(mayImport("actors/seller", "src/store")).toBe(false)
    expect(mayImport("schema", "actors/ports")).toBe(false)
    expect(rows.flat().filter(isActor).length).toBe(12)
  })
})
