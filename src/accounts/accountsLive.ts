import { Layer } from "effect"
import type { EncryptionKeys } from "../crypto/encryptionKeys.ts"
import { AlertsLive } from "./alerts/alerts.ts"
import { ApiKeyManagementLive } from "./apiKeys/apiKeyManagement.ts"
import { OperatorLogLive } from "./operatorLog.ts"
import { ReportRecipientsLive } from "./reports/reportRecipients.ts"
import { ReportsLive } from "./reports/reports.ts"
import { SecurityLogLive } from "./securityLog.ts"
import { SecurityNoticesLive } from "./securityNotices.ts"
import { SellerAuditLive } from "./sellerAudit.ts"
import { CountersLive } from "./sellers/counters.ts"
import { PixKeysLive } from "./sellers/pixKeys.ts"
import { SellerChangesLive } from "./sellers/sellerChanges.ts"
import { SellerSearchesLive } from "./sellers/sellerSearch.ts"
import { KnownDevicesLive } from "./sessions/knownDevices.ts"
import { SessionsLive } from "./sessions/sessions.ts"
import { SignInLive } from "./sessions/signIn.ts"
import { TeamLive } from "./team/team.ts"
import { TwoFactorServicesLive } from "./twoFactor/twoFactorLive.ts"
import { TwoFactorRecoveryLive } from "./twoFactor/twoFactorRecovery.ts"
import { AccountTokensLive } from "./users/accountTokenStore.ts"
import { EmailVerificationLive } from "./users/emailVerification.ts"
import { InviteMailsLive } from "./users/inviteMails.ts"
import { InvitesLive } from "./users/invites.ts"
import { PasswordChangeLive } from "./users/passwordChange.ts"
import { PasswordResetLive } from "./users/passwordReset.ts"
import { PasswordsLive } from "./users/passwords.ts"
import { SignUpLive } from "./users/signUp.ts"
import { UserAccessLive } from "./users/userAccess.ts"
import { UsersLive } from "./users/users.ts"
import { EndpointManagementLive } from "./webhookSettings/endpointManagement.ts"
import { EndpointsLive } from "./webhookSettings/endpoints.ts"
import { PostbackSecretsLive } from "./webhookSettings/postbackSecrets.ts"
import { TrackersLive } from "./webhookSettings/trackers.ts"

/** Services for sellers and operators, and the log of operators. */
const SellerServicesLive = Layer.mergeAll(
  AlertsLive,
  ReportRecipientsLive,
  OperatorLogLive,
  CountersLive,
  PixKeysLive,
  PostbackSecretsLive,
  SellerChangesLive,
  TrackersLive,
)

/** The services of the account plane that handlers use, under the keys of `ENCRYPTION_KEY`. */
export const AccountsLive = (encryptionKeys: EncryptionKeys) =>
  Layer.mergeAll(
    SignUpLive,
    SellerSearchesLive,
    SignInLive,
    PasswordResetLive,
    PasswordChangeLive,
    ApiKeyManagementLive,
    EndpointsLive,
    EndpointManagementLive,
    TwoFactorRecoveryLive,
    InviteMailsLive,
    UserAccessLive,
    ReportsLive,
  ).pipe(
    Layer.provideMerge(Layer.merge(EmailVerificationLive, TeamLive)),
    Layer.provideMerge(InvitesLive),
    Layer.provideMerge(KnownDevicesLive),
    Layer.provideMerge(TwoFactorServicesLive(encryptionKeys)),
    Layer.provideMerge(AccountTokensLive),
    Layer.provideMerge(Layer.mergeAll(SessionsLive, PasswordsLive)),
    Layer.provideMerge(SellerServicesLive),
    Layer.provideMerge(Layer.mergeAll(SecurityNoticesLive, SecurityLogLive, SellerAuditLive)),
    Layer.provideMerge(UsersLive),
  )
