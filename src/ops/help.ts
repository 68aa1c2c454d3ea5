import { Option } from "effect"
import { type Command, Completions, type HelpDoc } from "effect/cli"

type Parameter = HelpDoc.FlagDoc | HelpDoc.ArgDoc

const flagText = ({ name, type }: HelpDoc.FlagDoc): string =>
  type === "boolean" ? `--${name}` : `--${name} ${type}`

/** A parameter as it is written: `--email EMAIL`, `[--kyc STATUS]`, `[--force]`, `SELLER`. */
const writtenAs = (parameter: Parameter): string => {
  const text = "aliases" in parameter ? flagText(parameter) : parameter.type
  return parameter.required ? text : `[${text}]`
}

const parametersOf = (doc: HelpDoc.HelpDoc): ReadonlyArray<Parameter> => [...doc.flags, ...(doc.args ?? [])]

/** A command as it is written: `seller show SELLER`. */
export const usageOf = (doc: HelpDoc.HelpDoc): string =>
  [...(doc.commandPath ?? []).slice(1), ...parametersOf(doc).map(writtenAs)].join(" ")

const leavesOf = (
  { subcommands }: Completions.CommandDescriptor,
  path: ReadonlyArray<string>,
): ReadonlyArray<ReadonlyArray<string>> =>
  subcommands.length === 0 ? [path] : subcommands.flatMap((sub) => leavesOf(sub, [...path, sub.name]))

/** The words of every command below `path`; `path` itself where it is a command. */
export const commandsBelow = (root: Command.Command.Any, path: ReadonlyArray<string>) =>
  leavesOf(Completions.fromCommand(root), []).filter((leaf) => path.every((word, i) => leaf[i] === word))

/** What scripts get for `help`: the given commands, with their parameters. */
export const helpDocument = (docs: ReadonlyArray<HelpDoc.HelpDoc>) => ({
  usage: "npm run --silent ops -- COMMAND",
  output: "One JSON document on stdout. On failure it is the error envelope, and the exit code is 1.",
  redis: "REDIS_URL, or the Redis that npm start runs for the same DATA_DIR.",
  completions:
    "`--completions bash` prints a script for a command that is named ops; zsh, fish and powershell work too.",
  commands: docs.map((doc) => ({
    command: usageOf(doc),
    help: doc.description,
    parameters: Object.fromEntries(
      parametersOf(doc).map((parameter) => [
        writtenAs(parameter),
        Option.getOrElse(parameter.description, () => ""),
      ]),
    ),
  })),
})
