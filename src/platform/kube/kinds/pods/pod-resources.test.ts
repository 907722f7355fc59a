/** Tests pod requests, limits and QoS classes. */
import type { PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { formatQuantity } from '#platform/kube/meta'
import { podLimits, podRequests, qosClassOf, type ResourceAmounts } from './pod-resources.ts'

const toTexts = (amounts: ResourceAmounts): Record<string, string> =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, formatQuantity(amount)]))

const containerWith = (name: string, cpu: string, overrides: object = {}) => ({
  name,
  resources: { requests: { cpu } },
  ...overrides,
})

const cpuRequest = (spec: PodSpec): string | undefined => toTexts(podRequests({ spec })).cpu

describe('podRequests', () => {
  it('sums up the containers', () => {
    expect(cpuRequest({ containers: [containerWith('a', '100m'), containerWith('b', '1')] })).toBe('1100m')
  })

  it('uses the largest init container if it exceeds the sum of containers', () => {
    const containers = [containerWith('a', '100m')]
    expect(
      cpuRequest({ containers, initContainers: [containerWith('i', '2'), containerWith('j', '1')] }),
    ).toBe('2')
    expect(cpuRequest({ containers, initContainers: [containerWith('i', '50m')] })).toBe('100m')
  })

  it('adds sidecars to the containers and to later init containers', () => {
    const sidecar = containerWith('s', '300m', { restartPolicy: 'Always' })
    expect(cpuRequest({ containers: [containerWith('a', '100m')], initContainers: [sidecar] })).toBe('400m')
    expect(
      cpuRequest({
        containers: [containerWith('a', '100m')],
        initContainers: [sidecar, containerWith('i', '500m')],
      }),
    ).toBe('800m')
    expect(
      cpuRequest({
        containers: [containerWith('a', '100m')],
        initContainers: [containerWith('i', '500m'), sidecar],
      }),
    ).toBe('500m')
  })

  it('adds overhead', () => {
    expect(cpuRequest({ containers: [containerWith('a', '100m')], overhead: { cpu: '20m' } })).toBe('120m')
  })
})

describe('podLimits', () => {
  it('adds overhead only to limited resources', () => {
    const containers = [{ name: 'a', resources: { limits: { memory: '1Gi' } } }]
    expect(toTexts(podLimits({ spec: { containers, overhead: { cpu: '20m', memory: '1Gi' } } }))).toEqual({
      memory: '2Gi',
    })
  })
})

describe('qosClassOf', () => {
  const full = { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1000m', memory: '1024Mi' } }
  it('is BestEffort without requests and limits', () => {
    expect(qosClassOf({ spec: { containers: [{ name: 'a' }] } })).toBe('BestEffort')
  })
  it('is Guaranteed if requests equal limits in every container', () => {
    expect(qosClassOf({ spec: { containers: [{ name: 'a', resources: full }] } })).toBe('Guaranteed')
  })
  it('is Burstable if a container or init container lacks limits', () => {
    const containers = [{ name: 'a', resources: full }]
    expect(qosClassOf({ spec: { containers, initContainers: [{ name: 'i' }] } })).toBe('Burstable')
    expect(qosClassOf({ spec: { containers: [{ name: 'a', resources: { requests: { cpu: '1' } } }] } })).toBe(
      'Burstable',
    )
  })
})
