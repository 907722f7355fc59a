/** Generates the `nft` script that turns one ruleset into another in one transaction. */
import type { Chain, NamedSet, Ruleset } from './ruleset.ts'
import { NO_RULES } from './ruleset.ts'

const TABLE = 'ip kube-proxy'

/** The script runs these steps in order, because objects refer to each other. */
interface Steps {
  declare: string[]
  empty: string[]
  fill: string[]
  drop: string[]
}

const elementLine = (verb: 'add' | 'delete', name: string, elements: readonly string[]): string[] =>
  elements.length === 0 ? [] : [`${verb} element ${TABLE} ${name} { ${elements.join(', ')} }`]

const changeSet = (
  steps: Steps,
  type: 'set' | 'map',
  name: string,
  { from, to }: { from: NamedSet | undefined; to: NamedSet | undefined },
): void => {
  if (to === undefined) steps.drop.push(`delete ${type} ${TABLE} ${name}`)
  else if (from === undefined) steps.declare.push(`add ${type} ${TABLE} ${name} { ${to.definition}; }`)
  const old = from?.elements ?? new Map<string, string>()
  const desired = to?.elements ?? new Map<string, string>()
  const removed = [...old].filter(([key, value]) => desired.get(key) !== value).map(([key]) => key)
  const added = [...desired]
    .filter(([key, value]) => old.get(key) !== value)
    .map(([key, value]) => (value === '' ? key : `${key} : ${value}`))
  steps.empty.push(...elementLine('delete', name, removed))
  steps.fill.push(...elementLine('add', name, added))
}

const changeChain = (steps: Steps, name: string, from: Chain | undefined, to: Chain | undefined): void => {
  if (to === undefined) {
    // Flushed first, so that it does not refer to other deleted chains.
    steps.empty.push(`flush chain ${TABLE} ${name}`)
    steps.drop.push(`delete chain ${TABLE} ${name}`)
    return
  }
  if (from !== undefined && from.rules.join('\n') === to.rules.join('\n')) return
  if (from === undefined) {
    const hook = to.hook === undefined ? '' : ` { ${to.hook}; }`
    steps.declare.push(`add chain ${TABLE} ${name}${hook}`)
  } else steps.empty.push(`flush chain ${TABLE} ${name}`)
  steps.fill.push(...to.rules.map((rule) => `add rule ${TABLE} ${name} ${rule}`))
}

const namesOf = (...maps: readonly ReadonlyMap<string, unknown>[]): Set<string> =>
  new Set(maps.flatMap((map) => [...map.keys()]))

/** Empty if nothing has changed. Without `from`, the table is recreated. */
export const rulesetScript = (from: Ruleset | undefined, to: Ruleset): string => {
  const steps: Steps = { declare: [], empty: [], fill: [], drop: [] }
  const old = from ?? NO_RULES
  for (const name of namesOf(old.sets, to.sets))
    changeSet(steps, 'set', name, { from: old.sets.get(name), to: to.sets.get(name) })
  for (const name of namesOf(old.maps, to.maps))
    changeSet(steps, 'map', name, { from: old.maps.get(name), to: to.maps.get(name) })
  for (const name of namesOf(old.chains, to.chains))
    changeChain(steps, name, old.chains.get(name), to.chains.get(name))
  const recreate =
    from === undefined ? [`add table ${TABLE}`, `delete table ${TABLE}`, `add table ${TABLE}`] : []
  const lines = [...recreate, ...steps.declare, ...steps.empty, ...steps.fill, ...steps.drop]
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}
