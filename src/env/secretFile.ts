import { readFileSync, statSync } from "node:fs"
import { Result } from "effect"

/** No secret is longer: a path to something else is not read whole. */
const bytesMax = 64 * 1024

/**
 * The text of a file that holds a secret, without whitespace around it, as an editor's last line break. Fails with what is wrong
 * about the file, to stand behind its name.
 */
export const readSecretFile = (path: string): Result.Result<string, string> => {
  try {
    const file = statSync(path)
    // Each process reads it, and each one again after a restart: a pipe has nothing left for the second.
    if (!file.isFile()) return Result.fail("is not a regular file")
    if (file.size > bytesMax) return Result.fail(`is longer than ${bytesMax / 1024} KiB`)
    const text = readFileSync(path, "utf8").trim()
    return text === "" ? Result.fail("is empty") : Result.succeed(text)
  } catch (error) {
    return Result.fail(`cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`)
  }
}
