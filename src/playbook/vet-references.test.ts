/** The policy lets through what is right: the reference fix of every fault, on a system that has all kinds of targets. */
import { expect, it } from 'vitest'
import { loadFaults } from '../faults/index.ts'
import type { Fault } from '../spec/index.ts'
import { createSystemView } from '../system-view/index.ts'
import { loadSystem } from '../systems/index.ts'
import { vetPlaybook } from './vet-playbook.ts'

/** Of faults that remember more than names. */
const REMEMBERED: Readonly<Record<string, object>> = {
  'clock-skew': { node: 'node1', pods: ['cart-0'] },
  'network-partition': { node: 'node1', pods: ['cart-0', 'web-0'] },
  'node-cordoned': { nodes: ['node1', 'node2'] },
  'node-pressure': { shards: [{ name: 'reindex-0', node: 'node-1', memory: '1Gi' }] },
  'quota-exhausted': { rule: { hard: { pods: '11' } } },
}

const defaultsOf = ({ parameters }: Fault): Record<string, number | string> =>
  Object.fromEntries(Object.entries(parameters).map(([name, declaration]) => [name, declaration.default]))

/** Whatever name is asked for is there. */
const stateOf = ({ name }: Fault): object =>
  new Proxy({ ...REMEMBERED[name] } as Record<string, unknown>, {
    get: (known, key: string) => known[key] ?? 'remembered',
  })

it('lets the reference fix of every fault through', async () => {
  const systems = await Promise.all(['simple-micro', 'online-boutique', 'train-ticket'].map(loadSystem))
  const views = systems.map(createSystemView)
  const refused: string[] = []
  let vetted = 0
  for (const fault of (await loadFaults()).values())
    for (const system of views)
      for (const target of fault.targets(system).slice(0, 2)) {
        const text = fault.fix({ system, target, params: defaultsOf(fault), state: stateOf(fault) as never })
        const { isRefused, findings } = vetPlaybook(text, { namespace: system.namespace })
        vetted += 1
        if (isRefused) refused.push(`${fault.name}: ${findings.join(' ')}`)
      }
  expect(refused).toEqual([])
  expect(vetted).toBeGreaterThan(80)
})
