import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redacted } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { signingSecretOf } from "../../cli/signingSecret.ts"
import { runCli } from "./support/runCli.ts"

describe("the API key", () => {
  const secret = signingSecretOf(Redacted.make("sk_test_1"))
  const fileWith = (text: string) => {
    const folder = mkdtempSync(join(tmpdir(), "corrente-cli-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, "key")
    writeFileSync(file, text)
    return file
  }

  it("the API key is read from a file or from standard input, before the environment", async () => {
    const other = { CORRENTE_API_KEY: "sk_test_2" }
    const listen = ["listen", "--print-secret"]
    const byFile = await runCli([...listen, "--api-key-file", fileWith("sk_test_1\n")], other)
    expect(byFile).toMatchObject({ exitCode: 0, stdout: `${secret}\n` })
    const byStdin = await runCli([...listen, "--api-key-stdin"], other, false, "sk_test_1\n")
    expect(byStdin).toMatchObject({ exitCode: 0, stdout: `${secret}\n` })
  })

  it("a file or standard input without a key exits 2, and says at which flag", async () => {
    const argv = ["listen", "--print-secret", "--json"]
    const missing = await runCli([...argv, "--api-key-file", "/nowhere/key"])
    expect(missing.exitCode).toBe(2)
    expect(missing.objects()).toMatchObject([{ error: { code: "usage", param: "api-key-file" } }])
    const empty = await runCli([...argv, "--api-key-stdin"])
    expect(empty.objects()).toMatchObject([{ error: { code: "usage", param: "api-key-stdin" } }])
  })
})
