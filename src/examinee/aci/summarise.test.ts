/** Tests of the summaries of objects, and of which objects are unhealthy. */
import { describe, expect, it } from 'vitest'
import { isUnhealthy, summarise } from './summarise.ts'
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
  const taint = { key: 'faulty', effect: 'NoExecute' }

  it.each([
    ['Ready', false, toNode({}, READY, ['DiskPressure', 'False'])],
    ['NotReady', true, toNode({}, ['Ready', 'Unknown'])],
    ['Ready, cordoned', true, toNode({ unschedulable: true }, READY)],
    ['Ready, DiskPressure', true, toNode({}, READY, ['DiskPressure', 'True'])],
    ['Ready, taint faulty:NoExecute', true, toNode({ taints: [taint] }, READY)],
    [
      'NotReady, cordoned, PIDPressure, taint faulty:NoExecute',
      true,
      toNode({ unschedulable: true, taints: [taint] }, ['PIDPressure', 'True'], ['Ready', 'False']),
    ],
    // A condition type that Kubernetes does not define.
    ['Ready, cpuPressure', true, toNode({}, READY, ['cpuPressure', 'True'])],
  ])('that is %s is unhealthy: %s', (description, expected, node) => {
    expect(summarise(node)).toBe(`one: ${description}, cpu 4, memory 8Gi`)
    expect(isUnhealthy(node)).toBe(expected)
  })
})

describe('a workload', () => {
  it.each([
    [2, 2, false],
    [1, 2, true],
    // A healthy service is not scaled to zero.
    [0, 0, true],
  ])('with %i of %i pods ready is unhealthy: %s', (readyReplicas, replicas, expected) => {
    const template = { spec: { containers: [{ image: 'cart:1' }] } }
    const cart = toObject('Deployment', 'cart', { spec: { replicas, template }, status: { readyReplicas } })
    expect(summarise(cart)).toBe(`cart: ${readyReplicas}/${replicas} ready, cart:1`)
    expect(isUnhealthy(cart)).toBe(expected)
  })
})

it('returns only the name of an object of an unknown kind', () => {
  expect(summarise(toObject('Lease', 'l'))).toBe('l')
  expect(isUnhealthy(toObject('Lease', 'l'))).toBe(false)
})
