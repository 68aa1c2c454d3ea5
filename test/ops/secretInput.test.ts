import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { Effect, Result } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { readSecret, type SecretInput, StandardInput, secretBytesMax } from "../../src/ops/secretInput.ts"

const directory = mkdtempSync(join(tmpdir(), "corrente-secrets-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const fileWith = (name: string, content: string | Buffer): string => {
  const file = join(directory, name)
  writeFileSync(file, content, { mode: 0o600 })
  return file
}

const nothing: SecretInput = { value: undefined, file: undefined, isOnStdin: false }

/** The secret, or at which flag and why there is none. */
const read = async (input: Partial<SecretInput>, stdin: ReadonlyArray<string | Buffer> = []) => {
  const reading = readSecret("password", { ...nothing, ...input }).pipe(
    Effect.provideService(StandardInput, Readable.from(stdin)),
  )
  const result = await Effect.runPromise(Effect.result(reading))
  return Result.isSuccess(result) ? result.success : `${result.failure.param}: ${result.failure.message}`
}

describe("a secret of a command line", () => {
  it("a secret is read from the command line, from a file or from standard input, and is undefined without any", async () => {
    expect(await read({})).toBeUndefined()
    expect(await read({ value: "correct horse" })).toBe("correct horse")
    expect(await read({ file: fileWith("plain", "correct horse") })).toBe("correct horse")
    expect(await read({ isOnStdin: true }, ["correct", Buffer.from(" hors"), "e"])).toBe("correct horse")
  })

  it("a secret of a file ends before one newline at its end, and keeps all else", async () => {
    for (const [content, secret] of [
      ["a b\n", "a b"],
      ["a b\r\n", "a b"],
      ["a b\n\n", "a b\n"],
      [" a b ", " a b "],
      ["senha é ç\n", "senha é ç"],
    ] as const) {
      expect(await read({ file: fileWith("newline", content) })).toBe(secret)
      expect(await read({ isOnStdin: true }, [content])).toBe(secret)
    }
  })

  it("a secret of a file or of standard input may have 4 KiB, and not a byte more", async () => {
    const most = "x".repeat(secretBytesMax)
    expect(await read({ file: fileWith("most", most) })).toBe(most)
    expect(await read({ isOnStdin: true }, [most])).toBe(most)
    expect(await read({ file: fileWith("more", `${most}x`) })).toContain("password-file: ")
    expect(await read({ isOnStdin: true }, [most, "x"])).toContain("password-stdin: ")
  })

  it.each([
    ["missing", () => join(directory, "missing")],
    ["a folder", () => directory],
    ["empty", () => fileWith("empty", "")],
    ["only a newline", () => fileWith("newline", "\n")],
    ["no UTF-8", () => fileWith("binary", Buffer.from([0xff, 0xfe, 0x41]))],
  ])("a secret's file that is %s is refused at its flag", async (_what, file) => {
    expect(await read({ file: file() })).toContain("password-file: ")
  })

  it("a secret that is given in two ways is refused", async () => {
    const file = fileWith("other", "secret")
    for (const input of [
      { value: "a", file },
      { value: "a", isOnStdin: true },
      { file, isOnStdin: true },
    ]) {
      expect(await read(input, ["b"])).toContain("Give only one of --password, --password-file and")
    }
  })
})
