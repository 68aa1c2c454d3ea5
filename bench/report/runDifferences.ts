type Facts = Readonly<Record<string, string | number>>

const say = (facts: Facts, name: string): string =>
  Object.hasOwn(facts, name) ? String(facts[name]) : "(nothing)"

/** Where two runs' parameters differ, as `name: A's | B's`. */
export const differencesOf = (before: Facts, after: Facts): ReadonlyArray<string> =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => say(before, name) !== say(after, name))
    .map((name) => `${name}: ${say(before, name)} | ${say(after, name)}`)
