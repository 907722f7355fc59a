/** The lines that say how objects are, and which of them come first. */
import { describe, expect, it } from 'vitest'
import { isTroubled, summarise } from './summarise.ts'
import { toObject } from './testing/fake-context.ts'

describe('a node', () => {
  const toNode = (spec: object, ...conditions: readonly (readonly [type: string, status: string])[]) =>
    toObject('Node', 'one', {
      spec,
      status: {
        conditions: conditions.map(([type, status]) => ({ type, status })),
        allocatable: { cpu: '4', memory: '8Gi' },
      },
    })
  const READY = ['Ready', 'True'] as const
  const taint = { key: 'sick', effect: 'NoExecute' }

  it.each([
    ['Ready', false, toNode({}, READY, ['DiskPressure', 'False'])],
    ['NotReady', true, toNode({}, ['Ready', 'Unknown'])],
    ['Ready, cordoned', true, toNode({ unschedulable: true }, READY)],
    ['Ready, DiskPressure', true, toNode({}, READY, ['DiskPressure', 'True'])],
    ['Ready, taint sick:NoExecute', true, toNode({ taints: [taint] }, READY)],
    [
      'NotReady, cordoned, PIDPressure, taint sick:NoExecute',
      true,
      toNode({ unschedulable: true, taints: [taint] }, ['PIDPressure', 'True'], ['Ready', 'False']),
    ],
    // However a condition is called.
    ['Ready, cpuPressure', true, toNode({}, READY, ['cpuPressure', 'True'])],
  ])('that is %s is in trouble: %s', (words, isInTrouble, node) => {
    expect(summarise(node)).toBe(`one: ${words}, cpu 4, memory 8Gi`)
    expect(isTroubled(node)).toBe(isInTrouble)
  })
})

describe('a workload', () => {
  it.each([
    [2, 2, false],
    [1, 2, true],
    // Whoever wants none has been scaled down, which nobody does to a service that is well.
    [0, 0, true],
  ])('with %i of %i pods ready is in trouble: %s', (readyReplicas, replicas, isInTrouble) => {
    const template = { spec: { containers: [{ image: 'cart:1' }] } }
    const cart = toObject('Deployment', 'cart', { spec: { replicas, template }, status: { readyReplicas } })
    expect(summarise(cart)).toBe(`cart: ${readyReplicas}/${replicas} ready, cart:1`)
    expect(isTroubled(cart)).toBe(isInTrouble)
  })
})

it('says the name alone of a kind that it does not know', () => {
  expect(summarise(toObject('Lease', 'l'))).toBe('l')
  expect(isTroubled(toObject('Lease', 'l'))).toBe(false)
})
