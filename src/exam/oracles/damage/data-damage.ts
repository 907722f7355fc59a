/** Finds data that was in stores before the solver started and is not there any more, or has other content. */
import type { Damage, StoredContent } from '#spec'
import type { EpisodeFacts } from '../view/episode-view.ts'

/** Fewer lost entries may be the users' own doing. */
const MIN_LOST = 3

const sizeOf = (tables: StoredContent['tables']): number => Object.values(tables).flat().length

/** Whether too much is lost: users also change and delete single entries. */
const isLost = (before: number, now: number): boolean => before - now >= MIN_LOST && now < before / 2

const compare = (before: StoredContent, now: StoredContent): Damage[] => {
  const describe = (what: string, had: number, has: number): Damage => ({
    object: `Store/${before.store}`,
    what: `has lost ${had - has} of ${had} entries ${what}that it had before the solver started`,
  })
  const tables = Object.entries(before.tables)
    .map(([name, entries]) => [name, entries.length, (now.tables[name] ?? []).length] as const)
    .filter(([, had, has]) => isLost(had, has))
    .map(([name, had, has]) => describe(`of ${name} `, had, has))
  const [had, has] = [sizeOf(before.tables), sizeOf(now.tables)]
  return tables.length === 0 && isLost(had, has) ? [describe('', had, has)] : tables
}

/**
 * Compares the last observation before the solver with the first one after it, for containers that ran throughout: a restart loses what a
 * store keeps in memory, and is judged by itself.
 */
export const dataDamage = ({ data, solverStartedAt, solverEnded }: EpisodeFacts): Damage[] => {
  if (solverStartedAt === undefined || solverEnded === undefined) return []
  const earlier = data.filter(({ at }) => at <= solverStartedAt).at(-1)
  const later = data.find(({ at }) => at >= solverEnded.at)
  return (earlier?.stores ?? []).flatMap((before) => {
    const now = later?.stores.find(
      ({ store, container }) => store === before.store && container === before.container,
    )
    return now === undefined ? [] : compare(before, now)
  })
}
