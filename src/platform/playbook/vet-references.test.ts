/** Tests that the policy accepts the reference playbook of every fault. */
import { expect, it } from 'vitest'
import { loadFaults } from '#exam/faults'
import type { Fault } from '#spec'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { vetPlaybook } from './vet-playbook.ts'

/** The states of faults with values other than plain names. */
const STATES: Readonly<Record<string, object>> = {
  'clock-skew': { node: 'node1', pods: ['cart-0'] },
  'network-partition': { node: 'node1', pods: ['cart-0', 'web-0'] },
  'node-cordoned': { nodes: ['node1', 'node2'] },
  'node-pressure': { shards: [{ name: 'reindex-0', node: 'node-1', memory: '1Gi' }] },
  'quota-exhausted': { rule: { hard: { pods: '11' } } },
}

const defaultsOf = ({ parameters }: Fault): Record<string, number | string> =>
  Object.fromEntries(Object.entries(parameters).map(([name, declaration]) => [name, declaration.default]))

/** Any key that is not in `STATES` has a name as its value. */
const stateOf = ({ name }: Fault): object =>
  new Proxy({ ...STATES[name] } as Record<string, unknown>, {
    get: (known, key: string) => known[key] ?? 'remembered',
  })

it('accepts the reference playbook of every fault', async () => {
  const systems = await Promise.all(['simple-micro', 'online-boutique', 'train-ticket'].map(loadSystem))
  const views = systems.map(createSystemView)
  const refusals: string[] = []
  let vetted = 0
  for (const fault of (await loadFaults()).values())
    for (const system of views)
      for (const target of fault.targets(system).slice(0, 2)) {
        const text = fault.fix({ system, target, params: defaultsOf(fault), state: stateOf(fault) as never })
        const { isRefused, findings } = vetPlaybook(text, { namespace: system.namespace })
        vetted += 1
        if (isRefused) refusals.push(`${fault.name}: ${findings.join(' ')}`)
      }
  expect(refusals).toEqual([])
  expect(vetted).toBeGreaterThan(80)
})
