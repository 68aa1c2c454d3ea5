import { pingEventType } from "../../schema/events.ts"
import type { EventEntry } from "../ports/eventLog.ts"

/** An example of the catalog that a ping sends instead of itself (docs/contract/endpoints.md#test-events). */
export interface TestEvent {
  readonly type: string
  /** The example's `data.object`. */
  readonly object: Readonly<Record<string, unknown>>
}

/** The test event in a ping's entry; undefined for an ordinary ping, and for any other event. */
export const testEventOf = (entry: EventEntry): TestEvent | undefined => {
  if (entry.type !== pingEventType) return undefined
  return (JSON.parse(entry.data) as { readonly test_event?: TestEvent }).test_event
}
