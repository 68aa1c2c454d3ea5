import { styleText } from "node:util"
import { Console, Context, Effect } from "effect"
import { inert } from "../src/ops/text/values.ts"

/** What a command line runs in. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Whether stdout is a terminal. */
  readonly isTerminal: boolean
}

/** One thing to tell: a JSON object for machines, text for people. */
export interface Told {
  readonly json: object
  /**
   * One line or several; none for what only machines want to know. What came from elsewhere is `inert` in it: terminals obey
   * controls.
   */
  readonly text: string | undefined
}

type Style = Parameters<typeof styleText>[0]

/** How commands tell what they do. */
export class Output extends Context.Service<
  Output,
  {
    /** `json`: one object a line. */
    readonly style: "json" | "text"
    readonly isTerminal: boolean
    readonly hasColours: boolean
    /** Colours a text, where colours are wanted. */
    readonly paint: (style: Style, text: string) => string
    /** Prints it on stdout, in the style in use. */
    readonly tell: (told: Told) => Effect.Effect<void>
  }
>()("corrente/cli/Output") {}

/** Colours are for terminals. `NO_COLOR` (https://no-color.org) and `TERM=dumb` turn them off, `FORCE_COLOR` on. */
export const hasColours = ({ environment, isTerminal }: Surroundings): boolean => {
  const { NO_COLOR, FORCE_COLOR, TERM } = environment
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") return !["0", "false"].includes(FORCE_COLOR)
  return isTerminal && TERM !== "dumb"
}

/** The output of a command line. */
export const makeOutput = (argv: ReadonlyArray<string>, surroundings: Surroundings): Output["Service"] => {
  const style = argv.includes("--json") ? "json" : "text"
  const isColoured = style === "text" && hasColours(surroundings)
  return {
    style,
    isTerminal: surroundings.isTerminal,
    hasColours: isColoured,
    paint: (name, text) => (isColoured ? styleText(name, text, { validateStream: false }) : text),
    tell: ({ json, text }) => {
      // `JSON.stringify` leaves controls such as U+009B as they are, which terminals obey.
      if (style === "json") return Console.log(inert(JSON.stringify(json)))
      return text === undefined ? Effect.void : Console.log(text)
    },
  }
}
