/** A time of RFC 3339 (section 5.6): `T` and `Z` may be lower case, and a space may stand for `T`. */
const timePattern = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d):(\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

/** The milliseconds of a time as API Pix writes it, cut off below; undefined for anything else. */
export const millisOf = (time: unknown): number | undefined => {
  const parts = typeof time === "string" ? timePattern.exec(time) : null
  if (parts === null) return undefined
  const [, date, minute, second = "", fraction = "", zone = ""] = parts
  // A leap second, which JavaScript does not know.
  const isLeap = second === "60"
  const whole = `${date}T${minute}:${isLeap ? "59" : second}${fraction.slice(0, 4)}${zone.toUpperCase()}`
  const millis = Date.parse(whole) + (isLeap ? 1_000 : 0)
  return Number.isNaN(millis) ? undefined : millis
}
