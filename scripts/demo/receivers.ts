import { Effect, type Scope } from "effect"
import { Webhook } from "standardwebhooks"
import { startTlsReceiver } from "../../test/support/tlsReceiver.ts"

/** A webhook as it came. */
export interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** What the receiver answered. */
  readonly status: number
}

/** An HTTPS server of the merchant's, with a webhook receiver on each path. */
export interface Receivers {
  readonly origin: string
  /** PEM file of the authority that vouches for it. */
  readonly caFile: string
}

/**
 * Starts the receivers; `answer` decides the status of each request and may tell of it. Ends with the scope.
 * Its certificate is made for this process, so the service must be told to trust it.
 */
export const startReceivers = (
  answer: (path: string) => number,
  onReceived: (received: Received) => void,
): Effect.Effect<Receivers, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() =>
      startTlsReceiver({
        behaviour: ({ path, headers, body }) => {
          const status = answer(path)
          onReceived({ path, headers, body, status })
          return { kind: "respond", status }
        },
      }),
    ),
    (receiver) => Effect.promise(() => receiver.close()),
  )

/** Whether the standardwebhooks library takes this delivery for one signed with the secret. */
export const isGenuine = (secret: string, headers: Received["headers"], body: string): boolean => {
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch {
    return false
  }
}
