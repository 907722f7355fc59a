/** Tests of resource sums and classes of service. */
import type { PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { formatQuantity } from '../meta/index.ts'
import { podLimits, podRequests, qosClassOf, type ResourceAmounts } from './pod-resources.ts'

const texts = (amounts: ResourceAmounts): Record<string, string> =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, formatQuantity(amount)]))

const asking = (name: string, cpu: string, more: object = {}) => ({
  name,
  resources: { requests: { cpu } },
  ...more,
})

const requested = (spec: PodSpec): string | undefined => texts(podRequests({ spec })).cpu

describe('podRequests', () => {
  it('adds containers up', () => {
    expect(requested({ containers: [asking('a', '100m'), asking('b', '1')] })).toBe('1100m')
  })

  it('takes the largest init container where it is larger than all containers together', () => {
    const containers = [asking('a', '100m')]
    expect(requested({ containers, initContainers: [asking('i', '2'), asking('j', '1')] })).toBe('2')
    expect(requested({ containers, initContainers: [asking('i', '50m')] })).toBe('100m')
  })

  it('counts sidecars beside the containers and beside later init containers', () => {
    const sidecar = asking('s', '300m', { restartPolicy: 'Always' })
    expect(requested({ containers: [asking('a', '100m')], initContainers: [sidecar] })).toBe('400m')
    expect(
      requested({ containers: [asking('a', '100m')], initContainers: [sidecar, asking('i', '500m')] }),
    ).toBe('800m')
    expect(
      requested({ containers: [asking('a', '100m')], initContainers: [asking('i', '500m'), sidecar] }),
    ).toBe('500m')
  })

  it('adds overhead', () => {
    expect(requested({ containers: [asking('a', '100m')], overhead: { cpu: '20m' } })).toBe('120m')
  })
})

describe('podLimits', () => {
  it('adds overhead only to what is limited', () => {
    const containers = [{ name: 'a', resources: { limits: { memory: '1Gi' } } }]
    expect(texts(podLimits({ spec: { containers, overhead: { cpu: '20m', memory: '1Gi' } } }))).toEqual({
      memory: '2Gi',
    })
  })
})

describe('qosClassOf', () => {
  const full = { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1000m', memory: '1024Mi' } }
  it('is BestEffort without requests and limits', () => {
    expect(qosClassOf({ spec: { containers: [{ name: 'a' }] } })).toBe('BestEffort')
  })
  it('is Guaranteed when every container is limited to what it asks', () => {
    expect(qosClassOf({ spec: { containers: [{ name: 'a', resources: full }] } })).toBe('Guaranteed')
  })
  it('is Burstable when any container, init containers included, is not', () => {
    const containers = [{ name: 'a', resources: full }]
    expect(qosClassOf({ spec: { containers, initContainers: [{ name: 'i' }] } })).toBe('Burstable')
    expect(qosClassOf({ spec: { containers: [{ name: 'a', resources: { requests: { cpu: '1' } } }] } })).toBe(
      'Burstable',
    )
  })
})
