import { SchemaIssue } from "effect"
import { type ApiError, validationFailed } from "../../../schema/errors.ts"

/** A path may contain a caller's own key (`metadata.<key>`); no error needs more of it. */
const paramLengthMax = 200

/** Replaces the schema's own message for a missing key. */
const missing = "\u0000missing"

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => (issue._tag === "MissingKey" ? missing : SchemaIssue.defaultLeafHook(issue)),
})

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  array: "an array",
  null: "null",
}

/** Turns `string | null` into `a string or null`. */
const wordAlternatives = (expected: string): string => {
  const names = expected.split(" | ").map((name) => typeNames[name] ?? name)
  const last = names.pop() ?? expected
  return names.length === 0 ? last : `${names.join(", ")} or ${last}`
}

const sentence = (subject: string, message: string): string => {
  if (message === missing) return `${subject} is required.`
  const expected = message.startsWith("Expected ") ? message.slice("Expected ".length) : message
  const verb = /^(keys|at most|at least)\b/.test(expected) ? "have" : "be"
  return `${subject} must ${verb} ${wordAlternatives(expected)}.`
}

/**
 * Turns the first issue of a failed decoding into 400 `validation_failed`. `param` is the path of the field
 * (`items.0.quantity`), the message says what is expected there and repeats no input. `title` renames fields.
 */
export const issueToError = (
  issue: SchemaIssue.Issue,
  title: (name: string) => string = (name) => name,
): ApiError<"validation_failed"> => {
  const [first] = format(issue).issues
  const names = (first?.path ?? []).map((name) => title(String(name)))
  const path = names.join(".").slice(0, paramLengthMax)
  if (path === "")
    return validationFailed(undefined, "The body must be a JSON object with the documented fields.")
  return validationFailed(path, sentence(path, first?.message ?? "Expected a valid value"))
}
