import { parseArgs } from "node:util"
import { type ApiError, validationFailed } from "../../schema/errors.ts"
import { type CommandForm, usageOf, writtenAs } from "./command.ts"

/** A command line that names a command, and what is left of it. */
export interface FoundCommand<C> {
  readonly command: C
  readonly rest: ReadonlyArray<string>
}

/** Finds the command whose words a command line starts with. */
export const findCommand = <C extends { readonly name: string }>(
  commands: ReadonlyArray<C>,
  argv: ReadonlyArray<string>,
): FoundCommand<C> | ApiError => {
  for (const command of commands) {
    const words = command.name.split(" ")
    if (words.every((word, i) => argv[i] === word)) return { command, rest: argv.slice(words.length) }
  }
  const names = commands.map(({ name }) => name).join(", ")
  const given = argv.slice(0, 2).join(" ").slice(0, 64)
  return validationFailed(
    "command",
    given === ""
      ? `Name a command: ${names}; help explains them.`
      : `'${given}' is not a command. There are: ${names}; help explains them.`,
  )
}

/** The value that stands where Node's parser found a fault, as it names it: `--email`, or a word. */
const faultyName = (message: string): string => /'(?:-\w, )?(?:--?)?([^'\s]*)/.exec(message)?.[1] ?? ""

const faultOf = (error: unknown, command: CommandForm): ApiError => {
  const { code, message } = error as { readonly code?: string; readonly message: string }
  const name = faultyName(message).slice(0, 64)
  if (code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") {
    return validationFailed(
      name,
      `'${command.name}' has no option --${name}. It is written: ${usageOf(command)}`,
    )
  }
  return validationFailed(
    name,
    `--${name} needs a value. One that starts with '-' is written with '=': --${name}=VALUE`,
  )
}

/**
 * A command's parameters from the rest of a command line, by their names; the error names the first that is missing,
 * unknown or without its value, and says how the command is written.
 */
export const readArguments = (
  command: CommandForm,
  rest: ReadonlyArray<string>,
): Readonly<Record<string, string | undefined>> | ApiError => {
  const parameters = Object.entries(command.parameters)
  const options = parameters.filter(([, { kind }]) => kind === "option").map(([name]) => name)
  const words = parameters.filter(([, { kind }]) => kind === "word").map(([name]) => name)
  try {
    const parsed = parseArgs({
      args: [...rest],
      options: Object.fromEntries(options.map((name) => [name, { type: "string" as const }])),
      allowPositionals: true,
      strict: true,
    })
    if (parsed.positionals.length > words.length) {
      // The words are not shown: they may be the rest of a password that was not quoted.
      return validationFailed(
        "arguments",
        `There are words too many: quote values with spaces. The command is written: ${usageOf(command)}`,
      )
    }
    const values: Record<string, string | undefined> = { ...parsed.values }
    for (const [i, name] of words.entries()) values[name] = parsed.positionals[i]
    const missing = parameters.find(([name, { required }]) => required && values[name] === undefined)
    if (missing === undefined) return values
    const [name, parameter] = missing
    return validationFailed(
      name,
      `${writtenAs(name, parameter)} is missing. The command is written: ${usageOf(command)}`,
    )
  } catch (error) {
    return faultOf(error, command)
  }
}
