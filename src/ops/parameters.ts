import { Option } from "effect"
import { Argument, Flag } from "effect/cli"

/** Where a flag is repeated, the last one counts: a script can append its own to a fixed command line. */
const lastOf = <A>(flag: Flag.Flag<A>): Flag.Flag<A> =>
  flag.pipe(
    Flag.atLeast(1),
    Flag.map((values) => values[values.length - 1] as A),
  )

/** A required flag `--name PLACEHOLDER`. */
export const textFlag = (name: string, placeholder: string, help: string): Flag.Flag<string> =>
  lastOf(Flag.String(name).pipe(Flag.withMetavar(placeholder), Flag.withDescription(help)))

/** A required flag whose value is one of `choices`. */
export const choiceFlag = <const Choices extends ReadonlyArray<string>>(
  name: string,
  placeholder: string,
  choices: Choices,
  help: string,
): Flag.Flag<Choices[number]> =>
  lastOf(Flag.Literals(name, choices).pipe(Flag.withMetavar(placeholder), Flag.withDescription(help)))

/** A flag without a value: whether it is there. */
export const switchFlag = (name: string, help: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withDescription(help), Flag.withDefault(false))

/** Makes a flag optional: undefined where it is left out. */
export const optionalFlag = <A>(flag: Flag.Flag<A>): Flag.Flag<A | undefined> =>
  flag.pipe(Flag.optional, Flag.map(Option.getOrUndefined))

/** A required word after the command's own. */
export const word = (name: string, placeholder: string, help: string): Argument.Argument<string> =>
  Argument.String(name).pipe(Argument.withMetavar(placeholder), Argument.withDescription(help))

/** Makes a word optional: undefined where it is left out. */
export const optionalWord = <A>(argument: Argument.Argument<A>): Argument.Argument<A | undefined> =>
  argument.pipe(Argument.optional, Argument.map(Option.getOrUndefined))
