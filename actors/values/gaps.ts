/** A part of a stored text, from `start` up to `end`, and what is shown in its place. */
export interface Gap {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Finds the part of a stored text that it knows how to fill; undefined where there is none. */
export type FindGap = (stored: string) => Gap | undefined

/**
 * Makes a function that fills the gaps of a stored text. `finders` stand in the order in which their gaps follow each other. All of
 * them search the stored text, so nothing that is filled in can be taken for a gap; one that begins before the end of another stays
 * as it is. The parts are joined, once: a sum of texts is copied when it is searched, and again when it is sent.
 */
export const makeFiller = (finders: ReadonlyArray<FindGap>) => {
  return (stored: string): string => {
    const parts: Array<string> = []
    let from = 0
    for (const find of finders) {
      const gap = find(stored)
      if (gap === undefined || gap.start < from) continue
      parts.push(stored.slice(from, gap.start), gap.text)
      from = gap.end
    }
    if (parts.length === 0) return stored
    parts.push(stored.slice(from))
    return parts.join("")
  }
}
