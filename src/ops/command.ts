import type { Effect } from "effect"
import type { StoreUnavailable } from "../../actors/ports/store.ts"
import type { ApiError } from "../../schema/errors.ts"

/** One parameter of a command: an option `--name VALUE`, or a word after the command's own. */
export interface Parameter {
  readonly kind: "option" | "word"
  readonly required: boolean
  /** What stands for the value in help texts, such as `EMAIL`. */
  readonly placeholder: string
  readonly help: string
}

type Values<P extends Readonly<Record<string, Parameter>>> = {
  readonly [K in keyof P]: P[K]["required"] extends true ? string : string | undefined
}

/** How a command is written and what it does. */
export interface CommandForm {
  /** Its words, such as `seller create`. */
  readonly name: string
  readonly help: string
  /** By name; words in the order in which they are given. */
  readonly parameters: Readonly<Record<string, Parameter>>
  /** How long it may take where that is longer than commands may by themselves. */
  readonly timeoutMillis?: number
}

/** A command of the operators' CLI (decisions 6). */
export interface Command<R> extends CommandForm {
  /** Answers with the JSON to print. */
  readonly run: (
    values: Readonly<Record<string, string | undefined>>,
  ) => Effect.Effect<unknown, ApiError | StoreUnavailable, R>
}

/** A command whose `run` gets its parameters by their names: required ones are there. */
export const defineCommand = <const P extends Readonly<Record<string, Parameter>>, R>(command: {
  readonly name: string
  readonly help: string
  readonly parameters: P
  readonly timeoutMillis?: number
  readonly run: (values: Values<P>) => Effect.Effect<unknown, ApiError | StoreUnavailable, R>
}): Command<R> => ({ ...command, run: (values) => command.run(values as Values<P>) })

/** A parameter as it is written: `--email EMAIL`, `[--kyc STATUS]`, `SELLER`. */
export const writtenAs = (name: string, parameter: Parameter): string => {
  const text = parameter.kind === "option" ? `--${name} ${parameter.placeholder}` : parameter.placeholder
  return parameter.required ? text : `[${text}]`
}

/** The whole command as it is written. */
export const usageOf = (command: CommandForm): string =>
  [
    command.name,
    ...Object.entries(command.parameters).map(([name, parameter]) => writtenAs(name, parameter)),
  ].join(" ")
