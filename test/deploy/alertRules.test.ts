import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"

const root = fileURLToPath(new URL("../..", import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), "utf8")
const run = (command: string, ...args: ReadonlyArray<string>) => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: "utf8" })
  return { status, said: `${stdout}${stderr}` }
}

const rulesFile = "deploy/prometheus/alerts.yml"
const testsFile = "test/deploy/alertRules.yml"

/** `.ci/run` fetches it first; `npm test` takes what is there. */
const found = spawnSync("scripts/promtool.sh", ["--there"], { cwd: root, encoding: "utf8" })
const promtool = found.stdout.trim()
const where = found.status === 0 ? "" : ` (skipped: ${found.stderr.trim()})`

describe.skipIf(found.status !== 0)(`promtool${where}`, () => {
  it("promtool accepts the rules and the configuration", () => {
    expect(run(promtool, "check", "rules", rulesFile)).toMatchObject({ status: 0 })
    const config = ["check", "config", "--syntax-only", "deploy/prometheus/prometheus.yml"]
    expect(run(promtool, ...config)).toMatchObject({ status: 0 })
  })

  it("every alert is silent and fires when its unit tests say so, with their words", () => {
    expect(run(promtool, "test", "rules", testsFile)).toMatchObject({ status: 0 })
  })

  it("an alert that fires later than its unit test says is noticed", () => {
    const folder = mkdtempSync(join(tmpdir(), "alerts-"))
    try {
      const late = read(rulesFile).replace("for: 1m", "for: 30m")
      writeFileSync(join(folder, "alerts.yml"), late)
      writeFileSync(join(folder, "tests.yml"), read(testsFile).replace(`../../${rulesFile}`, "alerts.yml"))
      const { status, said } = run(promtool, "test", "rules", join(folder, "tests.yml"))
      expect(status).not.toBe(0)
      expect(said).toContain("alertname: CorrenteDown, time: 3m30s")
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe("unit tests of alerts", () => {
  interface Groups {
    readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<{ readonly alert: string }> }>
  }
  interface Tested {
    readonly alertname: string
    readonly exp_alerts: ReadonlyArray<unknown>
  }

  it("every alert has a unit test in which it is silent, and one in which it fires", () => {
    const alerts = (parse(read(rulesFile)) as Groups).groups.flatMap(({ rules }) =>
      rules.map(({ alert }) => alert),
    )
    const { tests } = parse(read(testsFile)) as {
      readonly tests: ReadonlyArray<{ readonly alert_rule_test: ReadonlyArray<Tested> }>
    }
    const tested = tests.flatMap(({ alert_rule_test }) => alert_rule_test)
    const names = (fires: boolean) =>
      new Set(
        tested.filter(({ exp_alerts }) => exp_alerts.length > 0 === fires).map(({ alertname }) => alertname),
      )
    expect([...names(true)].toSorted()).toEqual(alerts.toSorted())
    expect([...names(false)].toSorted()).toEqual(alerts.toSorted())
  })
})

describe("Prometheus of the profile observability", () => {
  interface Compose {
    readonly services: { readonly prometheus: { readonly entrypoint: ReadonlyArray<string> } }
  }
  const { entrypoint } = (parse(read("docker-compose.yml")) as Compose).services.prometheus

  /** Runs the entry point with `echo` in place of Prometheus and a file in place of the token's. */
  const start = (token: string | undefined, file: string) => {
    const [shell = "", option = "", script = ""] = entrypoint
    const here = script
      .replaceAll("$$", "$")
      .replaceAll("/run/secrets/metrics_token", file)
      .replace("exec /bin/prometheus", "exec echo")
    const env = { PATH: process.env.PATH, ...(token === undefined ? {} : { METRICS_TOKEN: token }) }
    const { status, stdout, stderr } = spawnSync(shell, [option, here], { env, encoding: "utf8" })
    return { status, said: `${stdout}${stderr}` }
  }

  it("Prometheus says that METRICS_TOKEN is missing instead of being refused by every scrape", () => {
    for (const missing of [undefined, ""]) {
      const { status, said } = start(missing, "/nowhere/token")
      expect(status).toBe(1)
      expect(said).toMatch(/^METRICS_TOKEN is not set/)
    }
  })

  it("Prometheus reads the token from a file that nobody else may read", () => {
    const folder = mkdtempSync(join(tmpdir(), "token-"))
    try {
      const file = join(folder, "token")
      const { status, said } = start("0123456789abcdef", file)
      expect([status, said]).toEqual([
        0,
        "--config.file=/etc/prometheus/prometheus.yml --storage.tsdb.path=/prometheus\n",
      ])
      expect(readFileSync(file, "utf8")).toBe("0123456789abcdef")
      expect(statSync(file).mode & 0o777).toBe(0o600)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
