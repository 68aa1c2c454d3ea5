import { modes } from "../ids.ts"
import { limits } from "../limits.ts"

/** A parameter as readers need it; the contract keeps query values as text, so their real form stands here. */
export interface ParameterText {
  readonly description: string
  readonly schema?: Readonly<Record<string, unknown>>
}

const dateTime = { type: "string", format: "date-time" }

/** By name in lower case; names mean the same everywhere. */
export const parameterTexts: Readonly<Record<string, ParameterText>> = {
  id: { description: "The resource's id." },
  limit: {
    description: "How many to answer at most.",
    schema: {
      type: "integer",
      minimum: 1,
      maximum: limits.pageSizeMax,
      default: limits.pageSizeDefault,
    },
  },
  cursor: { description: "`next_cursor` of the page before; it belongs to that list and its filters." },
  from: { description: "Only what was created then or later.", schema: dateTime },
  to: { description: "Only what was created then or earlier.", schema: dateTime },
  status: { description: "Only those with this status." },
  state: { description: "`unprocessed`: only those that wait to be confirmed, or were given up." },
  slug: { description: "The partner that sends it: `api-pix`." },
  "x-webhook-signature": {
    description:
      "HMAC-SHA256 of the raw body in hex, under the secret that is shared with the partner; not asked for where the proxy demands the partner's client certificate.",
  },
  types: {
    description:
      "Comma-separated event types; families such as `transaction.*` work. All, where it is left out.",
  },
  mode: {
    description:
      "The mode that is asked about: `live`, where it is left out. With a key it is only there to be explicit, and must be the key's own.",
  },
  "x-mode": {
    description: "The mode that the request is about.",
    schema: { type: "string", enum: modes, default: "live" },
  },
  token: { description: "The token of the mailed link." },
  callbackurl: {
    description:
      "Accepted as better-auth's client sends it: an address of this service or of a dashboard of its own.",
  },
  kyc_status: { description: "Only sellers whose identification has come so far." },
  resource_type: { description: "Only events of such resources." },
  resource_id: { description: "Only events of this resource." },
  endpoint_id: { description: "Only deliveries to this webhook endpoint." },
  event_id: { description: "Only deliveries of this event." },
  event_type: { description: "Only deliveries of this event type." },
  last_event_id: {
    description: "Where to go on, for clients that cannot set the header; the header beats it.",
  },
  "last-event-id": { description: "The last event you have seen: the stream goes on after it." },
  "idempotency-key": {
    description:
      "A text of your own that names this operation. The same key with the same body answers the saved response, with `Idempotent-Replayed: true`.",
    schema: {
      type: "string",
      pattern: "^[A-Za-z0-9_\\-:.]{1,255}$",
      maxLength: limits.idempotencyKeyLengthMax,
    },
  },
}

/** What fields mean, by component and path; array items are passed through. */
export const fieldTexts: Readonly<Record<string, string>> = {
  "CreateTransaction.amount": "Centavos.",
  "CreateTransaction.customer.document": "CPF or CNPJ, with or without punctuation.",
  "CreateTransaction.items.unit_amount": "Centavos. The items need not add up to the amount.",
  "CreateTransaction.pix.expires_in_seconds": `When the charge expires; ${limits.expirySecondsDefault} where left out.`,
  "CreateTransaction.postback_url": "Gets the events of this charge alone, signed with the postback secret.",
  "CreateTransaction.metadata": `Yours. At most ${limits.metadataKeysMax} keys of 1 to ${limits.metadataKeyLengthMax} characters.`,
  "Transaction.amount": "Centavos.",
  "Transaction.fee": "Centavos that stay with us when it is paid.",
  "Transaction.net_amount": "Centavos: amount less fee.",
  "Transaction.pix.payload": "The copy-and-paste code (BR Code).",
  "Transaction.pix.qr_base64": "A PNG image of the code, in base64.",
  "Transaction.end_to_end_id": "The bank's id of the payment, once paid.",
  "CreatePixKey.value":
    "With or without punctuation. In live a CPF or CNPJ must be the document that you are identified by.",
  "PixKey.value": "Masked.",
  "PixKey.status":
    "Withdrawals go to keys that are `verified`: in test all are at once, in live an operator decides.",
  "PixKeyDecision.reason": "For the record in the `audit` stream.",
  "CreateWithdrawal.amount": `Centavos that arrive, from ${limits.withdrawalAmountMin}; the fee comes on top.`,
  "CreateWithdrawal.pix_key_id": "One of your verified keys, as `GET /v1/pix-keys` lists them.",
  "Withdrawal.amount": "Centavos that arrive at the bank account.",
  "Withdrawal.fee": "Centavos that stay with us when it arrives.",
  "Withdrawal.total": "Centavos that leave the balance: amount and fee.",
  "Withdrawal.pix_key": "As it was when the withdrawal was requested; the value is masked.",
  "Withdrawal.end_to_end_id": "The bank's id of the transfer, once it is successful.",
  "Withdrawal.failure_reason": "Why it failed or was rejected.",
  "WithdrawalDecision.reason": "For the record; the seller sees it where the withdrawal is rejected.",
  "Balance.available": "Centavos; below zero only by refunds and chargebacks.",
  "Balance.reserve": "Centavos of paid charges that become available later.",
  "Balance.pending_withdraw": "Centavos of the withdrawal that is under way, its fee included.",
  "LedgerEntry.postings": "What each bucket gained (or lost, below zero); they sum to zero.",
  "LedgerEntry.balance": "What the entry left.",
  "LedgerEntry.event_id": "The event that tells of it, if there is one.",
  "ClockAdvance.seconds": "How long; it adds up with what the clock was advanced before.",
  "TestClock.advanced_seconds": "How far this step went.",
  "TestClock.now": "What the seller's test mode takes for now.",
  "SignUp.password": `At least ${limits.passwordLengthMin} characters; neither a common password nor the address.`,
  "SignUp.invite_token": "The token of the mailed invite; the e-mail address must be the invited one.",
  "SignIn.rememberMe": "Whether the session lasts 30 days instead of 24 hours.",
  "VerifyTotp.code": "Six digits of the authenticator app; each code is good once.",
  "VerifyTotp.trustDevice": "Whether this browser may leave the second step out for 30 days.",
  "VerifyBackupCode.code": "One of the backup codes; each is good once.",
  "EnableTwoFactor.method": "`otp` is accepted and answered with `totp`.",
  "ChangePassword.revokeOtherSessions":
    "Whether all other sessions end; this one then goes on under another token, in the cookie alone.",
  "StepUp.code": "A code of the authenticator app, or a backup code.",
  "StepUp.password": "Must match as well, where it is sent.",
  "StepUpPrefs.webhook":
    "Whether changes of webhook endpoints, their secrets and the tracker need a step-up.",
  "StepUpPrefs.account": "Whether changes of API keys and of the seller profile need a step-up.",
  "Session.current": "Whether it is the session that asks.",
  "NewApiKey.key": "The secret. It is shown this once.",
  "CreateApiKey.mode": "The key's mode; `X-Mode` has no say in it. `live` needs an approved KYC.",
  "Kyc.document": "CPF or CNPJ, with or without punctuation.",
  "Seller.document": "Masked.",
  "SellerSettings.charge_fee_bps": "Hundredths of a percent of a charge's amount.",
  "SellerSettings.charge_fee_fixed": "Centavos a charge.",
  "SellerSettings.reserve_bps": "Hundredths of a percent of a charge's net amount.",
  "SellerSettings.withdrawal_fee": "Centavos a withdrawal.",
  "SellerSettings.withdrawal_daily_value": "Centavos a day.",
  "PayoutLock.until": "null unlocks.",
  "PutTracker.headers": "Sent along with every event; their values are masked in answers.",
  "Event.id": "The same in every delivery of the event: use it to recognise repeats.",
  "Event.internal": "In the feed only, never delivered.",
  "Event.data.object": "The resource as it was at that moment.",
  "Delivery.target": "What it was sent to.",
  "Delivery.attempt": "From 1. Every attempt is a row of its own.",
  "Delivery.status": "`dead` is the last attempt's failure.",
  "DeliveryDetail.response_body_excerpt": "The first 1 KiB of the receiver's answer.",
  "Error.error.param": "The offending field, as a path: `items.0.quantity`.",
  "Error.error.request_id": "Send it to us when you need help.",
}

export const streamDescription = [
  "`text/event-stream`. Frames are `id: evt_…`, `event: <type>` and `data: <event>`, with a blank line after each.",
  "Control frames bear no id: `ready` when opened, `replay_gap` where `Last-Event-ID` is no longer kept, `reconnect`",
  "when this connection will end and another should be opened. `: ping` every 15 s.",
  "A process that cannot serve the stream now answers 200 with `reconnect` and closes.",
].join(" ")

export const streamExample =
  'retry: 3000\n\nevent: ready\ndata: {"mode":"test"}\n\nid: evt_01KAH2Q7C8000000000000000\nevent: transaction.paid\ndata: {"id":"evt_01KAH2Q7C8000000000000000","object":"event","type":"transaction.paid",…}\n\n'
