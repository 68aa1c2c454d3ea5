import { Effect, Schema } from "effect"
import { type ApiError, validationFailed } from "../../schema/errors.ts"

/** Text of `min` to `max` characters. */
export const textOf = (min: number, max: number) => Schema.String.check(Schema.isBetweenCodePoints(min, max))

/** Fails with 400 `validation_failed` at `param` unless the value is of the schema; `mustBe` completes "must be ...". */
export const checkField = (
  param: string,
  schema: Schema.Codec<unknown, unknown>,
  value: unknown,
  mustBe: string,
): Effect.Effect<void, ApiError<"validation_failed">> =>
  Schema.is(schema)(value) ? Effect.void : Effect.fail(validationFailed(param, `${param} must be ${mustBe}.`))
