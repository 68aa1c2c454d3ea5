import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parse, parseAllDocuments } from "yaml"

/** An object of Kubernetes. Its schema is checked by the tests, so members are looked up freely. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> }
  readonly spec: Readonly<Record<string, unknown>>
  readonly data?: Readonly<Record<string, string>>
}

interface Generator {
  readonly name: string
  readonly literals?: ReadonlyArray<string>
  readonly files?: ReadonlyArray<string>
}

interface Kustomization {
  readonly resources?: ReadonlyArray<string>
  readonly components?: ReadonlyArray<string>
  readonly configMapGenerator?: ReadonlyArray<Generator>
}

/** Where the kit is. */
export const kitFolder = fileURLToPath(new URL("../../deploy/kubernetes", import.meta.url))

/** Manifests are YAML 1.1, in which 0440 is octal. */
const manifestsOf = (text: string): ReadonlyArray<Manifest> =>
  parseAllDocuments(text, { version: "1.1" }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0]
    return document.toJS() as Manifest
  })

/** What a kustomization is made of, as its files have it: its own objects, and the settings of each generated ConfigMap. */
export interface Parts {
  readonly objects: ReadonlyArray<Manifest>
  readonly configMaps: ReadonlyMap<string, Readonly<Record<string, string>>>
}

/** Reads a kustomization with all that it refers to. Generated names have no hash, and nothing is transformed. */
export const readParts = (folder: string): Parts => {
  const {
    resources = [],
    components = [],
    configMapGenerator = [],
  } = parse(readFileSync(join(folder, "kustomization.yml"), "utf8")) as Kustomization
  const objects: Array<Manifest> = []
  const configMaps = new Map<string, Readonly<Record<string, string>>>()
  for (const path of [...resources, ...components]) {
    const there = join(folder, path)
    const parts = path.endsWith(".yml")
      ? { objects: manifestsOf(readFileSync(there, "utf8")), configMaps: new Map() }
      : readParts(there)
    objects.push(...parts.objects)
    for (const [name, data] of parts.configMaps) configMaps.set(name, { ...configMaps.get(name), ...data })
  }
  for (const { name, literals = [], files = [] } of configMapGenerator) {
    const entries = [
      ...literals.map((literal) => [
        literal.slice(0, literal.indexOf("=")),
        literal.slice(literal.indexOf("=") + 1),
      ]),
      ...files.map((file) => [basename(file), readFileSync(join(folder, file), "utf8")]),
    ]
    configMaps.set(name, { ...configMaps.get(name), ...Object.fromEntries(entries) })
  }
  return { objects, configMaps }
}

/** The minor version of Kubernetes 1 that kubectl is of; 0 where there is none. */
const kubectlMinor = (): number => {
  const { status, stdout } = spawnSync("kubectl", ["version", "--client", "--output", "json"], {
    encoding: "utf8",
  })
  if (status !== 0) return 0
  const { clientVersion } = JSON.parse(stdout) as { readonly clientVersion: { readonly minor: string } }
  return Number.parseInt(clientVersion.minor, 10)
}

/** Why kustomizations cannot be built here; empty where they can. The kit is for Kubernetes 1.30 or later. */
export const whyNotBuilt = kubectlMinor() >= 30 ? "" : " (skipped: no kubectl 1.30 or later is on the PATH)"

/** Builds a kustomization as `kubectl apply -k` does. */
export const build = (folder: string): ReadonlyArray<Manifest> => {
  const { status, stdout, stderr } = spawnSync("kubectl", ["kustomize", folder], { encoding: "utf8" })
  if (status !== 0) throw new Error(`kubectl kustomize ${folder}: ${stderr}`)
  return manifestsOf(stdout)
}
