import { useEffect } from "preact/hooks"
import type { CorrenteError } from "../../../../client/src/errors.ts"
import type { Resource } from "../../api/resource.ts"
import { isAttended, onAttention } from "../../app/attention.ts"

/** The time that a {@link makeRefresher} lives in, so that tests need not wait. */
export interface RefreshClock {
  /** Whether somebody may be looking. */
  readonly isAttended: () => boolean
  /** Calls back once after so many ms; returns what cancels that. */
  readonly after: (millis: number, run: () => void) => () => void
}

export interface Refresher {
  /** To be told when somebody comes or goes. */
  readonly attentionChanged: () => void
  readonly stop: () => void
}

const everyMillis = 5_000
const failedEveryMaxMillis = 60_000

/** How long to wait after so many failures in a row, in ms: doubles up to a minute. */
export const refreshWaitMillis = (failures: number): number =>
  Math.min(everyMillis * 2 ** failures, failedEveryMaxMillis)

/**
 * Reads something again and again while somebody may be looking: every five seconds, later after failures, and never while the
 * reading before is still under way. `read` says whether it succeeded; it must not reject.
 */
export const makeRefresher = (read: () => Promise<boolean>, clock: RefreshClock): Refresher => {
  let failures = 0
  let isReading = false
  let isStopped = false
  let cancel = () => {}
  const wait = () => {
    cancel()
    if (!isStopped && clock.isAttended())
      cancel = clock.after(refreshWaitMillis(failures), () => void readOnce())
  }
  const readOnce = async () => {
    if (isReading || isStopped || !clock.isAttended()) return
    isReading = true
    const isOk = await read()
    isReading = false
    failures = isOk ? 0 : failures + 1
    wait()
  }
  wait()
  return {
    attentionChanged: () => {
      cancel()
      if (clock.isAttended()) void readOnce()
    },
    stop: () => {
      isStopped = true
      cancel()
    },
  }
}

/** Whether reading again would only be refused again, until the operator acts. */
const needsOperator = (error: CorrenteError | undefined): boolean =>
  error?.code === "mfa_required" || error?.code === "session_required"

const clock: RefreshClock = {
  isAttended,
  after: (millis, run) => {
    const timer = setTimeout(run, millis)
    return () => clearTimeout(timer)
  },
}

type Refreshed = Pick<Resource<unknown>, "refresh" | "error">

/** Keeps what a page shows up to date: operators have no event feed. */
export const useRefreshing = (...resources: ReadonlyArray<Refreshed>): void => {
  useEffect(() => {
    const read = async () => {
      const wanted = resources.filter(({ error }) => !needsOperator(error.peek()))
      await Promise.all(wanted.map(({ refresh }) => refresh()))
      return resources.every(({ error }) => error.peek() === undefined)
    }
    const refresher = makeRefresher(read, clock)
    const leave = onAttention(refresher.attentionChanged)
    return () => {
      leave()
      refresher.stop()
    }
  }, resources)
}
