import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"

// The language of the pages is kept by the browser.
vi.stubGlobal("localStorage", { getItem: () => "pt-BR", setItem: () => undefined })

const { formatDate, formatMoment, formatWhen } = await import("../../web/src/text/format.ts")
const { chooseLanguage } = await import("../../web/src/text/i18n.ts")
const { aheadMillis, dayBefore, today, trueToday } = await import("../../web/src/text/today.ts")

/** A day in São Paulo, three hours behind UTC. */
const day = "2026-11-28"

describe("dates of the pages", () => {
  beforeAll(() => () => vi.unstubAllGlobals())
  beforeEach(() => chooseLanguage("pt-BR"))
  afterEach(() => {
    aheadMillis.value = 0
    vi.useRealTimers()
  })

  it.each([
    ["2026-11-28T07:55:12.000Z", "hoje 04:55"],
    ["2026-11-28T03:00:00.000Z", "hoje 00:00"],
    ["2026-11-28T02:59:59.000Z", "ontem 23:59"],
    ["2026-11-27T03:00:00.000Z", "ontem 00:00"],
    ["2026-11-27T02:59:59.000Z", "26 nov"],
    ["2026-11-29T02:59:59.000Z", "hoje 23:59"],
    ["2026-11-29T03:00:00.000Z", "amanhã 00:00"],
    ["2026-11-30T03:00:00.000Z", "30 nov"],
    ["2026-01-05T15:00:00.000Z", "5 jan"],
    ["2025-11-21T15:00:00.000Z", "21 nov 2025"],
  ])("lists show %s as %s", (at, text) => {
    expect(formatWhen(at, day)).toBe(text)
  })

  it("a day of the year before is yesterday on the first of January, and has its year from the second on", () => {
    expect(formatWhen("2026-12-31T15:00:00.000Z", "2027-01-01")).toBe("ontem 12:00")
    expect(formatWhen("2026-12-31T15:00:00.000Z", "2027-01-02")).toBe("31 dez 2026")
  })

  it("English has the same forms, by the same 24 hours", () => {
    chooseLanguage("en")
    expect(formatWhen("2026-11-28T21:05:00.000Z", day)).toBe("today 18:05")
    expect(formatWhen("2026-11-28T03:05:00.000Z", day)).toBe("today 00:05")
    expect(formatWhen("2026-11-27T21:05:00.000Z", day)).toBe("yesterday 18:05")
    expect(formatWhen("2026-11-21T15:00:00.000Z", day)).toBe("21 Nov")
    expect(formatMoment("2026-11-28T21:05:09.000Z")).toBe("28 Nov 2026, 18:05:09")
  })

  it("details show the moment to the second, with its year", () => {
    expect(formatMoment("2026-11-28T03:00:09.000Z")).toBe("28 nov 2026, 00:00:09")
    expect(formatDate("2026-05-01T15:00:00.000Z")).toBe("1 mai 2026")
  })

  it("today is the day of the test clock, where it is ahead", () => {
    vi.useFakeTimers({ now: new Date("2026-11-28T07:55:12.000Z") })
    // Any change makes it read the clock.
    aheadMillis.value = 1
    aheadMillis.value = 0
    expect(today.value).toBe(day)
    aheadMillis.value = 86_400_000
    expect(today.value).toBe("2026-11-29")
    expect(dayBefore(today.value, 1)).toBe(day)
    expect(trueToday.value).toBe(day)
  })

  it.each(["account", "developers"])("the pages in %s tell times from the true day alone", (folder) => {
    const root = join(import.meta.dirname, "../../web/src/pages", folder)
    const byTestClock = readdirSync(root).filter((name) =>
      /\bWhen\b(?=[^}]*\} from .*values\.tsx)|\btoday\b(?=[^}]*\} from .*today\.ts)/.test(
        readFileSync(join(root, name), "utf8"),
      ),
    )
    expect(byTestClock).toEqual([])
  })
})
