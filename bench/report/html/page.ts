import { contenderNames, contenders } from "../../contenders.ts"
import type { NamedRun } from "../runStore.ts"
import { missingSuites, type SavedRun } from "../savedRun.ts"
import { type Html, html, nothing } from "./html.ts"
import { styles } from "./styles.ts"
import { factsHtml, suiteSection } from "./suiteSection.ts"
import { contendersOf, numberCell, tableHtml, textCell } from "./tables.ts"

const wrongChecks = ({ suites }: SavedRun): ReadonlyArray<string> =>
  suites.flatMap(({ suite, checks }) =>
    checks.filter(({ isRight }) => !isRight).map(({ name }) => `${suite}: ${name}`),
  )

/** Warnings that make a run's figures less reliable than they look. */
const noticesOf = (run: SavedRun): ReadonlyArray<string> => {
  const [wrong, missing] = [wrongChecks(run), missingSuites(run)]
  return [
    ...(run.size === "small"
      ? ["A small run: it only proves that the benches work; its figures mean nothing."]
      : []),
    ...(missing.length === 0 ? [] : [`Ended before running ${missing.join(", ")}.`]),
    ...(wrong.length === 0 ? [] : [`Checks are wrong, so the figures prove nothing: ${wrong.join("; ")}.`]),
  ]
}

const targetsText = ({ suites }: SavedRun): string => {
  const targets = suites.flatMap((suite) => suite.targets)
  return `${targets.filter(({ isMet }) => isMet).length} of ${targets.length}`
}

const runsTable = (runs: ReadonlyArray<NamedRun>): Html =>
  tableHtml(
    "All runs, oldest first",
    [
      ...["run", "started", "commit", "size", "machine", "node", "redis"].map(textCell),
      numberCell("targets met"),
      textCell("remarks"),
    ],
    runs.map(({ run }, index) => [
      textCell(index + 1),
      textCell(run.environment.startedAt),
      textCell(run.environment.commit),
      textCell(run.size),
      ...["machine", "node", "redis"].map((name) => textCell(run.environment[name] ?? "")),
      numberCell(targetsText(run)),
      textCell(noticesOf(run).join(" ")),
    ]),
  )

const contendersHtml = (names: ReadonlyArray<string>): Html => {
  const known = contenderNames.filter((name) => names.includes(name))
  return known.length === 0
    ? nothing
    : html`<h3>Contenders</h3>${factsHtml(Object.fromEntries(known.map((name) => [name, contenders[name].replaceAll("`", "")])))}`
}

/** Sorts runs by start, oldest first. */
const inOrder = (runs: ReadonlyArray<NamedRun>): ReadonlyArray<NamedRun> =>
  runs.toSorted((left, right) => {
    const [early, late] = [left.run.environment.startedAt, right.run.environment.startedAt]
    return early < late ? -1 : early > late ? 1 : 0
  })

const bodyOf = (runs: ReadonlyArray<NamedRun>, newest: SavedRun): Html => {
  const suites = [...new Set(runs.toReversed().flatMap(({ run }) => run.suites.map(({ suite }) => suite)))]
  const names = runs.flatMap(({ run }) => run.suites.flatMap(contendersOf))
  const { startedAt, commit } = newest.environment
  return html`<header><h1>Corrente bench</h1>
<p>Commit <strong>${commit}</strong>, started ${startedAt}, size ${newest.size}, targets met: ${targetsText(newest)}.</p>
${noticesOf(newest).map((notice) => html`<p class="notice">${notice}</p>`)}
<nav aria-label="Suites"><ul>${suites.map((suite, index) => html`<li><a href="#suite-${index}">${suite}</a></li>`)}</ul></nav></header>
<main><h2>Where it ran</h2>${factsHtml(newest.environment)}
${runs.length > 1 ? runsTable(runs) : nothing}
${contendersHtml(names)}
${suites.map((suite, index) => suiteSection(suite, index, runs))}
</main>`
}

/**
 * One page about one or more runs: the newest in full, older ones as lines of medians. It loads nothing and runs no
 * script.
 */
export const reportPage = (given: ReadonlyArray<NamedRun>): string => {
  const runs = inOrder(given)
  const newest = runs.at(-1)?.run
  if (newest === undefined) throw new RangeError("a report needs a run")
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>Corrente bench, ${newest.environment.commit}</title>
<style>${{ markup: styles }}</style></head>
<body>${bodyOf(runs, newest)}</body></html>
`
  return page.markup
}
