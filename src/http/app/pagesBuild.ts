import { readFileSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { Option, Schema } from "effect"
import { manifestName, storedCodings } from "./buildFiles.ts"

const Manifest = Schema.Struct({
  files: Schema.Array(
    Schema.Struct({
      /** From the root of the build: `index.html`, `assets/…`. */
      path: Schema.String,
      contentType: Schema.String,
      /** Of the plain bytes, in hex. */
      sha256: Schema.String,
      /** Whether the file is stored in each of the codings too. */
      isCompressed: Schema.Boolean,
    }),
  ),
})

/** What a build consists of. */
export type Manifest = typeof Manifest.Type

const decodeManifest = Schema.decodeUnknownOption(Schema.fromJsonString(Manifest))

/** A file of a build, in memory. */
export interface PagesFile {
  readonly path: string
  readonly contentType: string
  readonly sha256: string
  readonly plain: Uint8Array
  /** The compressed forms, in the order of {@link storedCodings}; empty if it is not compressed. */
  readonly coded: ReadonlyArray<readonly ["br" | "gzip", Uint8Array]>
}

/** A build of the pages, in memory. */
export interface PagesBuild {
  readonly index: PagesFile
  readonly others: ReadonlyArray<PagesFile>
}

const readFile = (
  folder: string,
  { path, contentType, sha256, isCompressed }: Manifest["files"][number],
): PagesFile => ({
  path,
  contentType,
  sha256,
  plain: readFileSync(join(folder, path)),
  coded: isCompressed
    ? storedCodings.map(([coding, ending]) => [coding, readFileSync(join(folder, path + ending))] as const)
    : [],
})

/** Reads a build; undefined if there is none, or not all of it. */
export const readPagesBuild = (path: string): PagesBuild | undefined => {
  try {
    // A link may lead elsewhere in the middle of reading.
    const folder = realpathSync(path)
    const manifest = decodeManifest(readFileSync(join(folder, manifestName), "utf8"))
    if (Option.isNone(manifest)) return undefined
    const files = manifest.value.files.map((file) => readFile(folder, file))
    const index = files.find(({ path }) => path === "index.html")
    return index && { index, others: files.filter((file) => file !== index) }
  } catch {
    return undefined
  }
}
