/** What was missing where an episode was not resolved, and how often. */
import type { Judgement } from '../../spec/index.ts'
import type { EpisodeDetails } from '../view/story.ts'

export interface Shortfall {
  readonly name: string
  /** By entrant, in their order. */
  readonly counts: readonly number[]
}

type Ask = (details: EpisodeDetails) => boolean

const fails =
  (oracle: Judgement['oracle']): Ask =>
  ({ result }) =>
    result.outcome === 'unresolved' && result.judged[oracle] === false

const ended =
  (outcome: string): Ask =>
  ({ result, story }) =>
    result.outcome === 'unresolved' &&
    (story?.entries ?? []).some((one) => one.kind === 'ended' && one.outcome === outcome)

const blames =
  (blame: string): Ask =>
  ({ result }) =>
    result.outcome === 'void' && (result.blame ?? 'harness') === blame

const ASKS: readonly (readonly [string, Ask])[] = [
  ['Users were not served', fails('users-served')],
  ['Something else was broken', fails('nothing-broken')],
  ['The cause was still there', fails('cause-gone')],
  ['Detection was wrong', fails('detection')],
  ['Localisation was wrong', fails('localisation')],
  ['Analysis was wrong', fails('analysis')],
  ['The solver gave up', ended('gave-up')],
  ['The budget was spent', ended('budget-spent')],
  ['The solver failed', ended('failed')],
  ...['environment', 'provider', 'harness', 'operator', 'agent'].map(
    (blame) => [`Void, by blame: ${blame}`, blames(blame)] as const,
  ),
]

/** `byEntrant`: the episodes of each. Several may hold for one episode. */
export const toShortfalls = (byEntrant: readonly (readonly EpisodeDetails[])[]): readonly Shortfall[] =>
  ASKS.map(([name, ask]) => ({ name, counts: byEntrant.map((all) => all.filter(ask).length) })).filter(
    ({ counts }) => counts.some((count) => count > 0),
  )
