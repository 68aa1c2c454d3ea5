import fc from "fast-check"
import { type Form, type Members, type SchemaName, schemas } from "./description.ts"

/** JSON as a bank wrote it. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject
export interface JsonObject {
  readonly [name: string]: Json
}

/** `\d{1,10}\.\d{2}`: with and without zeros in front, from nothing to the largest. */
const amounts = fc
  .tuple(fc.oneof(fc.nat(200_000), fc.nat(9_999_999_999), fc.constant(0)), fc.nat(3), fc.nat(99))
  .map(([reais, zeros, cents]) => {
    const digits = `${"0".repeat(zeros)}${reais}`.slice(-10)
    return `${digits}.${String(cents).padStart(2, "0")}`
  })

/** The centavos of an amount, told by another way than the adapter's. */
export const centavosIn = (amount: string): number => Number(BigInt(amount.replace(".", "")))

const two = (number: number) => String(number).padStart(2, "0")
const offsets = fc.tuple(fc.constantFrom("+", "-"), fc.nat(14), fc.constantFrom(0, 30, 45))

/** The times that were drawn, with their milliseconds. */
const drawnTimes = new Map<string, number>()

/** RFC 3339 in all its forms: offsets, fractions of any length, `t` and `z`, a space, a leap second. */
const times = fc
  .record({
    moment: fc.integer({ min: Date.parse("2020-11-16T00:00:00Z"), max: Date.parse("2030-01-01T00:00:00Z") }),
    fraction: fc.oneof(fc.constant(""), fc.stringMatching(/^\.\d{1,9}$/)),
    offset: fc.option(offsets, { nil: undefined }),
    letters: fc.constantFrom("TZ", "tz", " Z"),
    isLeap: fc.boolean(),
  })
  .map(({ moment, fraction, offset, letters, isLeap }) => {
    const [sign, hours, minutes] = offset ?? ["+", 0, 0]
    const offsetMillis = (sign === "-" ? -1 : 1) * (hours * 60 + minutes) * 60_000
    const whole = Math.floor(moment / 60_000) * 60_000 + (isLeap ? 59 : moment % 60) * 1_000
    const local = new Date(whole + offsetMillis)
    const seconds = isLeap ? "60" : two(local.getUTCSeconds())
    const day = local.toISOString().slice(0, 10)
    const clock = `${two(local.getUTCHours())}:${two(local.getUTCMinutes())}:${seconds}${fraction}`
    const zone = offset === undefined ? letters[1] : `${sign}${two(hours)}:${two(minutes)}`
    const text = `${day}${letters[0]}${clock}${zone}`
    const millis = Number(fraction.slice(1, 4).padEnd(3, "0"))
    drawnTimes.set(text, whole + (isLeap ? 1_000 : 0) + millis)
    return text
  })

/** The milliseconds of a time that was drawn. */
export const millisIn = (time: string): number => {
  const millis = drawnTimes.get(time)
  if (millis === undefined) throw new Error(`${time} was not drawn`)
  return millis
}

const formed = (form: Form): fc.Arbitrary<Json> => {
  switch (form.kind) {
    case "matching":
      return fc.stringMatching(form.pattern)
    case "words":
      return fc.string({ maxLength: Math.min(form.most, 40), unit: "grapheme" })
    case "oneOf":
      return fc.constantFrom(...form.values)
    case "integer":
      return fc.integer({ min: form.least, max: form.most })
    case "amount":
      return amounts
    case "time":
      return times
    case "boolean":
      return fc.boolean()
    case "uri":
      return fc.stringMatching(/^[a-z0-9.]{1,20}\/[A-Za-z0-9/]{1,50}$/)
    case "list":
      return fc.array(formed(form.of), { maxLength: 4 })
    case "object":
      return object(form.members)
  }
}

/** Members that no schema has, of any type. */
const extras = fc.dictionary(fc.stringMatching(/^x[A-Za-z]{1,12}$/), fc.jsonValue({ maxDepth: 1 }), {
  maxKeys: 2,
  noNullPrototype: true,
}) as fc.Arbitrary<JsonObject>

/** A valid object: each optional member is there, absent or null, and other members are there too. */
const object = (members: Members): fc.Arbitrary<JsonObject> => {
  const drawn = Object.entries(members).map(([name, { form, isRequired }]) => {
    const one = formed(form)
    const value = isRequired ? one : fc.oneof(one, one, fc.constant(undefined), fc.constant(null))
    return value.map((json) => (json === undefined ? {} : { [name]: json }))
  })
  return fc.tuple(extras, ...drawn).map((parts) => Object.assign({}, ...parts) as JsonObject)
}

/** Draws valid answers of a schema of the description, or of other members. */
export const answersOf = (schema: SchemaName | Members): fc.Arbitrary<JsonObject> =>
  object(typeof schema === "string" ? schemas[schema] : schema)
