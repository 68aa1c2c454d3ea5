import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { withTables } from "../../scripts/docs/redisKeys.ts"
import { listGlobalKeys, listSellerKeys } from "../../src/ops/commands/listedKeys.ts"

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8")
const keysPage = read("docs/redis-keys.md")
const operations = read("docs/operations.md")
const compose = read("docker-compose.yml")

const partitionLetters = "07"
const sellerId = `sel_01KA000000${partitionLetters}00000000000000`
const endpoint = { id: `we_01KA000000${partitionLetters}00000000000000`, mode: "test" } as const

describe("the page of Redis keys", () => {
  it("the page of Redis keys has the tables that `npm run docs:keys` makes", () => {
    expect(withTables(keysPage)).toBe(keysPage)
  })

  it("the page of Redis keys names every family of keys and channels", () => {
    const families = [...listGlobalKeys(), ...listSellerKeys(sellerId, [endpoint])]
    const beginnings = new Set(families.map(({ key }) => /^[a-z-]+:?/.exec(key)?.[0] ?? key))
    const missing = [...beginnings].filter((beginning) => !keysPage.includes(`\`${beginning}`))
    expect(missing).toEqual([])
  })

  it("the page of Redis keys says what destinations' ids begin with, and how digests are written", () => {
    for (const beginning of ["we_", "pb_", "tr_"]) expect(keysPage).toContain(`\`${beginning}\``)
    const digests = keysPage.split("\n").filter((line) => /SHA-?256|HMAC|<sha256>/.test(line))
    for (const line of digests) expect(line).toMatch(/base64url|in hex/)
  })
})

describe("the page of operations on docker compose", () => {
  const sentences = operations.slice(operations.indexOf("`docker compose up` runs")).split("\n\n")[0] ?? ""
  const setting = (name: string) => new RegExp(`^ +${name}: "?(.*?)"?$`, "m").exec(compose)?.[1]
  const byDefault = (name: string) => /:-(.*)\}$/.exec(setting(name) ?? "")?.[1] ?? setting(name)

  it("the page of operations names the compose file's version of Redis and address of the mail catcher", () => {
    expect(sentences).toContain(`Redis ${/image: redis:(\d+)/.exec(compose)?.[1]}`)
    const mailPort = /"127\.0\.0\.1:(\d+):8025"/.exec(compose)?.[1]
    expect(sentences).toContain(`http://localhost:${mailPort}`)
    expect(byDefault("SMTP_URL")).toMatch(/^smtp:\/\/mail:/)
  })

  it("the page of operations says which settings the compose file starts with", () => {
    expect(sentences).toContain(`PUBLIC_URL=${byDefault("PUBLIC_URL")}`)
    expect(setting("HOST")).toBe("0.0.0.0")
    expect(byDefault("NODE_ENV")).toBe("development")
    expect(sentences).toMatch(/a\s+development\s+setup/)
    expect(sentences).toContain("REDIS_PASSWORD=")
    for (const name of ["ENCRYPTION_KEY", "LIVE_ACQUIRER"]) {
      expect(sentences).toContain(`\`${name}\``)
      expect(byDefault(name)).toBe("")
    }
  })
})
