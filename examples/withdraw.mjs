// Withdraws money to a verified PIX key, once, however often it is run, and waits for the result. No packages.
//
//   API_KEY=sk_test_… node examples/withdraw.mjs payout-77 10000 pk_…
//
// The arguments are your own number for this payout, centavos, and the id of the PIX key (GET /v1/pix-keys lists them).
// API_URL defaults to http://localhost:3000. Exit codes: 0 the money arrived, 1 it did not, 2 refused.
import { setTimeout as sleep } from "node:timers/promises"

const { API_KEY, API_URL = "http://localhost:3000" } = process.env
const [payoutNumber, amount, pixKeyId] = process.argv.slice(2)
if (!API_KEY || !payoutNumber || !/^\d+$/.test(amount ?? "") || !pixKeyId) {
  throw new Error("usage: API_KEY=sk_… node examples/withdraw.mjs <your number> <centavos> <pk_…>")
}

/** Calls the API until it gives a final answer: retries while it is busy, unreachable or still at work. */
const call = async (method, path, body) => {
  for (let tries = 0; ; tries += 1) {
    let waitSeconds = Math.min(30, 2 ** tries)
    try {
      const response = await fetch(API_URL + path, {
        method,
        headers: {
          Authorization: `Bearer ${API_KEY}`,
          // The same number and body give the same withdrawal, so it is safe to send a request again.
          ...(body === undefined
            ? {}
            : { "Content-Type": "application/json", "Idempotency-Key": payoutNumber }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(30_000),
      })
      const answer = await response.json()
      const isInProgress = answer.error?.code === "idempotency_in_progress"
      if (response.status < 500 && response.status !== 429 && !isInProgress) {
        return { status: response.status, answer }
      }
      waitSeconds = Number(response.headers.get("retry-after") ?? waitSeconds)
      console.error(`${method} ${path}: ${response.status} ${answer.error?.code}; trying again`)
    } catch (error) {
      console.error(`${method} ${path}: ${error.message}; trying again`)
    }
    await sleep(waitSeconds * 1_000)
  }
}

const { status, answer } = await call("POST", "/v1/withdrawals", {
  amount: Number(amount),
  pix_key_id: pixKeyId,
})
if (status !== 201) {
  // insufficient_balance, daily_limit_exceeded, invalid_state …: `details` has the numbers. The refusal is saved under
  // the Idempotency-Key too, so a new try needs a new number.
  console.error(`refused: ${answer.error.code} ${JSON.stringify(answer.error.details ?? {})}`)
  process.exit(2)
}

// awaiting -> approved -> processing -> successful or failed; or rejected or cancelled. A webhook or the feed tells
// you sooner; a script can poll.
let withdrawal = answer
while (!["successful", "failed", "rejected", "cancelled"].includes(withdrawal.status)) {
  await sleep(500)
  const found = await call("GET", `/v1/withdrawals/${withdrawal.id}`)
  if (found.status !== 200) throw new Error(`${withdrawal.id}: ${found.status}`)
  withdrawal = found.answer
}
console.log(
  `${withdrawal.id} ${withdrawal.status} ${withdrawal.end_to_end_id ?? withdrawal.failure_reason ?? ""}`,
)
// If the money did not arrive, amount and fee are back in the balance.
process.exitCode = withdrawal.status === "successful" ? 0 : 1
