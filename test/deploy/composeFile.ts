import { readFileSync } from "node:fs"
import { parse } from "yaml"

/** A service of `docker-compose.yml`, with what it takes from the one that it extends. */
export interface ComposeService {
  readonly image?: string
  readonly build?: { readonly dockerfile: string }
  readonly extends?: string
  readonly profiles?: ReadonlyArray<string>
  readonly user?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly entrypoint?: ReadonlyArray<string>
  readonly command?: ReadonlyArray<string>
  readonly ports?: ReadonlyArray<string>
  readonly volumes?: ReadonlyArray<string>
  readonly tmpfs?: ReadonlyArray<string>
  readonly networks?: ReadonlyArray<string> | Readonly<Record<string, unknown>>
  readonly depends_on?: Readonly<Record<string, unknown>>
  readonly secrets?: unknown
  readonly configs?: unknown
  readonly read_only?: boolean
  readonly security_opt?: ReadonlyArray<string>
  readonly healthcheck?: { readonly test: ReadonlyArray<string> }
}

const file = parse(readFileSync(new URL("../../docker-compose.yml", import.meta.url), "utf8")) as {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>
  readonly volumes: Readonly<Record<string, unknown>>
}

/** Where a volume of a service is mounted. */
export const mountOf = (volume: string): string => volume.split(":")[1] ?? ""

/** Compose replaces a volume of the extended service by one that is mounted at the same place. */
const volumesOf = (base: ComposeService, own: ComposeService): ReadonlyArray<string> => {
  const places = new Set(own.volumes?.map(mountOf))
  return [...(base.volumes ?? []).filter((volume) => !places.has(mountOf(volume))), ...(own.volumes ?? [])]
}

const resolved = (own: ComposeService): ComposeService => {
  if (own.extends === undefined) return own
  const parent = file.services[own.extends]
  if (parent === undefined) throw new Error(`there is no service ${own.extends} to extend`)
  const base = resolved(parent)
  return {
    ...base,
    ...own,
    environment: { ...base.environment, ...own.environment },
    depends_on: { ...base.depends_on, ...own.depends_on },
    volumes: volumesOf(base, own),
  }
}

/** All services by name, each with what it extends. */
export const composeServices: ReadonlyArray<readonly [string, ComposeService]> = Object.entries(
  file.services,
).map(([name, service]) => [name, resolved(service)])

export const composeNetworks = file.networks
export const composeVolumes = file.volumes

export const composeService = (name: string): ComposeService => {
  const found = composeServices.find(([there]) => there === name)
  if (found === undefined) throw new Error(`there is no service ${name}`)
  return found[1]
}

/** The networks that a service joins. */
export const networksOf = ({ networks = ["default"] }: ComposeService): ReadonlyArray<string> =>
  "at" in networks ? (networks as ReadonlyArray<string>) : Object.keys(networks)
