import { Effect } from "effect"
import { Command } from "effect/cli"
import { describe, expect, it } from "vitest"
import { ApiError } from "../../schema/errors.ts"
import { runCommandLine } from "../../src/ops/commandLine.ts"
import { ops } from "../../src/ops/commands/index.ts"
import { optionalFlag, optionalWord, textFlag, word } from "../../src/ops/parameters.ts"

/** Parses a command line and returns the parameters; throws the error if it is invalid. */
const readArguments = (...rest: ReadonlyArray<string>): Promise<unknown> => {
  let read: unknown
  const make = Command.make(
    "make",
    {
      name: textFlag("name", "NAME", ""),
      note: optionalFlag(textFlag("note", "TEXT", "")),
      seller: word("seller", "SELLER", ""),
      mode: optionalWord(word("mode", "MODE", "")),
    },
    (values) =>
      Effect.sync(() => {
        read = values
      }),
  )
  const thing = Command.make("thing").pipe(Command.withSubcommands([make]))
  const root = Command.make("ops").pipe(Command.withSubcommands([thing]))
  return Effect.runPromise(Effect.map(runCommandLine(root, ["thing", "make", ...rest]), () => read))
}

/** The error of a command line: its field and message. */
const faultOf = async (...rest: ReadonlyArray<string>) => {
  const error = await readArguments(...rest).catch((failure: unknown) => failure)
  if (!(error instanceof ApiError)) throw new Error(`accepted: ${JSON.stringify(error)}`)
  expect(error.code).toBe("validation_failed")
  return { param: error.param, message: error.message }
}

const usage = "thing make --name NAME [--note TEXT] SELLER [MODE]"

/** The error of a command line that names no command. */
const unknownCommand = async (argv: ReadonlyArray<string>) => {
  const error = await Effect.runPromise(Effect.flip(runCommandLine(ops, argv)))
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ code: "validation_failed", param: "command" })
  return error.message
}

describe("command lines", () => {
  it("a command line that names no command is answered with the commands there are", async () => {
    for (const argv of [[], ["seller"], ["seller", "shows"], ["--email", "x"], ["show", "seller"]]) {
      expect(await unknownCommand(argv)).toContain("seller create, seller show")
    }
  })

  it("a command line that nearly names a command or an option is answered with a suggestion", async () => {
    expect(await unknownCommand(["sellr", "show"])).toContain("Did you mean seller?")
    expect(await unknownCommand(["seller", "shwo"])).toContain(
      "'seller shwo' is not a command. Did you mean show?",
    )
    expect((await faultOf("--nmae", "Ana", "sel_1")).message).toContain("Did you mean --name or --note?")
  })

  it("a command line may have its options and words in any order", async () => {
    const values = { name: "Ana", note: undefined, seller: "sel_1", mode: "live" }
    expect(await readArguments("sel_1", "live", "--name", "Ana")).toEqual(values)
    expect(await readArguments("--name=Ana", "sel_1", "live")).toEqual(values)
    expect(await readArguments("--name", "Ana", "--note", "", "sel_1")).toEqual({
      name: "Ana",
      note: "",
      seller: "sel_1",
      mode: undefined,
    })
  })

  it("a command line with a repeated option takes the last one", async () => {
    const values = ["--name", "Ana", "--note", "x", "sel_1", "--note", "y", "--name=Bia"]
    expect(await readArguments(...values)).toMatchObject({ name: "Bia", note: "y" })
  })

  it("a command line may have values that start with a dash, after '=' or '--'", async () => {
    expect(await readArguments("--name=--odd", "sel_1")).toMatchObject({ name: "--odd" })
    expect(await readArguments("--name", "Ana", "--", "-x")).toMatchObject({ seller: "-x" })
  })

  it("a command line without a required option or word is answered with its name and the usage", async () => {
    expect(await faultOf("sel_1")).toEqual({ param: "name", message: `--name is missing. Usage: ${usage}` })
    expect(await faultOf("--name", "Ana")).toEqual({
      param: "seller",
      message: `SELLER is missing. Usage: ${usage}`,
    })
  })

  it("a command line with an unknown option is answered with its name and the usage", async () => {
    expect((await faultOf("--nmae", "Ana", "sel_1")).param).toBe("nmae")
    expect((await faultOf("--nmae=Ana", "sel_1")).param).toBe("nmae")
    expect((await faultOf("-n", "Ana", "sel_1")).param).toBe("n")
    expect((await faultOf("--nmae")).message).toContain(usage)
  })

  it("a command line with an option but no value is answered with how to write one", async () => {
    expect(await faultOf("sel_1", "--name")).toMatchObject({ param: "name" })
    expect(await faultOf("--name", "--note", "x", "sel_1")).toEqual({
      param: "name",
      message: "--name needs a value. Write one that starts with '-' with '=': --name=VALUE",
    })
  })

  it("a command line with too many words is answered with advice to quote, and repeats none of them", async () => {
    const { param, message } = await faultOf("--name", "correct", "sel_1", "live", "horse")
    expect(param).toBe("arguments")
    expect(message).toContain("quote")
    expect(message).not.toContain("horse")
  })
})
