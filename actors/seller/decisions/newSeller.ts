import {
  defaultSellerSettings,
  type SellerSettings as SettingFields,
} from "../../../schema/resources/seller.ts"
import type { SellerSettings, StoredSeller } from "../../ports/sellerStore.ts"

/** Converts settings from the contract's names to the store's. */
export const storedSettings = (settings: SettingFields): SellerSettings => ({
  chargeFeeBps: settings.charge_fee_bps,
  chargeFeeFixed: settings.charge_fee_fixed,
  reserveBps: settings.reserve_bps,
  reserveDays: settings.reserve_days,
  withdrawalFee: settings.withdrawal_fee,
  withdrawalDailyValue: settings.withdrawal_daily_value,
  withdrawalDailyCount: settings.withdrawal_daily_count,
  withdrawalAutoApproval: settings.withdrawal_auto_approval,
})

/** Converts settings from the store's names to the contract's. */
export const shownSettings = (settings: SellerSettings): SettingFields => ({
  charge_fee_bps: settings.chargeFeeBps,
  charge_fee_fixed: settings.chargeFeeFixed,
  reserve_bps: settings.reserveBps,
  reserve_days: settings.reserveDays,
  withdrawal_fee: settings.withdrawalFee,
  withdrawal_daily_value: settings.withdrawalDailyValue,
  withdrawal_daily_count: settings.withdrawalDailyCount,
  withdrawal_auto_approval: settings.withdrawalAutoApproval,
})

/** The settings of a new seller (docs/contract/sellers.md#settings). */
export const initialSettings: SellerSettings = storedSettings(defaultSellerSettings)

/** A new seller: active, without locks, with the initial settings; `document` is ciphertext. */
export const newStoredSeller = (
  seller: Pick<StoredSeller, "id" | "name" | "userId" | "kycStatus" | "createdAt"> &
    Partial<Pick<StoredSeller, "document">>,
): StoredSeller => ({
  document: undefined,
  ...seller,
  status: "active",
  legalName: undefined,
  payoutLockedUntilMillis: undefined,
  recoveryLockedUntilMillis: undefined,
  settings: initialSettings,
  version: 1,
})
