import { Schema } from "effect"
import { pingEventType } from "../../schema/events.ts"
import type { EventEntry } from "../ports/eventLog.ts"
import { storedReader } from "../values/storedDocuments.ts"

/** An example of the catalog that a ping sends instead of itself (docs/contract/endpoints.md#test-events). */
const TestEvent = Schema.Struct({
  type: Schema.String,
  /** The example's `data.object`. */
  object: Schema.Record(Schema.String, Schema.Unknown),
})
export type TestEvent = typeof TestEvent.Type

const parsePing = storedReader("ping", Schema.Struct({ test_event: Schema.optionalKey(TestEvent) }))

/** The test event in a ping's entry; undefined for an ordinary ping, and for any other event. */
export const testEventOf = (entry: EventEntry): TestEvent | undefined => {
  if (entry.type !== pingEventType) return undefined
  return parsePing(entry.data).test_event
}
