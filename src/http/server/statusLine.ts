import { STATUS_CODES } from "node:http"

const lines = new Map(
  Object.entries(STATUS_CODES).map(([status, reason]) => [Number(status), `${status} ${reason}`]),
)

/** `404 Not Found`: what stands after the version in a response. */
export const statusLine = (status: number): string => lines.get(status) ?? String(status)
