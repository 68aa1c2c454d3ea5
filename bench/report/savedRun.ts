import { Result, Schema, SchemaGetter } from "effect"

/** Version of the saved JSON; others are not read. */
export const savedFormat = 2

/** A file that is not a readable saved run; the message is a sentence for the user. */
export class BenchFileError extends Error {
  override readonly name = "BenchFileError"
}

/** JSON has no NaN or Infinity: unmeasured values are null there and NaN here. */
const Measured = Schema.NullOr(Schema.Finite).pipe(
  Schema.decodeTo(Schema.Number, {
    decode: SchemaGetter.transform((value: number | null) => value ?? Number.NaN),
    encode: SchemaGetter.transform((value: number) => (Number.isFinite(value) ? value : null)),
  }),
)

/** Contenders and units are plain strings here: an older run may have some that no longer exist. */
const SavedMetric = Schema.Struct({
  name: Schema.String,
  unit: Schema.String,
  values: Schema.Record(Schema.String, Schema.Array(Measured)),
  ratios: Schema.Record(Schema.String, Measured),
  isOverTime: Schema.optionalKey(Schema.Boolean),
})
/** A saved metric. */
export type SavedMetric = typeof SavedMetric.Type

const SavedSuite = Schema.Struct({
  suite: Schema.String,
  parameters: Schema.Record(Schema.String, Schema.Union([Schema.String, Measured])),
  metrics: Schema.Array(SavedMetric),
  targets: Schema.Array(Schema.Struct({ name: Schema.String, measured: Measured, isMet: Schema.Boolean })),
  checks: Schema.Array(
    Schema.Struct({ name: Schema.String, isRight: Schema.Boolean, detail: Schema.String }),
  ),
})
/** A saved suite result. */
export type SavedSuite = typeof SavedSuite.Type

const SavedRun = Schema.Struct({
  format: Schema.Literal(savedFormat),
  size: Schema.Literals(["small", "default", "full"]),
  /** Suites to run; those missing from `suites` were not reached. */
  asked: Schema.Array(Schema.String),
  environment: Schema.StructWithRest(Schema.Struct({ startedAt: Schema.String, commit: Schema.String }), [
    Schema.Record(Schema.String, Schema.String),
  ]),
  suites: Schema.Array(SavedSuite),
})
/** A saved run; an interrupted one has the suites it finished. */
export type SavedRun = typeof SavedRun.Type

const encode = Schema.encodeSync(SavedRun)
const decode = Schema.decodeUnknownResult(SavedRun)
const decodeFormat = Schema.decodeUnknownResult(Schema.Struct({ format: Schema.Unknown }))

/** Suites that were requested but are missing. */
export const missingSuites = ({ asked, suites }: SavedRun): ReadonlyArray<string> =>
  asked.filter((name) => !suites.some(({ suite }) => suite === name))

/** Serializes a run. */
export const encodeRun = (run: SavedRun): string => `${JSON.stringify(encode(run), undefined, 2)}\n`

const parse = (text: string, name: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new BenchFileError(`${name} is not JSON, so it is not a run saved by npm run bench.`)
  }
}

/** Parses a saved run; errors call the file `name`. Throws {@link BenchFileError}. */
export const decodeRun = (text: string, name: string): SavedRun => {
  const json = parse(text, name)
  const head = decodeFormat(json)
  if (Result.isFailure(head)) throw new BenchFileError(`${name} is not a run saved by npm run bench.`)
  const { format } = head.success
  if (format !== savedFormat) {
    throw new BenchFileError(
      `${name} has the format ${JSON.stringify(format)}, and this program reads format ${savedFormat}: measure again.`,
    )
  }
  const run = decode(json)
  if (Result.isFailure(run)) {
    throw new BenchFileError(
      `${name} says format ${savedFormat} but does not match it:\n${run.failure.message}`,
    )
  }
  return run.success
}
