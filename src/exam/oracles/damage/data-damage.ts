/** Finds entries of stores that existed before the solver started and are now missing or changed. */
import type { Damage, StoredContent } from '#spec'
import type { EpisodeFacts } from '../view/episode-view.ts'

/** Users may have changed or deleted fewer entries themselves. */
const MIN_LOST = 3

const sizeOf = (tables: StoredContent['tables']): number => Object.values(tables).flat().length

/** Whether more entries are lost than users change and delete themselves. */
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
 * Compares the last observation before the solver with the first one after it, for containers that ran
 * throughout. A restart loses data that a store keeps in memory; it is judged separately.
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
