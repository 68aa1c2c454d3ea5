import { signal } from "@preact/signals"
import { user } from "./session.ts"

/** A request that waits for its user to confirm who they are. */
export interface StepUpRequest {
  readonly settle: (isConfirmed: boolean) => void
  /** The form that asks for the code in place; undefined where a dialog does. */
  readonly host: object | undefined
}

/** What waits for a step-up: its form, or the step-up dialog, asks while this is defined. */
export const stepUpRequest = signal<StepUpRequest | undefined>(undefined)

let pending: Promise<boolean> | undefined
let hosts: ReadonlyArray<object> = []

/** Lets a form that is being sent ask for the code in place, rather than a dialog over it; returns what ends that. */
export const hostStepUp = (host: object): (() => void) => {
  hosts = [...hosts, host]
  return () => {
    hosts = hosts.filter((other) => other !== host)
  }
}

/** Somebody without a second factor turns it on first, which takes a dialog. */
const hostNow = (): object | undefined => (user.peek()?.twoFactorEnabled === false ? undefined : hosts.at(-1))

/**
 * Asks the user for a second factor, in the form that is being sent or in a dialog (`docs/contract/accounts.md#step-up`). True once it
 * was confirmed, false if the user gave up. Requests that ask at the same time are answered by one code.
 */
export const askStepUp = (): Promise<boolean> => {
  pending ??= new Promise<boolean>((resolve) => {
    let isSettled = false
    stepUpRequest.value = {
      host: hostNow(),
      settle: (isConfirmed) => {
        if (isSettled) return
        isSettled = true
        stepUpRequest.value = undefined
        pending = undefined
        resolve(isConfirmed)
      },
    }
  })
  return pending
}

/** Has the dialog ask instead of a form: the user turned the second factor off elsewhere, and turns it on again there. */
export const moveStepUpToDialog = (): void => {
  const request = stepUpRequest.peek()
  if (user.value) user.value = { ...user.value, twoFactorEnabled: false }
  if (request !== undefined) stepUpRequest.value = { ...request, host: undefined }
}
