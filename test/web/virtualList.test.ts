import { describe, expect, it } from "vitest"
import { isNearEnd, renderedRange, rowAfterKey, scrollTopFor } from "../../web/src/ui/visibleRange.ts"

const viewport = { scrollTop: 0, height: 500, rowHeight: 50, count: 1_000 }

describe("the rows of a long list that are in the document", () => {
  it("are the visible ones and some around them, however long the list is", () => {
    expect(renderedRange(viewport)).toEqual({ start: 0, end: 22 })
    expect(renderedRange({ ...viewport, scrollTop: 25_020 })).toEqual({ start: 488, end: 523 })
    expect(renderedRange({ ...viewport, count: 10_000_000, scrollTop: 25_000 })).toEqual({
      start: 488,
      end: 522,
    })
  })

  it("end with the list, also where it has become shorter than it was scrolled", () => {
    expect(renderedRange({ ...viewport, scrollTop: 49_500 })).toEqual({ start: 978, end: 1_000 })
    expect(renderedRange({ ...viewport, count: 3, scrollTop: 49_500 })).toEqual({ start: 3, end: 3 })
    expect(renderedRange({ ...viewport, count: 0 })).toEqual({ start: 0, end: 0 })
    expect(renderedRange({ ...viewport, scrollTop: -40 })).toEqual({ start: 0, end: 22 })
  })

  it("more is read from one screen before the end", () => {
    expect(isNearEnd({ ...viewport, scrollTop: 48_999 })).toBe(false)
    expect(isNearEnd({ ...viewport, scrollTop: 49_000 })).toBe(true)
    expect(isNearEnd({ ...viewport, count: 5 })).toBe(true)
  })
})

describe("the keys of a long list", () => {
  it("lead to the next row, a page further, and to both ends, and never past them", () => {
    expect(rowAfterKey("ArrowDown", -1, viewport)).toBe(0)
    expect(rowAfterKey("ArrowDown", 7, viewport)).toBe(8)
    expect(rowAfterKey("ArrowDown", 999, viewport)).toBe(999)
    expect(rowAfterKey("ArrowUp", 0, viewport)).toBe(0)
    expect(rowAfterKey("PageDown", 0, viewport)).toBe(9)
    expect(rowAfterKey("PageUp", 4, viewport)).toBe(0)
    expect(rowAfterKey("Home", 400, viewport)).toBe(0)
    expect(rowAfterKey("End", 400, viewport)).toBe(999)
    expect(rowAfterKey("x", 4, viewport)).toBeUndefined()
    expect(rowAfterKey("ArrowDown", -1, { ...viewport, count: 0 })).toBeUndefined()
  })

  it("scroll no further than it takes to see the whole row", () => {
    expect(scrollTopFor(3, viewport)).toBe(0)
    expect(scrollTopFor(9, viewport)).toBe(0)
    expect(scrollTopFor(10, viewport)).toBe(50)
    expect(scrollTopFor(1, { ...viewport, scrollTop: 80 })).toBe(50)
  })
})
