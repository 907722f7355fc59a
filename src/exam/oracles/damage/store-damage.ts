/** Finds stores whose settings, users, permissions or indexes the solver has changed, and those with foreign content in their files. */
import type { Damage, StoredContent } from '#spec'
import type { EpisodeFacts } from '../view/episode-view.ts'

const MAX_REPORTED = 3

/** Names of the settings that every container of a store has, also after a restart. */
const USER = 'user '
/** A password may be set again with another salt where a repair may set it. Faults that concern a password probe the login. */
const PASSWORD = 'password of '

const contentsOf = (
  { data }: EpisodeFacts,
  store: string,
  isIn: (at: number) => boolean,
): readonly StoredContent[] =>
  data
    .filter(({ at }) => isIn(at))
    .flatMap(({ stores }) => stores.filter((content) => content.store === store))

/** Names of settings that were equal at the baseline and when the solver started, and differ now. */
const changedSettings = (first: StoredContent, before: StoredContent, now: StoredContent): string[] => {
  const names = new Set([...Object.keys(before.settings ?? {}), ...Object.keys(now.settings ?? {})])
  return [...names].filter(
    (name) =>
      first.settings?.[name] === before.settings?.[name] && now.settings?.[name] !== before.settings?.[name],
  )
}

/**
 * What the fault changed may differ: the cause decides whether it is right. A store that was restarted has other containers, whose users
 * must be the same.
 */
const describeSettings = (
  { problem }: EpisodeFacts,
  first: StoredContent,
  before: StoredContent,
  now: StoredContent,
): Damage[] => {
  const isTarget = (problem?.faults ?? []).some(({ target }) => target.service === before.store)
  const isSameContainer = now.container === before.container
  const names = changedSettings(first, before, now)
    .filter((name) => isSameContainer || (name.startsWith(USER) && now.settings?.[name] !== undefined))
    .filter((name) => !(isTarget && name.startsWith(PASSWORD)))
    .sort()
  if (names.length === 0) return []
  const more = names.length - MAX_REPORTED
  const shown = `${names.slice(0, MAX_REPORTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return [
    { object: `Store/${before.store}`, what: `is set up otherwise than before the solver started: ${shown}` },
  ]
}

/** `before`: the store at the start of the solver. */
export const storeDamage = (view: EpisodeFacts, before: StoredContent): Damage[] => {
  const { solverStartedAt = 0, solverEnded } = view
  const [now] = contentsOf(view, before.store, (at) => solverEnded !== undefined && at >= solverEnded.at)
  if (now === undefined) return []
  const [first = before] = contentsOf(view, before.store, (at) => at <= solverStartedAt)
  const isComparable = before.settings !== undefined && now.settings !== undefined
  return [
    ...(isComparable ? describeSettings(view, first, before, now) : []),
    ...(now.isPersisted === false
      ? [{ object: `Store/${before.store}`, what: 'has files with other content than it has written' }]
      : []),
  ]
}
