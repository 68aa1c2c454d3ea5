/**
 * Loaded before the service (`node --import`): its Redis functions count nothing for series and note nothing for searches, and the
 * digest of a customer's address is not computed. The service has no setting for that.
 */
import { registerHooks } from "node:module"
import { library } from "../../src/store/redis/functionLibrary.ts"

const nothing = ["count_created", "count_paid", "count_delivery", "note_lookup"]
  .map((name) => `series.${name} = function() end`)
  .join("\n")

const whole = Object.getOwnPropertyDescriptors(library)
const read = (name: "source" | "version"): string => String(whole[name].get?.call(library))
/** Another version than that of the library which `ops` has loaded, so that the service loads its own. */
const versionOf = (version: string): string => `${version}-uncounted`

Object.defineProperties(library, {
  version: { get: () => versionOf(read("version")) },
  source: {
    get: () => {
      const version = read("version")
      return `${read("source").replaceAll(`'${version}'`, `'${versionOf(version)}'`)}\n${nothing}\n`
    },
  },
})

const signature = "export const emailDigest = (document: string): string => {"
registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context)
    if (!url.endsWith("/src/store/series/chargeLookup.ts")) return loaded
    const text = String(loaded.source)
    if (!text.includes(signature)) throw new Error(`${url} has no emailDigest to leave out`)
    return { ...loaded, source: text.replace(signature, `${signature}\n  if (document !== "") return ""\n`) }
  },
})
