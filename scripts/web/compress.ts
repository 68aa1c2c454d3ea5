import { createHash } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { manifestName, storedCodings } from "../../src/http/app/buildFiles.ts"
import type { Manifest } from "../../src/http/app/pagesBuild.ts"

/** Types of the files that a build may have, by their endings; `isText`: they are worth compressing. */
const types: Readonly<Record<string, { readonly contentType: string; readonly isText: boolean }>> = {
  html: { contentType: "text/html; charset=utf-8", isText: true },
  js: { contentType: "text/javascript; charset=utf-8", isText: true },
  css: { contentType: "text/css; charset=utf-8", isText: true },
  svg: { contentType: "image/svg+xml", isText: true },
  md: { contentType: "text/markdown; charset=utf-8", isText: true },
  png: { contentType: "image/png", isText: false },
  webp: { contentType: "image/webp", isText: false },
  woff2: { contentType: "font/woff2", isText: false },
}

const compressors = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
} as const

const compressFile = async (folder: string, path: string): Promise<Manifest["files"][number]> => {
  const type = types[path.split(".").at(-1) ?? ""]
  if (type === undefined)
    throw new Error(`No content type is known for ${path}: add it to ${import.meta.filename}.`)
  const { contentType, isText } = type
  const bytes = readFileSync(join(folder, path))
  if (isText) {
    await Promise.all(
      storedCodings.map(async ([coding, ending]) =>
        writeFileSync(join(folder, path + ending), await compressors[coding](bytes)),
      ),
    )
  }
  const sha256 = createHash("sha256").update(bytes).digest("hex")
  return { path, contentType, sha256, isCompressed: isText }
}

/**
 * Compresses all files of a build beside themselves, as small as they get, and writes its manifest. Folders whose names begin
 * with a dot are not served. Fails for a file of a type that is not known.
 */
export const compressBuild = async (folder: string): Promise<void> => {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((path) => !path.startsWith("."))
    .toSorted()
  const files = await Promise.all(paths.map((path) => compressFile(folder, path)))
  const manifest: Manifest = { files }
  writeFileSync(join(folder, manifestName), JSON.stringify(manifest, null, 1))
}
