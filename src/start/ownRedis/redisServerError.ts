import { Schema } from "effect"

/** Our own Redis cannot run, or none was found. `message` says why and what to do. */
export class RedisServerError extends Schema.TaggedError<RedisServerError>()("RedisServerError", {
  message: Schema.String,
}) {}
