import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { axisOf, placeOn } from "../../bench/report/html/axis.ts"
import { html } from "../../bench/report/html/html.ts"
import { reportPage } from "../../bench/report/html/page.ts"
import { thinned } from "../../bench/report/html/plots.ts"
import type { SavedRun } from "../../bench/report/savedRun.ts"
import { metric, roundsAround, savedRun, suite } from "./support/savedRuns.ts"

const pageOf = (...runs: ReadonlyArray<SavedRun>): string =>
  reportPage(runs.map((run, index) => ({ name: `run${index}`, run })))

/** A run in which every text is or contains `text`. */
const runNamed = (text: string): SavedRun =>
  savedRun(
    [
      suite(
        [
          metric(`${text} a`, "ms", { corrente: roundsAround(1), [`x${text}`]: roundsAround(2) }),
          metric(`${text} b`, text, { corrente: roundsAround(1) }),
        ],
        {
          suite: text,
          parameters: { [`p${text}`]: text },
          targets: [{ name: text, measured: Number.NaN, isMet: false }],
          checks: [{ name: text, isRight: false, detail: text }],
        },
      ),
    ],
    {
      asked: [text, `${text} and another`],
      environment: { startedAt: text, commit: text, [`e${text}`]: text, machine: text, node: text },
    },
  )

const tag = /<[^>]*>/g
/** Tags with their attribute names, without values: a page's structure without its texts. */
const skeletonOf = (page: string): ReadonlyArray<string> =>
  (page.replace(/<style>[\s\S]*<\/style>/, "").match(tag) ?? []).map((found) =>
    found.replaceAll(/"[^"]*"/g, '""'),
  )

const hostile = [
  '"><script>alert(1)</script>',
  "</title><script>alert(1)</script>",
  "</style></svg><img src=x onerror=alert(1)>",
  "' onload='alert(1)",
  "&lt;script&gt; &amp;#60;",
  "<!-- ]]> -->",
  "\u0000\u0008\ud800 ` $ {1}",
  "__proto__",
]

describe("the html template", () => {
  it("any text in an html template shows as it is, makes no tag and ends no attribute", () => {
    const entities: Readonly<Record<string, string>> = {
      "&lt;": "<",
      "&gt;": ">",
      "&quot;": '"',
      "&#39;": "'",
      "&amp;": "&",
    }
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom(...hostile)), (text) => {
        const { markup } = html`<b title="${text}">${text}</b>`
        const found = /^<b title="([^<>"']*)">([^<>"']*)<\/b>$/.exec(markup)
        assert.isNotNull(found)
        const shown = text.replaceAll(/[\p{Cc}\p{Cs}]/gu, " ")
        for (const part of [found?.[1], found?.[2]]) {
          assert.strictEqual(
            part?.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? ""),
            shown,
          )
        }
      }),
    )
  })

  it("only html templates are inserted into HTML as markup", () => {
    assert.strictEqual(
      html`<p>${html`<b>${"<i>"}</b>`}${[html`<u>`, html`</u>`]}${1}</p>`.markup,
      "<p><b>&lt;i&gt;</b><u>\n</u>1</p>",
    )
  })
})

describe("the report", () => {
  const plain = pageOf(runNamed("plain"), runNamed("plain"))

  it("the report has the same structure whatever hostile names and texts it shows", () => {
    for (const text of hostile) {
      assert.deepStrictEqual(skeletonOf(pageOf(runNamed(text), runNamed(text))), skeletonOf(plain), text)
    }
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        assert.deepStrictEqual(skeletonOf(pageOf(runNamed(text), runNamed(text))), skeletonOf(plain))
      }),
      { numRuns: 50 },
    )
  })

  it("the report shows a hostile commit name as text", () => {
    const [name = ""] = hostile
    const environment = { ...savedRun([]).environment, commit: name }
    const page = pageOf(savedRun([suite([])], { environment }))
    assert.include(page, "<strong>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;</strong>")
    assert.notInclude(page, "<script")
  })

  it("the report loads nothing from elsewhere and runs no script", () => {
    assert.match(plain, /default-src 'none'/)
    assert.notMatch(
      plain,
      /<(?:script|link|img|iframe|object|embed)\b|\bsrc=|https?:|url\(|@import|\bon\w+=/i,
    )
    assert.match(plain, /prefers-color-scheme: dark/)
    assert.match(plain, /name="viewport"/)
  })

  it("the report's ids are unique, and its links lead to them", () => {
    const ids = [...plain.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id ?? "")
    assert.lengthOf(new Set(ids), ids.length)
    const links = [...plain.matchAll(/ (?:href="#|aria-labelledby=")([^"]*)"/g)].map(([, id]) => id ?? "")
    assert.isNotEmpty(links)
    for (const link of links) assert.include(ids, link)
  })

  const measured = savedRun([
    suite([
      metric("POST throughput", "1/s", { corrente: [90, 100, 110], bare: [190, 200, 220] }),
      metric("GET latency", "ms", { corrente: [Number.NaN], bare: [0] }),
    ]),
  ])

  it("the report shows medians, ratios and every round in tables, and titles its plots", () => {
    const page = pageOf(measured)
    assert.include(page, "<title>POST throughput, 1/s. Medians: corrente 100, bare 200</title>")
    assert.match(page, /<td class="number">0\.50 \(0\.47 to 0\.50\)<\/td>/)
    assert.match(
      page,
      /<th scope="row" class="text">3<\/th><td class="number">110<\/td>\n<td class="number">220<\/td>/,
    )
    assert.match(page, /1\/s, more is better/)
    assert.notInclude(page, "NaN")
    assert.notInclude(page, "Infinity")
    assert.notInclude(page, "undefined")
  })

  it("the report shows met and missed targets, and right and wrong checks", () => {
    const page = pageOf(measured, runNamed("plain"))
    for (const word of [">met<", ">missed<", ">right<", ">WRONG<"]) assert.include(page, word)
  })

  it("the report draws a line of medians over runs, oldest first, with a gap where a run has none", () => {
    const runOf = (day: number, value: number | undefined) =>
      savedRun(
        value === undefined
          ? [suite([])]
          : [suite([metric(`GET at ${value}/s: p50`, "ms", { corrente: [value] })])],
        { environment: { ...savedRun([]).environment, startedAt: `2026-11-0${day}T00:00:00.000Z` } },
      )
    const page = pageOf(runOf(4, 40), runOf(1, 10), runOf(3, 30), runOf(2, undefined))
    assert.include(page, "medians over 4 runs, oldest first")
    const [, path = ""] = / d="(M[^"]*)"\/><circle class="c0" cx="58/.exec(page) ?? []
    const places = [...page.matchAll(/<path class="c0 d0" d="([^"]*)"/g)].map(([, d]) => d ?? "")
    const [line = ""] = places.filter((d) => !d.startsWith("M0 5"))
    assert.strictEqual(line.replaceAll(/[\d. ]/g, ""), "MML", path)
    assert.include(page, "Medians by run")
  })

  it("the report warns of a small size and of suites that the run did not reach", () => {
    const page = pageOf({ ...measured, size: "small", asked: ["transactions", "events"] })
    assert.include(page, "its figures mean nothing")
    assert.include(page, "Ended before running events.")
  })

  it("the report names the run of a suite that the newest run lacks", () => {
    const later = savedRun([suite([], { suite: "events" })], {
      environment: { ...savedRun([]).environment, startedAt: "2026-12-01T00:00:00.000Z" },
    })
    assert.include(pageOf(measured, later), "From run 1: later runs did not include it.")
  })
})

describe("the axis of a plot", () => {
  const values = fc.array(fc.double({ min: -1e12, max: 1e12, noNaN: true }), { minLength: 1 })

  it("an axis covers zero and every value with 2 to 7 ticks, from end to end", () => {
    fc.assert(
      fc.property(values, (all) => {
        const { from, to, ticks } = axisOf(all)
        const slack = 1e-9 * (to - from)
        assert.isTrue(from <= 0 && to >= 0 && from < to)
        for (const value of all) assert.isTrue(value >= from - slack && value <= to + slack)
        assert.isTrue(ticks.length >= 2 && ticks.length <= 7)
        assert.deepStrictEqual([ticks[0], ticks.at(-1)], [from, to])
      }),
    )
  })

  it("an axis places values within the picture, in their order", () => {
    fc.assert(
      fc.property(values, (all) => {
        const axis = axisOf(all)
        const places = all.toSorted((a, b) => a - b).map((value) => placeOn(axis, value, 100, 300))
        for (const [index, place] of places.entries()) {
          assert.isTrue(place >= 100 && place <= 300 && place >= (places[index - 1] ?? 100))
        }
      }),
    )
  })

  it("an axis of no measured values is the same as one of zeros", () => {
    assert.deepStrictEqual(axisOf([]), axisOf([Number.NaN, 0]))
  })
})

describe("the dots of a plot", () => {
  it("dots are thinned to the given number, keeping the least and the largest", () => {
    const all = Array.from({ length: 1_000 }, (_, index) => (index * 617) % 1_000)
    const few = thinned(all, 60)
    assert.lengthOf(few, 60)
    assert.deepStrictEqual([few[0], few.at(-1)], [0, 999])
    assert.strictEqual(thinned([3, 1, 2], 60).join(), "3,1,2")
  })
})
