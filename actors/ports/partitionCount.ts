import { Context } from "effect"

/** How many partitions there are, for what is spread over them without a seller. */
export class PartitionCount extends Context.Service<PartitionCount, { readonly partitions: number }>()(
  "corrente/actors/PartitionCount",
) {}
