/** Rounds of a pair, in turn; every other one begins with the side without, so that neither always comes first. */
export const turns = async <Round>(
  rounds: number,
  runWith: () => Promise<Round>,
  runWithout: () => Promise<Round>,
): Promise<{ readonly with: ReadonlyArray<Round>; readonly without: ReadonlyArray<Round> }> => {
  const results = { with: [] as Array<Round>, without: [] as Array<Round> }
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 1) results.without.push(await runWithout())
    results.with.push(await runWith())
    if (round % 2 === 0) results.without.push(await runWithout())
  }
  return results
}
