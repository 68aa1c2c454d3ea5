import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import protobuf from "protobufjs"
import { freeTestPort } from "./ports.ts"

/** Messages of opentelemetry/proto/trace/v1/trace.proto and of what it imports, with the fields of OTLP 1.x that spans have. */
const schema = `
syntax = "proto3";
package opentelemetry.proto;
message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
message ScopeSpans { InstrumentationScope scope = 1; repeated Span spans = 2; string schema_url = 3; }
message InstrumentationScope { string name = 1; string version = 2; repeated KeyValue attributes = 3; }
message Span {
  bytes trace_id = 1;
  bytes span_id = 2;
  string trace_state = 3;
  bytes parent_span_id = 4;
  string name = 5;
  int32 kind = 6;
  fixed64 start_time_unix_nano = 7;
  fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9;
  uint32 dropped_attributes_count = 10;
  repeated Event events = 11;
  repeated Link links = 13;
  Status status = 15;
}
message Event { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; }
message Link { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; repeated KeyValue attributes = 4; }
message Status { string message = 2; int32 code = 3; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue {
  oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; }
}`
const Request = protobuf.parse(schema).root.lookupType("opentelemetry.proto.ExportTraceServiceRequest")

interface WireAttribute {
  readonly key: string
  readonly value: Readonly<Record<string, string | number | boolean>>
}

interface WireSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes?: ReadonlyArray<WireAttribute>
  readonly events?: ReadonlyArray<unknown>
  readonly status?: { readonly code?: number; readonly message?: string }
}

interface WireRequest {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: ReadonlyArray<WireAttribute> }
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<WireSpan> }>
  }>
}

type Attributes = Readonly<Record<string, string | number | boolean>>

/** A span as the collector got it; ids in hexadecimal, times in ns. */
export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: number
  readonly startNanos: bigint
  readonly endNanos: bigint
  readonly attributes: Attributes
  readonly events: ReadonlyArray<unknown>
  readonly status: { readonly code?: number; readonly message?: string }
  readonly resource: Attributes
}

const hexOf = (base64: string | undefined): string => Buffer.from(base64 ?? "", "base64").toString("hex")

const attributesOf = (list: ReadonlyArray<WireAttribute> = []): Attributes =>
  Object.fromEntries(
    list.map(({ key, value: { stringValue, boolValue, intValue, doubleValue } }) => [
      key,
      stringValue ?? boolValue ?? (intValue === undefined ? (doubleValue ?? "") : Number(intValue)),
    ]),
  )

/** The spans of a request's protobuf body; throws unless it is one. */
export const spansIn = (body: Uint8Array): ReadonlyArray<CollectedSpan> => {
  const options = { bytes: String, longs: String } as const
  const request = Request.toObject(Request.decode(body), options) as unknown as WireRequest
  return request.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        traceId: hexOf(span.traceId),
        spanId: hexOf(span.spanId),
        parentSpanId: hexOf(span.parentSpanId) || undefined,
        name: span.name,
        kind: span.kind,
        startNanos: BigInt(span.startTimeUnixNano),
        endNanos: BigInt(span.endTimeUnixNano),
        attributes: attributesOf(span.attributes),
        events: span.events ?? [],
        status: span.status ?? {},
        resource: attributesOf(resource.attributes),
      })),
    ),
  )
}

/** A collector that speaks OTLP over HTTP, as protobuf. */
export interface OtlpCollector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly endpoint: string
  readonly spans: () => ReadonlyArray<CollectedSpan>
  /** The headers of each call. */
  readonly calls: () => ReadonlyArray<IncomingHttpHeaders>
  /** All that was sent, as text: what must not be there can be searched for. */
  readonly bytes: () => string
  /** What it does from now on: takes spans, refuses them with a status, or never answers. */
  readonly behave: (how: "take" | number | "hang") => void
  readonly close: () => Promise<void>
}

/** Starts a collector. Close it with the test. */
export const startOtlpCollector = async (): Promise<OtlpCollector> => {
  let how: "take" | number | "hang" = "take"
  const spans: Array<CollectedSpan> = []
  const calls: Array<IncomingHttpHeaders> = []
  let bytes = ""
  const answer = (response: ServerResponse, status: number) => response.writeHead(status).end()
  const server = createServer(async (request, response) => {
    const body = Buffer.from(await text(request.setEncoding("latin1")), "latin1")
    calls.push(request.headers)
    bytes += body.toString("latin1")
    if (how === "hang") return
    if (how !== "take") return answer(response, how)
    if (request.url !== "/v1/traces" || request.headers["content-type"] !== "application/x-protobuf") {
      return answer(response, 400)
    }
    spans.push(...spansIn(body))
    return answer(response, 200)
  })
  const port = await freeTestPort()
  await new Promise<void>((listening) => server.listen(port, "127.0.0.1", listening))
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans: () => spans,
    calls: () => calls,
    bytes: () => bytes,
    behave: (next) => {
      how = next
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}
