import type { Fiber } from "effect"

const gone = new WeakSet<object>()

/**
 * Marks a fiber whose caller has gone. The fiber runs on, because work in progress is not cut off, but its messages that no
 * actor has started on are dropped.
 */
export const callerLeft = (fiber: Fiber.Fiber<unknown, unknown>): void => {
  gone.add(fiber)
}

/** Whether {@link callerLeft} was called with this fiber. */
export const hasCallerLeft = (fiber: object): boolean => gone.has(fiber)
