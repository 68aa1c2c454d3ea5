import {
  defaultSellerSettings,
  type SellerSettings as SettingFields,
} from "../../../schema/resources/seller.ts"
import type { SellerSettings, StoredSeller } from "../../ports/sellerStore.ts"

type ShownName = keyof SettingFields

/** Names of each setting: in the contract and in the seller's hash, and in camel case. */
export const settingNames = Object.keys(defaultSellerSettings).map((shown) => ({
  shown: shown as ShownName,
  stored: shown.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as keyof SellerSettings,
}))

/** Converts settings from the contract's names to the store's. */
export const storedSettings = (settings: SettingFields): SellerSettings =>
  Object.fromEntries(settingNames.map(({ shown, stored }) => [stored, settings[shown]])) as SellerSettings

/** Converts settings from the store's names to the contract's. */
export const shownSettings = (settings: SellerSettings): SettingFields =>
  Object.fromEntries(settingNames.map(({ shown, stored }) => [shown, settings[stored]])) as SettingFields

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
