import { useEffect, useState } from "preact/hooks"
import { formLimits } from "../../../schema/formLimits.ts"
import { setQuery } from "../app/router.tsx"
import { Icon } from "./icons.tsx"
import { wordsIn } from "./words.ts"

const pauseMillis = 300

interface WordSearchProps {
  /** What the address asks for. */
  readonly q: string | undefined
  readonly label: string
  /** What the empty field shows, where the label is too long for a phone. Default: `label`. */
  readonly placeholder?: string
  readonly testId: string
}

/** Narrows a list by words, which the address keeps as `q`, a short pause after the last change. */
export const WordSearch = ({ q, label, placeholder = label, testId }: WordSearchProps) => {
  const [text, setText] = useState(q ?? "")
  useEffect(() => {
    if (wordsIn(text) === q) return
    const timer = setTimeout(() => setQuery({ q: wordsIn(text) }), pauseMillis)
    return () => clearTimeout(timer)
  }, [text])
  // The filters were cleared, or the address changed.
  useEffect(() => {
    if (wordsIn(text) !== q) setText(q ?? "")
  }, [q])
  return (
    <label class="word-search">
      <Icon name="search" />
      <span class="visually-hidden">{label}</span>
      <input
        type="search"
        data-testid={testId}
        placeholder={placeholder}
        value={text}
        maxLength={formLimits.searchLengthMax}
        autocomplete="off"
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </label>
  )
}
