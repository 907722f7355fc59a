/** Pairs the attempts at the same problems on two engines. */
import type { AttemptResult, FinishedLedger } from '#lab/validation'
import { isUnsupported } from '#spec'

export interface AttemptPair {
  readonly local: AttemptResult
  readonly sim: AttemptResult
}

/** `unsupported`: the simulator does not model what the attempt did, so that it has no verdict there. */
export type PairKind = 'equal' | 'different' | 'unsupported'

export interface Pairing {
  readonly pairs: readonly AttemptPair[]
  /** The numbers of attempts that only one engine has. */
  readonly onlyLocal: number
  readonly onlySim: number
}

/** Two void attempts are also equal: for example, no user is affected on either engine. */
export const kindOf = ({ local, sim }: AttemptPair): PairKind => {
  if (isUnsupported(sim) || isUnsupported(local)) return 'unsupported'
  return local.outcome === sim.outcome ? 'equal' : 'different'
}

const byKey = (ledgers: readonly FinishedLedger[]): ReadonlyMap<string, AttemptResult> =>
  new Map(
    ledgers.flatMap(({ results }) =>
      results.map((result) => [`${result.problem}\n${result.attempt}`, result]),
    ),
  )

/** An attempt that several ledgers of an engine contain counts once: the last one counts. */
export const pairAttempts = (ledgers: readonly FinishedLedger[]): Pairing => {
  const [local, sim] = ['local', 'sim'].map((name) =>
    byKey(ledgers.filter(({ engine }) => engine === name)),
  ) as [ReadonlyMap<string, AttemptResult>, ReadonlyMap<string, AttemptResult>]
  const pairs = [...local].flatMap(([key, result]): AttemptPair[] => {
    const simulated = sim.get(key)
    return simulated === undefined ? [] : [{ local: result, sim: simulated }]
  })
  return { pairs, onlyLocal: local.size - pairs.length, onlySim: sim.size - pairs.length }
}
