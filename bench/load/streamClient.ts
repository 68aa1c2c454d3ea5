/** A process that follows many event streams over raw sockets, and compares what they receive. */
import { serveParent } from "./serveParent.ts"
import { StreamGroup } from "./streamGroup.ts"
import type { StreamClientAnswer, StreamClientRequest } from "./streamProtocol.ts"

const groups = new Map<string, StreamGroup>()

const groupOf = (name: string): StreamGroup => {
  const known = groups.get(name)
  if (known !== undefined) return known
  const group = new StreamGroup()
  groups.set(name, group)
  return group
}

serveParent<StreamClientRequest, StreamClientAnswer>(async (request) => {
  const group = groupOf(request.group)
  switch (request.kind) {
    case "open":
      await group.open(request)
      return group.answer()
    case "await":
      await group.awaitEvents(request.events, request.timeoutMillis)
      return group.answer()
    case "take":
      return group.take()
    case "close":
      await group.close()
      return group.answer()
  }
})
