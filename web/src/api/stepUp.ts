import { signal } from "@preact/signals"

/** A request that waits for its user to confirm who they are. */
export interface StepUpRequest {
  readonly settle: (isConfirmed: boolean) => void
}

/** What waits for the step-up dialog, which is open while this is defined. */
export const stepUpRequest = signal<StepUpRequest | undefined>(undefined)

let pending: Promise<boolean> | undefined

/**
 * Asks the user for a second factor, in a dialog (`docs/contract/accounts.md#step-up`). True once it was confirmed, false if
 * the user gave up. Requests that ask at the same time share one dialog.
 */
export const askStepUp = (): Promise<boolean> => {
  pending ??= new Promise<boolean>((resolve) => {
    stepUpRequest.value = {
      settle: (isConfirmed) => {
        stepUpRequest.value = undefined
        pending = undefined
        resolve(isConfirmed)
      },
    }
  })
  return pending
}
