import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { loadSettings, type SettingsError } from "../../src/config/settings.ts"

const load = (environment: Record<string, string>) => loadSettings({ NODE_ENV: "test", ...environment })
const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" }

const problemsOf = (environment: Record<string, string>) =>
  Effect.map(Effect.flip(load({ ...endpoint, ...environment })), ({ problems }: SettingsError) =>
    problems.join("\n"),
  )

describe("settings of traces", () => {
  it.effect("without an endpoint nothing is traced, whatever else is set", () =>
    Effect.gen(function* () {
      const { traces } = yield* load({ OTEL_TRACES_SAMPLER_ARG: "1", OTEL_SERVICE_NAME: "loja" })
      assert.isUndefined(traces)
    }),
  )

  it.effect("an endpoint alone traces one request of a hundred, as corrente", () =>
    Effect.gen(function* () {
      const { traces } = yield* load(endpoint)
      assert.deepStrictEqual(traces, {
        url: "http://127.0.0.1:4318/v1/traces",
        headers: undefined,
        ratio: 0.01,
        serviceName: "corrente",
      })
    }),
  )

  it.effect("spans go below the path of the endpoint, with headers whose values were percent-encoded", () =>
    Effect.gen(function* () {
      const { traces } = yield* load({
        OTEL_EXPORTER_OTLP_ENDPOINT: "https://otlp.example.com/otlp/",
        OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Basic%20YTpi==, x-tenant = loja",
      })
      assert.strictEqual(traces?.url, "https://otlp.example.com/otlp/v1/traces")
      assert.deepStrictEqual(traces?.headers && Redacted.value(traces.headers), {
        authorization: "Basic YTpi==",
        "x-tenant": "loja",
      })
    }),
  )

  it.effect.each(["0", "0.0", "0.000000001", "0.5", "1", "1.0"])("a ratio of %s is taken", (ratio) =>
    Effect.gen(function* () {
      const { traces } = yield* load({ ...endpoint, OTEL_TRACES_SAMPLER_ARG: ratio })
      assert.strictEqual(traces?.ratio, Number(ratio))
    }),
  )

  it.effect.each(["1.000000001", "2", "-0.1", ".5", "1%", "0.0000000001", "NaN"])(
    "a ratio of %s is refused",
    (ratio) =>
      Effect.gen(function* () {
        const problems = yield* problemsOf({ OTEL_TRACES_SAMPLER_ARG: ratio })
        assert.match(problems, /OTEL_TRACES_SAMPLER_ARG is ".+", but must be a number from 0 to 1/)
      }),
  )

  it.effect.each<readonly [string, string]>([
    ["a name without a value", "x-token"],
    ["an empty value", "x-token="],
    ["half an escape", "x-token=%2"],
    ["a line break", "x-token=a%0D%0Ab"],
    ["a name that is none", "x token=a"],
    ["21 headers", Array.from({ length: 21 }, (_, i) => `x-${i}=hunter2`).join(",")],
  ])("headers with %s are refused, and not shown", ([_, headers]) =>
    Effect.gen(function* () {
      const problems = yield* problemsOf({ OTEL_EXPORTER_OTLP_HEADERS: headers })
      assert.match(problems, /OTEL_EXPORTER_OTLP_HEADERS \(value not shown\) must be at most 20 headers/)
      assert.notInclude(problems, headers)
    }),
  )

  it.effect("20 headers are taken", () =>
    Effect.gen(function* () {
      const headers = Array.from({ length: 20 }, (_, i) => `x-${i}=a`).join(",")
      const { traces } = yield* load({ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers })
      assert.lengthOf(Object.keys((traces?.headers && Redacted.value(traces.headers)) ?? {}), 20)
    }),
  )

  it.effect.each([
    "ftp://collector.test",
    "collector.test:4318",
    "http://user:pass@collector.test",
    "http://collector.test?a=1",
  ])("%s is no endpoint", (url) =>
    Effect.gen(function* () {
      const problems = yield* problemsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: url })
      assert.match(problems, /OTEL_EXPORTER_OTLP_ENDPOINT is .+ must be an http or https URL/)
      assert.notInclude(problems, "pass@")
    }),
  )
})
