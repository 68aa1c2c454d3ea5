import { Layer } from "effect"
import { AccountTokensLive } from "./accountTokenStore.ts"
import { ApiKeyManagementLive } from "./apiKeyManagement.ts"
import { EmailVerificationLive } from "./emailVerification.ts"
import { EndpointManagementLive } from "./endpointManagement.ts"
import { EndpointsLive } from "./endpoints.ts"
import { InviteMailsLive } from "./inviteMails.ts"
import { InvitesLive } from "./invites.ts"
import { KnownDevicesLive } from "./knownDevices.ts"
import { PasswordChangeLive } from "./passwordChange.ts"
import { PasswordResetLive } from "./passwordReset.ts"
import { PasswordsLive } from "./passwords.ts"
import { SecurityLogLive } from "./securityLog.ts"
import { SecurityNoticesLive } from "./securityNotices.ts"
import { SellerServicesLive } from "./sellerServices.ts"
import { SessionsLive } from "./sessions.ts"
import { SignInLive } from "./signIn.ts"
import { SignUpLive } from "./signUp.ts"
import { TwoFactorServicesLive } from "./twoFactorLive.ts"
import { TwoFactorRecoveryLive } from "./twoFactorRecovery.ts"
import { UsersLive } from "./users.ts"

/** The services of the account plane that handlers use. `encryptionKey` has 32 bytes. */
export const AccountsLive = (encryptionKey: Uint8Array) =>
  Layer.mergeAll(
    SignUpLive,
    SignInLive,
    PasswordResetLive,
    PasswordChangeLive,
    ApiKeyManagementLive,
    EndpointsLive,
    EndpointManagementLive,
    TwoFactorRecoveryLive,
    InviteMailsLive,
  ).pipe(
    Layer.provideMerge(EmailVerificationLive),
    Layer.provideMerge(InvitesLive),
    Layer.provideMerge(KnownDevicesLive),
    Layer.provideMerge(TwoFactorServicesLive(encryptionKey)),
    Layer.provideMerge(AccountTokensLive),
    Layer.provideMerge(Layer.mergeAll(SessionsLive, PasswordsLive)),
    Layer.provideMerge(SellerServicesLive),
    Layer.provideMerge(Layer.mergeAll(SecurityNoticesLive, SecurityLogLive)),
    Layer.provideMerge(UsersLive),
  )
