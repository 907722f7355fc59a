/** Counts the reasons why episodes were not resolved. */
import { isUnsupported, type Judgement, QUESTIONS } from '#spec'
import { capitalise } from '../../view/format.ts'
import type { EpisodeDetails } from '../../view/story.ts'

export interface Shortfall {
  readonly name: string
  /** One count for each entrant. */
  readonly counts: readonly number[]
}

type Predicate = (details: EpisodeDetails) => boolean

const fails =
  (oracle: Judgement['oracle']): Predicate =>
  ({ result }) =>
    result.outcome === 'unresolved' && result.judged[oracle] === false

const isUnmeasured =
  (oracle: Judgement['oracle']): Predicate =>
  ({ result }) =>
    result.outcome === 'unresolved' && result.judged[oracle] === null

const endedWith =
  (outcome: string): Predicate =>
  ({ result, story }) =>
    result.outcome === 'unresolved' &&
    (story?.entries ?? []).some((entry) => entry.kind === 'ended' && entry.outcome === outcome)

const blames =
  (blame: string): Predicate =>
  ({ result }) =>
    result.outcome === 'void' && !isUnsupported(result) && (result.blame ?? 'harness') === blame

const REASONS: readonly (readonly [string, Predicate])[] = [
  ['Users were not served', fails('users-served')],
  ['Something else was broken', fails('nothing-broken')],
  ['The cause was not removed', fails('cause-gone')],
  ['Not measured: whether users were served', isUnmeasured('users-served')],
  ['Not measured: whether the cause was removed', isUnmeasured('cause-gone')],
  ...QUESTIONS.map(({ name }) => [`${capitalise(name)} was wrong`, fails(name)] as const),
  ['The solver gave up', endedWith('gave-up')],
  ['The budget was spent', endedWith('budget-spent')],
  ['The solver failed', endedWith('failed')],
  ...['environment', 'provider', 'harness', 'operator', 'agent'].map(
    (blame) => [`Void, by blame: ${blame}`, blames(blame)] as const,
  ),
  ['Void: not supported by the engine', ({ result }) => isUnsupported(result)],
]

/** `byEntrant` holds the episodes of each entrant. An episode can have several reasons. */
export const toShortfalls = (byEntrant: readonly (readonly EpisodeDetails[])[]): readonly Shortfall[] =>
  REASONS.map(([name, matches]) => ({
    name,
    counts: byEntrant.map((all) => all.filter(matches).length),
  })).filter(({ counts }) => counts.some((count) => count > 0))
