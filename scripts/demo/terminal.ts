import { stripVTControlCharacters, styleText } from "node:util"
import { Effect } from "effect"

/** The terminal that shows the story, calmly, one line at a time. */
export interface Terminal {
  readonly title: (text: string) => void
  /** Starts a numbered chapter, after a pause to read what is above. */
  readonly step: (text: string) => Effect.Effect<void>
  /** Explains something to the reader. */
  readonly say: (text: string) => void
  /** Shows what was sent or received: a name and a description. */
  readonly event: (who: string, text: string) => void
  readonly good: (text: string) => void
  readonly bad: (text: string) => void
  /** Shows a command to copy. */
  readonly command: (text: string) => void
  /** Shows a picture in block characters, whose light parts are drawn. */
  readonly picture: (lines: ReadonlyArray<string>) => void
  readonly pause: (seconds: number) => Effect.Effect<void>
}

const secondsBeforeStep = 2
const whoWidth = 10
/** White on black by number, because the terminal's own palette may redefine the names. */
const whiteOnBlack = "\u001b[38;5;231;48;5;16m"
const reset = "\u001b[0m"

type Style = Parameters<typeof styleText>[0]

/** Styles the output where the terminal and the user (NO_COLOR, FORCE_COLOR) allow it; plain text elsewhere. */
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
