import { describe, expect, it } from "vitest"
import { ApiError } from "../../schema/errors.ts"
import { findCommand, readArguments } from "../../src/ops/arguments.ts"
import type { CommandForm, Parameter } from "../../src/ops/command.ts"
import { commands } from "../../src/ops/commands/index.ts"

const parameter = (kind: Parameter["kind"], required: boolean, placeholder: string): Parameter => ({
  kind,
  required,
  placeholder,
  help: "",
})

const command: CommandForm = {
  name: "thing make",
  help: "",
  parameters: {
    name: parameter("option", true, "NAME"),
    note: parameter("option", false, "TEXT"),
    seller: parameter("word", true, "SELLER"),
    mode: parameter("word", false, "MODE"),
  },
}

/** The fault of a command line: its field and what it says. */
const faultOf = (...rest: ReadonlyArray<string>) => {
  const read = readArguments(command, rest)
  if (!(read instanceof ApiError)) throw new Error(`taken: ${JSON.stringify(read)}`)
  expect(read.code).toBe("validation_failed")
  return { param: read.param, message: read.message }
}

const usage = "thing make --name NAME [--note TEXT] SELLER [MODE]"

describe("a command line", () => {
  it("names a command by its words", () => {
    const found = findCommand(commands, ["seller", "show", "sel_1", "--x"])
    expect(found).toMatchObject({ command: { name: "seller show" }, rest: ["sel_1", "--x"] })
    expect(findCommand(commands, ["streams"])).toMatchObject({ command: { name: "streams" }, rest: [] })
  })

  it("that names none is answered with those there are", () => {
    for (const argv of [[], ["seller"], ["seller", "shows"], ["--email", "x"], ["show", "seller"]]) {
      const found = findCommand(commands, argv)
      expect(found).toBeInstanceOf(ApiError)
      expect(found).toMatchObject({ code: "validation_failed", param: "command" })
      expect((found as ApiError).message).toContain("seller create, seller show")
    }
  })

  it("gives options and words by their names, in any order", () => {
    const values = { name: "Ana", note: undefined, seller: "sel_1", mode: "live" }
    expect(readArguments(command, ["sel_1", "live", "--name", "Ana"])).toEqual(values)
    expect(readArguments(command, ["--name=Ana", "sel_1", "live"])).toEqual(values)
    expect(readArguments(command, ["--name", "Ana", "--note", "", "sel_1"])).toEqual({
      name: "Ana",
      note: "",
      seller: "sel_1",
      mode: undefined,
    })
  })

  it("takes values that start with a dash, written with '='", () => {
    expect(readArguments(command, ["--name=--odd", "sel_1"])).toMatchObject({ name: "--odd" })
    expect(readArguments(command, ["--name", "Ana", "--", "-x"])).toMatchObject({ seller: "-x" })
  })

  it("without something required is told which", () => {
    expect(faultOf("sel_1")).toEqual({
      param: "name",
      message: `--name NAME is missing. The command is written: ${usage}`,
    })
    expect(faultOf("--name", "Ana")).toEqual({
      param: "seller",
      message: `SELLER is missing. The command is written: ${usage}`,
    })
  })

  it("with an option that there is not is told so", () => {
    expect(faultOf("--nmae", "Ana", "sel_1").param).toBe("nmae")
    expect(faultOf("--nmae=Ana", "sel_1").param).toBe("nmae")
    expect(faultOf("-n", "Ana", "sel_1").param).toBe("n")
    expect(faultOf("--nmae").message).toContain(usage)
  })

  it("with an option without its value is told how to write one", () => {
    expect(faultOf("sel_1", "--name")).toMatchObject({ param: "name" })
    expect(faultOf("--name", "--note", "x", "sel_1")).toEqual({
      param: "name",
      message: "--name needs a value. One that starts with '-' is written with '=': --name=VALUE",
    })
  })

  it("with words too many is told to quote, and shown none of them", () => {
    const { param, message } = faultOf("--name", "correct", "sel_1", "live", "horse")
    expect(param).toBe("arguments")
    expect(message).toContain("quote")
    expect(message).not.toContain("horse")
  })
})
