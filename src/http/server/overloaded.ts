import { renderError, serviceUnavailable } from "../../../schema/errors.ts"

const mark = "\0"
const [head = "", tail = ""] = renderError(
  serviceUnavailable("The service is overloaded right now. Try again after Retry-After."),
  mark,
).split(JSON.stringify(mark).slice(1, -1))

/**
 * The body of a 503 `service_unavailable` under load. Assembled from prepared parts, because it is made thousands of
 * times.
 */
export const overloadedBody = (requestId: string): string => head + requestId + tail
