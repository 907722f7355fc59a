/** The reference fixes of all faults over all targets of the systems. */
import { parse } from 'yaml'
import { loadFaults } from '#exam/faults'
import type { Fault } from '#spec'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import type { ProofCase } from './proof-case.ts'

export const SYSTEMS = [
  'simple-micro',
  'online-boutique',
  'hotel-reservation',
  'social-network',
  'train-ticket',
]

/** The states of faults with values other than plain names. */
const STATES: Readonly<Record<string, object>> = {
  'clock-skew': { node: 'node1', pods: ['cart-0'] },
  'network-partition': { node: 'node1', pods: ['cart-0', 'web-0'] },
  'node-cordoned': { nodes: ['node1', 'node2'] },
  'node-pressure': { shards: [{ name: 'reindex-0', node: 'node1', memory: '1Gi' }] },
  'quota-exhausted': { rule: { hard: { pods: '11' } } },
}

const stateOf = ({ name }: Fault): object =>
  new Proxy({ ...STATES[name] } as Record<string, unknown>, {
    get: (known, key: string) => known[key] ?? 'remembered',
  })

const defaultsOf = ({ parameters }: Fault): Record<string, number | string> =>
  Object.fromEntries(Object.entries(parameters).map(([name, { default: value }]) => [name, value]))

/** The keys of a value and the types of its members, without the values. */
const structureOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return [...new Set(value.map((item) => JSON.stringify(structureOf(item))))]
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.entries(value).map(([key, member]) => [
    key,
    key === 'kind' || key === 'state' ? member : structureOf(member),
  ])
}

/** The only expression of the fixes writes the time, which differs between the runs in any case. */
const withoutTime = (text: string): string => text.replaceAll(/\{\{ now\([^}]*\) \}\}/g, 'now')

export interface ReferenceCases {
  readonly cases: readonly ProofCase[]
  /** How many playbooks there are, with those of the same structure. */
  readonly total: number
}

/** By default, one playbook of each structure. */
export const referenceCases = async (system: string, isEvery: boolean): Promise<ReferenceCases> => {
  const view = createSystemView(await loadSystem(system))
  const seen = new Set<string>()
  const cases: ProofCase[] = []
  let total = 0
  for (const fault of (await loadFaults()).values())
    for (const [index, target] of fault.targets(view).entries()) {
      const text = fault.fix({
        system: view,
        target,
        params: defaultsOf(fault),
        state: stateOf(fault) as never,
      })
      total += 1
      for (const [play, { tasks }] of (parse(withoutTime(text)) as { tasks: object[] }[]).entries()) {
        const structure = `${fault.name} ${JSON.stringify(structureOf(tasks))}`
        if (seen.has(structure) && !isEvery) continue
        seen.add(structure)
        cases.push({ name: `${system} ${fault.name} ${index}.${play}`, tasks })
      }
    }
  return { cases, total }
}
