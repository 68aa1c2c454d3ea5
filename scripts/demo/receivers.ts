import { Effect, type Scope } from "effect"
import { Webhook } from "standardwebhooks"
import { startTlsReceiver } from "../../test/support/tlsReceiver.ts"

/** A received webhook. */
export interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The receiver's response. */
  readonly status: number
}

/** An HTTPS server of the merchant, with a webhook receiver on each path. */
export interface Receivers {
  readonly origin: string
  /** PEM file of the authority that issued its certificate. */
  readonly caFile: string
}

/**
 * Starts the receivers until the scope closes; `answer` decides the status of each request. The certificate is new, so
 * the service must be told to trust it.
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

/** Whether the standardwebhooks library accepts the delivery as signed with the secret. */
export const isGenuine = (secret: string, headers: Received["headers"], body: string): boolean => {
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch {
    return false
  }
}
