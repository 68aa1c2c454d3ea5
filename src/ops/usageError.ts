import type { CliError } from "effect/cli"
import { type ApiError, validationFailed } from "../../schema/errors.ts"

/** The command at which a command line could not be read. */
interface Place {
  /** Its words; none for `ops` itself. */
  readonly path: ReadonlyArray<string>
  /** How it is written. */
  readonly usage: string
  /** The words of the commands below it. */
  readonly commands: ReadonlyArray<ReadonlyArray<string>>
}

const shownLengthMax = 64

const didYouMean = (suggestions: ReadonlyArray<string>): string =>
  suggestions.length === 0 ? "" : ` Did you mean ${suggestions.join(" or ")}?`

const optionNameOf = (option: string): string => option.replace(/^-+/, "").slice(0, shownLengthMax)

/**
 * 400 `validation_failed` for a command line that cannot be read; without a fault, for one that names no command.
 * Values are never repeated: they may be part of a password.
 */
export const usageError = (
  fault: CliError.NonShowHelpErrors | undefined,
  { path, usage, commands }: Place,
): ApiError<"validation_failed"> => {
  const known = `Commands: ${commands.map((words) => words.join(" ")).join(", ")}; help explains them.`
  const written = `Usage: ${usage}`
  switch (fault?._tag) {
    case undefined:
      return validationFailed("command", `Name a command. ${known}`)
    case "UnknownSubcommand": {
      const given = [...path, fault.subcommand].join(" ").slice(0, shownLengthMax)
      return validationFailed(
        "command",
        `'${given}' is not a command.${didYouMean(fault.suggestions)} ${known}`,
      )
    }
    case "UnrecognizedOption": {
      if (path.length === 0) return validationFailed("command", `Name a command before its options. ${known}`)
      const name = optionNameOf(fault.option)
      const what = `'${path.join(" ")}' has no option ${name.length === 1 ? "-" : "--"}${name}.`
      return validationFailed(name, `${what}${didYouMean(fault.suggestions)} ${written}`)
    }
    case "MissingOption":
      return validationFailed(fault.option, `--${fault.option} is missing. ${written}`)
    case "MissingArgument":
      return validationFailed(fault.argument, `${fault.argument.toUpperCase()} is missing. ${written}`)
    case "InvalidValue":
      return fault.value === ""
        ? validationFailed(
            fault.option,
            `--${fault.option} needs a value. Write one that starts with '-' with '=': --${fault.option}=VALUE`,
          )
        : validationFailed(
            fault.option,
            `--${fault.option} must be one of ${fault.expected.replaceAll('"', "")}.`,
          )
    default:
      return validationFailed("arguments", `There are too many words: quote values with spaces. ${written}`)
  }
}
