// An import would load all that `http` has, Node's own fetch among it: 30 ms of CPU.
const { STATUS_CODES = {} } = process.getBuiltinModule("node:http")

const lines = new Map(
  Object.entries(STATUS_CODES).map(([status, reason]) => [Number(status), `${status} ${reason}`]),
)

/** Status and reason phrase, such as `404 Not Found`. */
export const statusLine = (status: number): string => lines.get(status) ?? String(status)
