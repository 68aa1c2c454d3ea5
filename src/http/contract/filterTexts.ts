import { Result, Schema, type SchemaIssue, SchemaParser } from "effect"
import { type ApiError, validationFailed } from "../../../schema/errors.ts"
import { issueToError } from "./validation.ts"

/**
 * Makes the decoder of a list's filters that stand in a body, as texts by name: those that the list's query takes, and no others. 400
 * `validation_failed` at `<param>.<name>`.
 */
export const filterTexts = <const Fields extends Schema.Struct.Fields>(fields: Fields) => {
  const schema = Schema.Struct(fields)
  type Filters = (typeof schema)["Type"]
  const decode = SchemaParser.decodeUnknownResult(
    schema as unknown as Schema.Top & Schema.ConstraintDecoder<Filters>,
  ) as (texts: unknown) => Result.Result<Filters, SchemaIssue.Issue>
  return (
    param: string,
    texts: Readonly<Record<string, string>>,
  ): Filters | ApiError<"validation_failed"> => {
    const stranger = Object.keys(texts).find((name) => !Object.hasOwn(fields, name))
    if (stranger !== undefined) {
      const known = Object.keys(fields).join(", ")
      return validationFailed(`${param}.${stranger}`.slice(0, 200), `There is no such filter, but ${known}.`)
    }
    const result = decode(texts)
    return Result.isSuccess(result)
      ? result.success
      : issueToError(result.failure, (name) => `${param}.${name}`)
  }
}
