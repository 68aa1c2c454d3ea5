import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"

const root = fileURLToPath(new URL("../..", import.meta.url))
const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

interface Component {
  readonly name: string
  readonly hashes?: ReadonlyArray<{ readonly alg: string; readonly content: string }>
  readonly properties: ReadonlyArray<{ readonly name: string; readonly value: string }>
}
interface LockedPackage {
  readonly dev?: boolean
  readonly version?: string
  readonly integrity?: string
}
const { packages } = JSON.parse(read("package-lock.json")) as {
  readonly packages: Readonly<Record<string, LockedPackage>>
}
/** The hash of a package as an SBOM has it. */
const hashOf = ({ integrity = "" }: LockedPackage): string =>
  Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex")

describe("the list of packages in a release", () => {
  it("the SBOM has every package with its hash, and says which ones the service does without", () => {
    const { status, stdout, stderr } = spawnSync("npm", ["run", "--silent", "sbom"], {
      cwd: root,
      encoding: "utf8",
    })
    expect([status, stderr]).toEqual([0, ""])
    const sbom = JSON.parse(stdout)
    expect([sbom.bomFormat, sbom.metadata.component.purl]).toEqual(["CycloneDX", "pkg:npm/corrente@0.1.0"])
    // The workspace of the tests is a folder.
    const components = (sbom.components as ReadonlyArray<Component>).filter(
      ({ hashes }) => hashes !== undefined,
    )
    const isForDevelopment = new Map(
      components.map(({ hashes = [], properties }) => [
        hashes.find(({ alg }) => alg === "SHA-512")?.content,
        properties.some(({ name }) => name === "cdx:npm:package:development"),
      ]),
    )
    const locked = Object.entries(packages).filter(([, { integrity }]) => integrity !== undefined)
    const wrong = locked.filter(([, one]) => isForDevelopment.get(hashOf(one)) !== (one.dev === true))
    expect(wrong).toEqual([])
    expect(isForDevelopment.size).toBe(new Set(locked.map(([, one]) => hashOf(one))).size)
    expect(components.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["effect", "ioredis", "undici", "vitest"]),
    )
  })

  it("a release is made of a tag, with the SBOM, by a job that alone may write", () => {
    const workflow = parse(read(".github/workflows/release.yml"))
    expect(workflow.on).toEqual({ push: { tags: ["v*"] } })
    expect(workflow.permissions).toEqual({ contents: "read" })
    const steps: ReadonlyArray<{ readonly run?: string }> = workflow.jobs.release.steps
    const commands = steps.flatMap(({ run = [] }) => run)
    expect(commands[0]).toBe("npm run --silent sbom >sbom.cdx.json")
    expect(commands[1]).toMatch(/^gh release create "\$GITHUB_REF_NAME" .* sbom\.cdx\.json$/)
  })
})
