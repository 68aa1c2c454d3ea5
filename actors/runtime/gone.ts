import type { Fiber } from "effect"

const gone = new WeakSet<object>()

/**
 * Nobody waits any more for what a fiber asks. It runs on, as what it has begun is not cut; but what it has asked of an
 * actor and that has not been begun is left undone.
 */
export const markGone = (fiber: Fiber.Fiber<unknown, unknown>): void => {
  gone.add(fiber)
}

/** Whether {@link markGone} was called of it. */
export const hasGone = (fiber: object): boolean => gone.has(fiber)
