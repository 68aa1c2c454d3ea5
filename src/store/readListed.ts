import { Effect } from "effect"

const rereadsMax = 4

/**
 * Reads a page of a filtered list, and again where one of its resources is no longer what the list is of: an index and what it points
 * to are two reads, and a resource may leave its index in between. A page that changes each time is returned as it was read last.
 */
export const readListed = <Resource, Refusal extends object, E, R>(
  isListed: (resource: Resource) => boolean,
  read: Effect.Effect<ReadonlyArray<Resource> | Refusal, E, R>,
): Effect.Effect<ReadonlyArray<Resource> | Refusal, E, R> => {
  const hasChanged = (found: ReadonlyArray<Resource> | Refusal) =>
    Array.isArray(found) && !(found as ReadonlyArray<Resource>).every(isListed)
  return Effect.repeat(read, { while: hasChanged, times: rereadsMax })
}

/** Whether a resource is in a list by status; undefined lists all. */
export const isOfStatus =
  (status: string | undefined) =>
  (resource: { readonly status: string }): boolean =>
    status === undefined || resource.status === status
