import * as keys from "../../store/keys.ts"
import { family, type KeyFamily, patternOf } from "./keyFamily.ts"

/** The key families of acquirers' notices in a partition; `whose` names it. */
export const inboxFamiliesOfPartition = (partition: number, whose: string): ReadonlyArray<KeyFamily> => {
  const tag = keys.partitionTag(partition)
  return [
    family(
      "notice",
      patternOf("inb_", partition, keys.noticeKey),
      "hash",
      `one notice of an acquirer in ${whose}; its body and headers are ciphertext`,
    ),
    family("inbox", keys.noticesKey(tag), "set by id", `ids of the acquirers' notices in ${whose}`),
    family(
      "inbox",
      keys.noticesKey(tag, "unprocessed"),
      "set by id",
      `ids of the notices in ${whose} that are waiting or given up`,
    ),
    family(
      "inbox",
      keys.noticesKey(tag, "done"),
      "set by id",
      `ids of the processed notices in ${whose}, which are dropped when the inbox is full`,
    ),
    family("inbox bytes", keys.inboxBytesKey(tag), "hash", `bytes that the notices in ${whose} take`),
    family(
      "inbox",
      keys.noticesKey(tag, "unsigned"),
      "set by id",
      `ids of the notices in ${whose} with a wrong signature`,
    ),
    family(
      "notice seen",
      keys.noticeSeenKey(tag, "*", "*"),
      "string",
      `the notice in ${whose} that first reported an acquirer's event`,
    ),
  ]
}
