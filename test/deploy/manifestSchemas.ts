import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Manifest } from "./kustomization.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** The module that has the schema of a kind. */
const moduleOf = ({ apiVersion, kind }: Manifest): string => {
  const family = apiVersion.startsWith("monitoring.coreos.com/")
    ? "@kubernetes-models/prometheus-operator"
    : "kubernetes-models"
  return `${family}/${apiVersion}/${kind}`
}

interface Model {
  readonly validate: () => void
}

/** What the schema of its kind says against an object: types, required members, formats. */
const violationOf = async (manifest: Manifest): Promise<string | undefined> => {
  const module = (await import(moduleOf(manifest))) as Readonly<Record<string, new (data: unknown) => Model>>
  const Kind = module[manifest.kind]
  if (Kind === undefined) return `there is no kind ${manifest.kind}`
  try {
    new Kind(manifest).validate()
    return undefined
  } catch (error) {
    return String(error)
  }
}

/** What the types of the kinds say against objects. Unlike the schemas, they know when a member is unknown. */
const typeErrorsOf = (manifests: ReadonlyArray<Manifest>): string => {
  const cache = join(root, "node_modules/.cache")
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, "corrente-manifests-"))
  const lines = manifests.flatMap((manifest, index) => [
    `import type { I${manifest.kind} as Kind${index} } from ${JSON.stringify(moduleOf(manifest))}`,
    `export const object${index}: Kind${index} = ${JSON.stringify(manifest, undefined, 1)}`,
  ])
  writeFileSync(join(folder, "manifests.ts"), lines.join("\n"))
  const { stdout } = spawnSync(
    process.execPath,
    [
      join(root, "node_modules/typescript/bin/tsc"),
      ...["--noEmit", "--ignoreConfig", "--strict", "--skipLibCheck", "--module", "nodenext"],
      ...["--target", "esnext", "--types", "", "manifests.ts"],
    ],
    { cwd: folder, encoding: "utf8" },
  )
  rmSync(folder, { recursive: true })
  return stdout
}

/** All that is wrong with objects by the schemas of Kubernetes and of the Prometheus Operator; empty if nothing is. */
export const problemsOf = async (manifests: ReadonlyArray<Manifest>): Promise<ReadonlyArray<string>> => {
  const violations = await Promise.all(
    manifests.map(async (manifest) => {
      const violation = await violationOf(manifest)
      return violation === undefined ? [] : [`${manifest.kind} ${manifest.metadata.name}: ${violation}`]
    }),
  )
  const types = typeErrorsOf(manifests).trim()
  return [...violations.flat(), ...(types === "" ? [] : types.split("\n"))]
}
