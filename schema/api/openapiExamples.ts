/** Secrets as they stand in examples: of the right form, and of nobody. */
const password = "correct horse battery staple"
const email = "ana@example.com"
const code = "123456"
const token = "the-token-of-the-mail"

/** Bodies that work, by component. */
export const requestExamples: Readonly<Record<string, unknown>> = {
  CreateTransaction: {
    amount: 1990,
    payment_method: "pix",
    customer: { name: "Ana Souza", email, document: "529.982.247-25" },
    items: [{ name: "Camiseta", quantity: 1, unit_amount: 1990 }],
    metadata: { order: "1042" },
  },
  CreateWithdrawal: { amount: 10_000, pix_key_id: "pk_01KAH2Q7C8000000000000000A", description: "November" },
  CreatePixKey: { type: "email", value: "ana@example.com" },
  PixKeyDecision: { reason: "The key is of another holder" },
  WithdrawalDecision: { reason: "The account's holder is another one" },
  SignUp: { name: "Ana Souza", email, password, accept_terms: true, invite_token: token },
  SignIn: { email, password },
  VerifyTotp: { code },
  VerifyBackupCode: { code: "a1b2c-3d4e5" },
  RequestPasswordReset: { email },
  ResetPassword: { token, newPassword: password },
  RequestTwoFactorRecovery: { email, password },
  ConfirmTwoFactorRecovery: { token },
  EnableTwoFactor: { password },
  WithPassword: { password },
  ChangePassword: {
    currentPassword: password,
    newPassword: "four words drawn by dice",
    revokeOtherSessions: true,
  },
  StepUp: { code },
  StepUpPrefsPatch: { webhook: true, account: false },
  AcceptTerms: { version: "2026-01-01" },
  SellerPatch: { name: "Loja da Ana" },
  Kyc: { document: "11.222.333/0001-81", legal_name: "Ana Souza Comércio Ltda" },
  CreateApiKey: { name: "Checkout", mode: "test" },
  CreateEndpoint: {
    url: "https://shop.example/webhooks",
    events: ["transaction.paid", "transaction.refunded"],
    description: "Orders",
  },
  EndpointPatch: { enabled: false },
  Recover: { since: "2026-11-21T00:00:00Z" },
  PutTracker: { url: "https://tracker.example/orders", headers: { "X-Api-Token": "their-token" } },
  ClockAdvance: { seconds: 3600 },
  CreateInvite: { email },
  KycDecision: { status: "approved" },
  SellerStatusChange: { status: "suspended", reason: "Chargebacks" },
  PayoutLock: { until: "2026-12-01T00:00:00Z", reason: "Under review" },
  SellerSettingsPatch: { charge_fee_bps: 99, reserve_bps: 500, reserve_days: 30 },
}
