// Withdraws money to a verified Pix key, once, however often it is run, and waits for the result.
//
//   API_KEY=sk_test_… node examples/withdraw.mjs payout-77 10000 pk_…
//
// The arguments are your own number for this payout, centavos, and the id of the Pix key (GET /v1/pix-keys lists them).
// API_URL defaults to http://localhost:3000. Exit codes: 0 the money arrived, 1 it did not, 2 refused.
import { setTimeout as sleep } from "node:timers/promises"
import { Corrente, CorrenteError } from "@corrente/client"

const { API_KEY, API_URL = "http://localhost:3000" } = process.env
const [payoutNumber, amount, pixKeyId] = process.argv.slice(2)
if (!API_KEY || !payoutNumber || !/^\d+$/.test(amount ?? "") || !pixKeyId) {
  throw new Error("usage: API_KEY=sk_… node examples/withdraw.mjs <your number> <centavos> <pk_…>")
}

// Calls are made again while the service is busy, unreachable or still at work, as long as it takes.
const corrente = new Corrente({ apiKey: API_KEY, baseUrl: API_URL, maxRetries: Number.POSITIVE_INFINITY })

/** Asks for the withdrawal. The same number and body give the same one, so it is safe to ask again. */
const request = async () => {
  const wanted = { amount: Number(amount), pix_key_id: pixKeyId }
  try {
    return await corrente.withdrawals.create(wanted, { idempotencyKey: payoutNumber })
  } catch (error) {
    // 500 and 502 may come of a withdrawal that was made: run this again, with the same number.
    if (!(error instanceof CorrenteError) || !(error.status < 500)) throw error
    // insufficient_balance, daily_limit_exceeded, invalid_state …: `details` has the numbers. The refusal is saved under
    // the Idempotency-Key too, so a new try needs a new number.
    console.error(`refused: ${error.code} ${JSON.stringify(error.details ?? {})}`)
    process.exit(2)
  }
}

// awaiting -> approved -> processing -> successful or failed; or rejected or cancelled. A webhook or the feed tells
// you sooner; a script can poll.
let withdrawal = await request()
while (!["successful", "failed", "rejected", "cancelled"].includes(withdrawal.status)) {
  await sleep(500)
  withdrawal = await corrente.withdrawals.get(withdrawal.id)
}
console.log(
  `${withdrawal.id} ${withdrawal.status} ${withdrawal.end_to_end_id ?? withdrawal.failure_reason ?? ""}`,
)
// If the money did not arrive, amount and fee are back in the balance.
process.exitCode = withdrawal.status === "successful" ? 0 : 1
