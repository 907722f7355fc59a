/** Counts the reasons why episodes were not resolved. */
import { type Judgement, QUESTIONS } from '#spec'
import { capitalise } from '../../view/format.ts'
import type { EpisodeDetails } from '../../view/story.ts'

export interface Shortfall {
  readonly name: string
  /** By entrant. */
  readonly counts: readonly number[]
}

type Test = (details: EpisodeDetails) => boolean

const fails =
  (oracle: Judgement['oracle']): Test =>
  ({ result }) =>
    result.outcome === 'unresolved' && result.judged[oracle] === false

const isUnmeasured =
  (oracle: Judgement['oracle']): Test =>
  ({ result }) =>
    result.outcome === 'unresolved' && result.judged[oracle] === null

const ended =
  (outcome: string): Test =>
  ({ result, story }) =>
    result.outcome === 'unresolved' &&
    (story?.entries ?? []).some((one) => one.kind === 'ended' && one.outcome === outcome)

const blames =
  (blame: string): Test =>
  ({ result }) =>
    result.outcome === 'void' && (result.blame ?? 'harness') === blame

const REASONS: readonly (readonly [string, Test])[] = [
  ['Users were not served', fails('users-served')],
  ['Something else was broken', fails('nothing-broken')],
  ['The cause was not removed', fails('cause-gone')],
  ['Not measured: whether users were served', isUnmeasured('users-served')],
  ['Not measured: whether the cause was removed', isUnmeasured('cause-gone')],
  ...QUESTIONS.map(({ name }) => [`${capitalise(name)} was wrong`, fails(name)] as const),
  ['The solver gave up', ended('gave-up')],
  ['The budget was spent', ended('budget-spent')],
  ['The solver failed', ended('failed')],
  ...['environment', 'provider', 'harness', 'operator', 'agent'].map(
    (blame) => [`Void, by blame: ${blame}`, blames(blame)] as const,
  ),
]

/** `byEntrant` are the episodes of each entrant. An episode can have several reasons. */
export const toShortfalls = (byEntrant: readonly (readonly EpisodeDetails[])[]): readonly Shortfall[] =>
  REASONS.map(([name, ask]) => ({ name, counts: byEntrant.map((all) => all.filter(ask).length) })).filter(
    ({ counts }) => counts.some((count) => count > 0),
  )
