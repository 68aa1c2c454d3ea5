import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { parser } from "@prometheus-io/lezer-promql"
import { describe, expect, it } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { builds } from "../../scripts/setUp/builds.mjs"
import { composeService, composeServices } from "./composeFile.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), "utf8")

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly description: string }
}
const { groups } = parse(read("deploy/prometheus/alerts.yml")) as {
  readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<Rule> }>
}
const rules = groups.flatMap((group) => group.rules)

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: ReadonlyArray<{ readonly expr: string }>
}
const { panels } = JSON.parse(read("deploy/grafana/dashboards/corrente.json")) as {
  readonly panels: ReadonlyArray<Panel>
}
/** Grafana replaces its variables before Prometheus sees them. */
const queries = panels
  .flatMap(({ targets = [] }) => targets)
  .map(({ expr }) => expr.replaceAll("$__rate_interval", "1m"))

/** The metrics that a query names; throws where it is no PromQL. */
const metricsOf = (query: string): ReadonlyArray<string> => {
  const names: Array<string> = []
  parser.parse(query).iterate({
    enter: ({ type, from, to, name }) => {
      if (type.isError) throw new Error(`${query} is no PromQL at ${from}`)
      const text = query.slice(from, to)
      if (name === "Identifier" && text.startsWith("corrente_")) names.push(text)
    },
  })
  return names
}

/** Names and labels of the metrics as the page of operations has them, which a test compares with scrapes. */
const section = /\n## Metrics\n(.*?)\n## Log\n/s.exec(read("docs/operations.md"))?.[1] ?? ""
const documented = new Map(
  section.split("\n").flatMap((line) => {
    const [, names = "", labels = "", what = ""] = line.split("|")
    const found = line.startsWith("| `corrente_") ? (names.match(/corrente_\w+/g) ?? []) : []
    return found.map((name) => [name, { labels: labels.match(/\w+/g) ?? [], what }] as const)
  }),
)

/** The documented name of a metric of a query: a histogram's series have other names. */
const familyOf = (metric: string): string =>
  documented.has(metric) ? metric : metric.replace(/_(?:bucket|sum|count)$/, "")

describe("alerts and the dashboard", () => {
  it("alerts and the dashboard are PromQL, and name only metrics that exist", () => {
    const named = [...rules.map(({ expr }) => expr), ...queries].flatMap(metricsOf)
    expect(named.length).toBeGreaterThan(50)
    expect(named.filter((metric) => !documented.has(familyOf(metric)))).toEqual([])
  })

  it("what is no PromQL is noticed", () => {
    expect(() => metricsOf("sum(rate(corrente_http_requests_total[5m])")).toThrow("no PromQL")
  })

  it("counters are asked for their rate or increase, and nothing else is", () => {
    for (const query of [...rules.map(({ expr }) => expr), ...queries]) {
      const rated = [...query.matchAll(/\b(?:rate|increase)\((corrente_\w+)/g)].map(
        ([, metric = ""]) => metric,
      )
      const counters = metricsOf(query).filter((metric) => /_(?:total|bucket|count)$/.test(metric))
      expect(counters.toSorted(), query).toEqual(rated.toSorted())
    }
  })

  it("they group by labels that the metrics have", () => {
    const known = new Set([...documented.values()].flatMap(({ labels }) => labels).concat("le", "instance"))
    for (const query of [...rules.map(({ expr }) => expr), ...queries]) {
      const labels = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(/,\s*/))
      expect(
        labels.filter((label) => !known.has(label)),
        query,
      ).toEqual([])
    }
  })

  it("the dashboard shows every documented metric", () => {
    const shown = new Set(queries.flatMap(metricsOf).map(familyOf))
    const hidden = [...documented.keys()].filter((name) => !shown.has(name))
    expect(hidden).toEqual(["corrente_scrape_process"])
  })

  it("panels have ids of their own and do not overlap", () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)}:${y + Math.floor(i / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
  })

  it("each alert has a name of its own, a severity, and says what to do", () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
    for (const { alert, labels, annotations } of rules) {
      expect(alert).toMatch(/^Corrente[A-Z]\w+$/)
      expect(["critical", "warning"]).toContain(labels.severity)
      expect(annotations.summary.length * annotations.description.length).toBeGreaterThan(0)
    }
  })
})

describe("the image", () => {
  const dockerfile = read("deploy/Dockerfile").replaceAll("\\\n", "")
  const lines = dockerfile.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  const last = (instruction: string) =>
    lines.findLast((line) => line.startsWith(`${instruction} `))?.slice(instruction.length + 1)

  const copied = lines
    .filter((line) => line.startsWith("COPY ") && !line.includes("--from="))
    .flatMap((line) => line.split(" ").slice(1, -1))

  it("the image copies what exists and what the build context has", () => {
    const context = read(".dockerignore").split("\n")
    for (const path of copied) {
      expect(existsSync(join(root, path)), path).toBe(true)
      expect(context).toContain(`!${path.replace(/^\.\//, "")}`)
    }
  })

  it("the image has the builds, made of all their sources", () => {
    for (const path of Object.values(builds).flatMap(({ sources }) => sources)) {
      const name = relative(root, path)
      expect([name, copied.some((there) => `${name}/`.startsWith(`${there}/`))]).toEqual([name, true])
    }
    expect(dockerfile).toContain("node scripts/web/build.ts")
    expect(dockerfile).toContain("node scripts/programs/build.ts && cp -rL dist /dist\n")
    expect(dockerfile).toContain("COPY --from=build /dist ./dist\n")
  })

  it("the image starts the service as `npm start` does, not as root, on Node 22", () => {
    const { scripts, engines } = JSON.parse(read("package.json"))
    const command = JSON.parse(last("CMD") ?? "") as ReadonlyArray<string>
    expect(scripts.start).toBe(
      `exec ${command.join(" ").replace(" dist/", " scripts/with-node22.mjs dist/")}`,
    )
    expect(last("USER")).toBe("node")
    expect(last("FROM")).toMatch(/^node:22\./)
    expect(engines.node).toContain("22")
    expect(dockerfile).toContain("NODE_ENV=production")
  })

  it("the image's health check asks /health", () => {
    const check = JSON.parse(
      /CMD (\[.*\])/.exec(last("HEALTHCHECK") ?? "")?.[1] ?? "",
    ) as ReadonlyArray<string>
    expect(check.slice(0, 2)).toEqual(["node", "-e"])
    const script = check[2] ?? ""
    expect(script).toContain("/health`")
    expect(() => new Function(script)).not.toThrow()
  })
})

describe("the profile observability", () => {
  const profiled = composeServices.filter(([, { profiles }]) => profiles?.includes("observability"))
  const prometheus = parse(read("deploy/prometheus/prometheus.yml"))

  it("the profile observability starts Prometheus and Grafana, and nothing else needs it", () => {
    expect(profiled.map(([name, { profiles }]) => [name, profiles])).toEqual([
      ["prometheus", ["observability"]],
      ["grafana", ["observability"]],
    ])
  })

  it("it mounts files that exist, and the service is built from the Dockerfile", () => {
    const mounted = profiled.flatMap(([, { volumes = [] }]) =>
      volumes.map((volume) => volume.split(":")[0] ?? ""),
    )
    const own = mounted.filter((path) => path.startsWith("./"))
    expect(own.length).toBe(3)
    for (const path of own) expect(existsSync(join(root, path)), path).toBe(true)
    expect(composeService("app").build?.dockerfile).toBe("deploy/Dockerfile")
  })

  it("Prometheus scrapes the service with the token that the service wants", () => {
    const [scrape] = prometheus.scrape_configs
    expect(scrape.static_configs[0].targets).toEqual([`app:${composeService("app").environment?.PORT}`])
    const { entrypoint = [], environment } = composeService("prometheus")
    const file = scrape.authorization.credentials_file
    expect(entrypoint.join("\n")).toContain(`printf %s "$$METRICS_TOKEN" >${file}`)
    expect(environment?.METRICS_TOKEN).toBe(composeService("app").environment?.METRICS_TOKEN)
    expect(rules.some(({ expr }) => expr.includes(`job="${scrape.job_name}"`))).toBe(true)
    for (const file of prometheus.rule_files)
      expect(existsSync(join(root, "deploy/prometheus", file))).toBe(true)
  })

  it("every file of deploy/ that is YAML can be read", () => {
    const files = readdirSync(join(root, "deploy"), { recursive: true, encoding: "utf8" })
    const yaml = files.filter((file) => file.endsWith(".yml"))
    expect(yaml.length).toBeGreaterThan(4)
    for (const file of yaml) {
      for (const document of parseAllDocuments(read(join("deploy", file))))
        expect([file, document.errors, typeof document.toJS()]).toEqual([file, [], "object"])
    }
  })
})
