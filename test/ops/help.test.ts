import { describe, expect, it } from "vitest"
import { outputStyleOf } from "../../src/ops/output.ts"
import { run } from "./cli.ts"

const ops = (...args: ReadonlyArray<string>) =>
  run(process.execPath, ["dist/ops.mjs", ...args], { NO_COLOR: "1" })

const commandsOf = (stdout: string): ReadonlyArray<string> =>
  JSON.parse(stdout).commands.map(({ command }: { readonly command: string }) => command)

describe("ops help", () => {
  it("ops help is one line of JSON with every command, its parameters and their descriptions", async () => {
    const { stdout, stderr, exitCode } = await ops("help")
    expect({ stderr, exitCode, lines: stdout.split("\n").length }).toEqual({
      stderr: "",
      exitCode: 0,
      lines: 2,
    })
    expect(commandsOf(stdout)).toEqual([
      "seller create --email EMAIL [--password PASSWORD] [--password-file FILE] [--password-stdin] --name NAME [--kyc STATUS] [--document CPF_OR_CNPJ]",
      "seller show SELLER",
      "seller erase-customer --document DOCUMENT [--seller SELLER]",
      "admin create --email EMAIL [--password PASSWORD] [--password-file FILE] [--password-stdin]",
      "admin reset-two-factor --email EMAIL",
      "admin disable --email EMAIL",
      "admin enable --email EMAIL",
      "user disable --email EMAIL",
      "user enable --email EMAIL",
      "user end-sessions --email EMAIL",
      "invite create --email EMAIL",
      "endpoint create --seller SELLER --mode MODE --url URL --events TYPES [--description TEXT] [--ordering ORDERING]",
      "streams [SELLER]",
      "audit verify [--full]",
      "audit repair",
      "audit-log export [--seller SELLER] [--format FORMAT] [--from TIME] [--to TIME] [--after ID] [--follow]",
      "closing show --day DAY [--mode MODE]",
      "sweep show",
      "sweep accept --item DIGEST --reason TEXT",
      "partition show",
      "partition move [--to HOST:PORT] [--undo] PARTITION",
      "keys show",
      "keys rotate",
      "mail list",
      "backup [--from-primaries] [--unchecked] DIR",
      "restore [--force] DIR",
    ])
    const [sellerCreate] = JSON.parse(stdout).commands
    expect(sellerCreate.help).toContain("Create a seller")
    expect(sellerCreate.parameters["[--password PASSWORD]"]).toContain("12 to 256 characters.")
  })

  it("ops help for a command or a group lists these alone", async () => {
    const one = await ops("help", "seller", "show")
    expect(commandsOf(one.stdout)).toEqual(["seller show SELLER"])
    expect((await ops("seller", "show", "--help")).stdout).toBe(one.stdout)
    expect(commandsOf((await ops("audit", "-h")).stdout)).toEqual(["audit verify [--full]", "audit repair"])
  })

  it("ops help is text with --no-json", async () => {
    const { stdout, exitCode } = await ops("seller", "create", "--help", "--no-json")
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^DESCRIPTION\n/)
    expect(stdout).toMatch(/--kyc STATUS +Default none.*\(choices: none, pending, approved, rejected\)/)
  })

  it("ops prints completions for a shell, and its version", async () => {
    const { stdout, exitCode } = await ops("--completions", "bash")
    expect(exitCode).toBe(0)
    for (const text of ["seller", "verify", "--document", "complete"]) expect(stdout).toContain(text)
    expect(JSON.parse((await ops("--version")).stdout)).toEqual({
      version: expect.stringMatching(/^\d+\.\d+/),
    })
  })
})

describe("the style of ops' output", () => {
  it("ops prints JSON to scripts and text at a terminal, unless the command line says otherwise", () => {
    expect(outputStyleOf([], false)).toBe("json")
    expect(outputStyleOf([], true)).toBe("text")
    expect(outputStyleOf(["mail", "--json"], true)).toBe("json")
    expect(outputStyleOf(["mail", "--no-json"], false)).toBe("text")
  })
})
