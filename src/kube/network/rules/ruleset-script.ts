/** What must be told to `nft` so that one ruleset becomes another, in one transaction. */
import type { Chain, NamedSet, Ruleset } from './ruleset.ts'
import { NO_RULES } from './ruleset.ts'

const TABLE = 'ip kube-proxy'

/** Adds and deletes refer to each other: the order of these steps is the order of the script. */
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
  from: NamedSet | undefined,
  to: NamedSet | undefined,
): void => {
  if (to === undefined) steps.drop.push(`delete ${type} ${TABLE} ${name}`)
  else if (from === undefined) steps.declare.push(`add ${type} ${TABLE} ${name} { ${to.definition}; }`)
  const old = from?.elements ?? new Map<string, string>()
  const wanted = to?.elements ?? new Map<string, string>()
  const gone = [...old].filter(([key, value]) => wanted.get(key) !== value).map(([key]) => key)
  const come = [...wanted]
    .filter(([key, value]) => old.get(key) !== value)
    .map(([key, value]) => (value === '' ? key : `${key} : ${value}`))
  steps.empty.push(...elementLine('delete', name, gone))
  steps.fill.push(...elementLine('add', name, come))
}

const changeChain = (steps: Steps, name: string, from: Chain | undefined, to: Chain | undefined): void => {
  if (to === undefined) {
    // Emptied first, so that it points at nothing that goes too.
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

/** Empty where there is nothing to do. Without `from`, whatever the table holds is thrown away first. */
export const rulesetScript = (from: Ruleset | undefined, to: Ruleset): string => {
  const steps: Steps = { declare: [], empty: [], fill: [], drop: [] }
  const old = from ?? NO_RULES
  for (const name of namesOf(old.sets, to.sets))
    changeSet(steps, 'set', name, old.sets.get(name), to.sets.get(name))
  for (const name of namesOf(old.maps, to.maps))
    changeSet(steps, 'map', name, old.maps.get(name), to.maps.get(name))
  for (const name of namesOf(old.chains, to.chains))
    changeChain(steps, name, old.chains.get(name), to.chains.get(name))
  const anew = from === undefined ? [`add table ${TABLE}`, `delete table ${TABLE}`, `add table ${TABLE}`] : []
  const lines = [...anew, ...steps.declare, ...steps.empty, ...steps.fill, ...steps.drop]
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}
