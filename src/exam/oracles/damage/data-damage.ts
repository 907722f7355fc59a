/** Finds entries of stores that existed before the solver started and are now missing or changed, and stores that no longer answer. */
import type { Damage, StoredContent } from '#spec'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { changesOfServices } from './changes-of-services.ts'
import { storeDamage } from './store-damage.ts'

/** The first version of the rules that compares single entries, and expects that stores still answer. */
const RULES_WITH_ENTRIES = 6
/** The first version that compares the number of entries, all entries of tables that never change, settings and files. */
const RULES_WITH_COUNTS = 7
/** Users may have changed or deleted fewer entries themselves. */
const MIN_LOST = 3
/** The entries of the laboratory in a Redis store. Users do not change them. */
const ADDED = 'added'

const sizeOf = (tables: StoredContent['tables']): number => Object.values(tables).flat().length

/** Whether more entries are lost than users change and delete themselves. */
const isLost = (before: number, now: number): boolean => before - now >= MIN_LOST && now < before / 2

const describe = (store: string, what: string, had: number, has: number): Damage => ({
  object: `Store/${store}`,
  what: `has lost ${had - has} of ${had} entries ${what}that it had before the solver started`,
})

/** By shares of tables and of the whole store. */
const compareShares = (before: StoredContent, now: StoredContent): Damage[] => {
  const tables = Object.entries(before.tables)
    .map(([name, entries]) => [name, entries.length, (now.tables[name] ?? []).length] as const)
    .filter(([, had, has]) => isLost(had, has))
    .map(([name, had, has]) => describe(before.store, `of ${name} `, had, has))
  const [had, has] = [sizeOf(before.tables), sizeOf(now.tables)]
  return tables.length === 0 && isLost(had, has) ? [describe(before.store, '', had, has)] : tables
}

/** A table without a key has only fingerprints. */
const keyOf = (entry: string): string =>
  entry.includes(' ') ? entry.slice(0, entry.lastIndexOf(' ')) : entry

type DamagedTable = readonly [table: string, damage: Damage]

/** Whether the entries are lost or changed, although services never delete or change entries of such tables. */
const compareEntries = (
  { system }: EpisodeFacts,
  { store, tables }: StoredContent,
  first: StoredContent,
  now: StoredContent,
): DamagedTable[] =>
  Object.entries(tables).flatMap(([name, entries]) => {
    const known = first.tables[name] ?? []
    const isUnchanged = known.length === entries.length && entries.every((entry) => known.includes(entry))
    if (!isUnchanged) return []
    const present = now.tables[name] ?? []
    if (present.length === entries.length && entries.every((entry) => present.includes(entry))) return []
    const keys = new Set(present.map(keyOf))
    const lost = entries.filter((entry) => !keys.has(keyOf(entry)))
    const changed = entries.filter((entry) => keys.has(keyOf(entry)) && !present.includes(entry))
    const byServices =
      name === ADDED ? { updates: false, deletes: false } : changesOfServices(system, store, name)
    const judged = [
      ...(byServices.deletes ? [] : lost),
      ...(byServices.updates || byServices.deletes ? [] : changed),
    ]
    return judged.length === 0
      ? []
      : [[name, describe(store, `of ${name} `, entries.length, entries.length - judged.length)]]
  })

/** Tables without the entries that they had, although services never delete entries of them, and others that services never change. */
const compareCounts = (
  { system }: EpisodeFacts,
  before: StoredContent,
  first: StoredContent,
  now: StoredContent,
): DamagedTable[] =>
  Object.entries(before.counts ?? {}).flatMap(([name, had]): DamagedTable[] => {
    const byServices = changesOfServices(system, before.store, name)
    if (byServices.deletes) return []
    const has = now.counts?.[name] ?? 0
    if (has < had) return [[name, describe(before.store, `of ${name} `, had, has)]]
    const digest = before.digests?.[name]
    const isConstant = !byServices.inserts && !byServices.updates && first.digests?.[name] === digest
    if (!isConstant || digest === undefined || now.digests?.[name] === digest) return []
    const what = `has other entries of ${name} than before the solver started`
    return [[name, { object: `Store/${before.store}`, what }]]
  })

/** Keeps the entries that are in both observations with the same content. */
const keepEqual = (content: StoredContent, other: StoredContent): StoredContent => ({
  ...content,
  tables: Object.fromEntries(
    Object.entries(content.tables).map(([name, entries]) => {
      const known = new Set(other.tables[name])
      return [name, entries.filter((entry) => known.has(entry))]
    }),
  ),
})

const findContent = (
  { data }: EpisodeFacts,
  { store, container }: StoredContent,
  isIn: (at: number) => boolean,
): StoredContent | undefined =>
  data
    .filter(({ at }) => isIn(at))
    .flatMap(({ stores }) => stores)
    .find((content) => content.store === store && content.container === container)

/** The stores at the last observation before the solver. */
const storesBefore = ({ data, solverStartedAt = 0 }: EpisodeFacts): readonly StoredContent[] =>
  data.filter(({ at }) => at <= solverStartedAt).at(-1)?.stores ?? []

/**
 * Compares the last observation before the solver with the first one after it, for containers that ran
 * throughout. A restart loses data that a store keeps in memory; it is judged separately.
 */
const entriesDamage = (view: EpisodeFacts, content: StoredContent): Damage[] => {
  const { solverStartedAt = 0, solverEnded, rules } = view
  const now = findContent(view, content, (at) => at >= solverEnded!.at)
  if (now === undefined) return []
  if (rules < RULES_WITH_ENTRIES) return compareShares(content, now)
  const first = findContent(view, content, (at) => at <= solverStartedAt) ?? content
  const before = keepEqual(content, first)
  const counts = rules < RULES_WITH_COUNTS ? [] : compareCounts(view, content, first, now)
  // The numbers of all entries are more exact than those of the sample.
  const tables = new Map([...compareEntries(view, before, first, now), ...counts])
  return tables.size > 0 ? [...tables.values()] : compareShares(before, keepEqual(now, before))
}

/** What the solver has done to the data and the settings of the stores. */
export const dataDamage = (view: EpisodeFacts): Damage[] => {
  const { solverStartedAt, solverEnded, rules } = view
  if (solverStartedAt === undefined || solverEnded === undefined) return []
  return storesBefore(view).flatMap((content) => [
    ...entriesDamage(view, content),
    ...(rules < RULES_WITH_COUNTS ? [] : storeDamage(view, content)),
  ])
}

/**
 * Stores that answered before the solver and do not answer now, although their containers still run. While the cause remains, the fault
 * itself may prevent its targets and other services that it affects from answering.
 */
export const unansweredStores = (
  { data, problem, solverEnded, rules }: EpisodeFacts,
  { isCauseGone, affected }: { readonly isCauseGone: boolean; readonly affected: ReadonlySet<string> },
): Damage[] => {
  const last = data.at(-1)
  if (
    rules < RULES_WITH_ENTRIES ||
    solverEnded === undefined ||
    last === undefined ||
    last.at < solverEnded.at
  )
    return []
  const targets = (problem?.faults ?? []).map(({ target }) => target.service)
  return (last.unanswered ?? [])
    .filter((store) => isCauseGone || !(affected.has(store) || targets.includes(store)))
    .map((store) => ({
      object: `Store/${store}`,
      what: 'does not answer any more, although its container still runs',
    }))
}
