import { Effect } from "effect"
import fc from "fast-check"
import type { Acquirer } from "../../../actors/ports/acquirer.ts"
import type { Psp } from "../../support/psp.ts"
import { openApiPix } from "../../support/pspClient.ts"
import { runsOf } from "../../support/sizes.ts"

/** Runs a property against an adapter whose PSP answers as drawn. */
export const holds = <A>(
  drawn: fc.Arbitrary<A>,
  property: (one: A, psp: Psp, acquirer: Acquirer) => Effect.Effect<void, unknown>,
) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(openApiPix(), ({ psp, acquirer }) =>
        Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(drawn, async (one) => {
              await Effect.runPromise(property(one, psp, acquirer))
            }),
            { numRuns: runsOf(400) },
          ),
        ),
      ),
    ),
  )

/** Answers the next request that begins so, or matches. */
export const answer = (psp: Psp, beginning: string | RegExp, status: number, body: unknown) =>
  psp.fail(beginning, { kind: "answer", status, body })
