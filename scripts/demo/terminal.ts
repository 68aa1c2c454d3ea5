import { stripVTControlCharacters, styleText } from "node:util"
import { Effect } from "effect"

/** Where the story is told: calm, a line at a time. */
export interface Terminal {
  readonly title: (text: string) => void
  /** A numbered chapter; waits a moment, so that what stands above can be read. */
  readonly step: (text: string) => Effect.Effect<void>
  /** What the reader should know. */
  readonly say: (text: string) => void
  /** What came from or went to somewhere: a name, and what it was. */
  readonly event: (who: string, text: string) => void
  readonly good: (text: string) => void
  readonly bad: (text: string) => void
  /** A command to copy. */
  readonly command: (text: string) => void
  /** A picture in block characters, whose light parts are the drawn ones. */
  readonly picture: (lines: ReadonlyArray<string>) => void
  readonly pause: (seconds: number) => Effect.Effect<void>
}

const secondsBeforeStep = 2
const whoWidth = 10
/** White on black by number: the terminal's own palette may call something else so. */
const whiteOnBlack = "\u001b[38;5;231;48;5;16m"
const reset = "\u001b[0m"

type Style = Parameters<typeof styleText>[0]

/** Styles where the output is a terminal that wants them (NO_COLOR, FORCE_COLOR); plain text elsewhere. */
export const makeTerminal = (output: NodeJS.WriteStream, options: { readonly quick: boolean }): Terminal => {
  const paint = (style: Style, text: string) => styleText(style, text, { stream: output })
  const hasColours = stripVTControlCharacters(paint("bold", "x")) !== paint("bold", "x")
  const write = (line: string) => output.write(`${line}\n`)
  const pause = (seconds: number) => (options.quick ? Effect.void : Effect.sleep(seconds * 1_000))
  let steps = 0
  return {
    title: (text) => write(`\n${paint("bold", text)}`),
    step: (text) =>
      Effect.andThen(
        steps === 0 ? Effect.void : pause(secondsBeforeStep),
        Effect.sync(() => write(`\n${paint(["bold", "cyan"], `${++steps}. ${text}`)}`)),
      ),
    say: (text) => write(`   ${text}`),
    event: (who, text) => write(`   ${paint("dim", who.padEnd(whoWidth))} ${text}`),
    good: (text) => write(`   ${paint("green", "✓")} ${text}`),
    bad: (text) => write(`   ${paint("red", "✗")} ${text}`),
    command: (text) => write(`     ${paint("yellow", text)}`),
    picture: (lines) => {
      write("")
      for (const line of lines) write(`   ${hasColours ? whiteOnBlack + line + reset : line}`)
      write("")
    },
    pause,
  }
}
