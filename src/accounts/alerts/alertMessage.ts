import type { AttemptRequest } from "../../../actors/ports/sender.ts"

/** A message to a chat, in the form of Slack's incoming webhooks; `id` is the same for each attempt. */
export const alertMessage = (message: {
  readonly url: string
  readonly id: string
  readonly text: string
  readonly attempt: number
}): AttemptRequest => ({
  url: message.url,
  body: JSON.stringify({ text: message.text }),
  // A chat checks no signature: its URL is the secret.
  secrets: [],
  secretRequired: false,
  eventId: message.id,
  eventType: "alert",
  deliveryId: message.id,
  attempt: message.attempt,
})
