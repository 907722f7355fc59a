/** Tests the eviction of pods that exceed their storage limits. */
import type { PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import type { DiskUsage, Reply } from '#platform/kube/ports'
import { createTestNode } from '../testing/create-test-node.ts'
import type { StorageAllowance } from './storage-limits.ts'

const MI = 1024 * 1024

const setUp = (
  spec: Partial<PodSpec>,
  options: { diskCheckMs?: number; storageAllowance?: StorageAllowance } = {},
) => {
  let usage: DiskUsage = { volumes: {}, containers: {} }
  let measurements = 0
  const node = createTestNode(
    {},
    {
      options,
      runtime: () => ({
        diskUsage(_pod, reply: Reply<DiskUsage>) {
          measurements += 1
          node.clock.defer(() => reply({ ok: true, value: usage }))
        },
      }),
    },
  )
  node.run('p', spec)
  node.clock.advance(1000)
  return {
    ...node,
    measurements: () => measurements,
    setUsage: (next: DiskUsage) => {
      usage = next
    },
  }
}

const container = (name: string, limit?: string) => ({
  name,
  image: 'busybox:local',
  ...(limit === undefined ? {} : { resources: { limits: { 'ephemeral-storage': limit } } }),
})

const CACHE = { volumes: [{ name: 'cache', emptyDir: { sizeLimit: '1Mi' } }] }

describe('a pod without limits', () => {
  it('is never measured', () => {
    const { clock, measurements } = setUp({ volumes: [{ name: 'cache', emptyDir: {} }] })
    clock.advance(600_000)
    expect(measurements()).toBe(0)
  })
})

describe('a pod with a storage allowance', () => {
  const storageAllowance = { max: '3Mi', lowDiskThreshold: '1Gi', maxWhenLow: '1Mi' }
  const toMessage = (limit: string): string =>
    `Pod ephemeral local storage usage exceeds the total limit of containers ${limit}. `

  it('is evicted above it, counting volumes that outlive the pod', () => {
    const { clock, pod, setUsage } = setUp({}, { storageAllowance })
    setUsage({ volumes: { v: MI }, containers: { p: MI }, persistent: { h: MI } })
    clock.advance(20_000)
    expect(pod('p').status.phase).toBe('Running')
    setUsage({ volumes: { v: MI }, containers: { p: MI }, persistent: { h: MI + 1 } })
    clock.advance(10_000)
    expect(pod('p').status).toMatchObject({ reason: 'Evicted', message: toMessage('3Mi') })
  })

  it('is evicted above it, counting volumes in memory', () => {
    const volumes = [{ name: 'v', emptyDir: { medium: 'Memory' } }]
    const { clock, pod, setUsage } = setUp({ volumes }, { storageAllowance })
    setUsage({ volumes: { v: 2 * MI }, containers: { p: MI }, availableBytes: 0 })
    clock.advance(20_000)
    expect(pod('p').status.phase).toBe('Running')
    setUsage({ volumes: { v: 2 * MI + 1 }, containers: { p: MI } })
    clock.advance(10_000)
    expect(pod('p').status).toMatchObject({ reason: 'Evicted', message: toMessage('3Mi') })
  })

  it('is evicted above a lower limit when disk space is low', () => {
    const { clock, pod, setUsage } = setUp({}, { storageAllowance })
    setUsage({ volumes: {}, containers: { p: 2 * MI }, availableBytes: 1024 * MI })
    clock.advance(20_000)
    expect(pod('p').status.phase).toBe('Running')
    setUsage({ volumes: {}, containers: { p: 2 * MI }, availableBytes: 1024 * MI - 1 })
    clock.advance(10_000)
    expect(pod('p').status).toMatchObject({ reason: 'Evicted', message: toMessage('1Mi') })
  })
})

describe('a pod above a limit', () => {
  const cases: [string, Partial<PodSpec>, DiskUsage, string][] = [
    [
      'of a volume',
      CACHE,
      { volumes: { cache: MI + 1 }, containers: {} },
      'Usage of EmptyDir volume "cache" exceeds the limit "1Mi". ',
    ],
    [
      'of a container',
      { containers: [container('web', '1024Ki'), container('log', '4Mi')] },
      { volumes: {}, containers: { web: MI + 1, log: 0 } },
      'Container web exceeded its local ephemeral storage limit "1Mi". ',
    ],
    [
      'of all containers together',
      {
        containers: [container('web', '1Mi'), container('log', '1Mi')],
        volumes: [{ name: 'v', emptyDir: {} }],
      },
      { volumes: { v: 2 * MI }, containers: { web: 10, log: 0 } },
      'Pod ephemeral local storage usage exceeds the total limit of containers 2Mi. ',
    ],
  ]
  it.each(cases)('%s is evicted with the message of the kubelet', (_, spec, usage, message) => {
    const { clock, pod, eventsOf, setUsage, measurements } = setUp(spec)
    clock.advance(25_000)
    expect(pod('p').status.phase).toBe('Running')
    expect(measurements()).toBe(2)
    setUsage(usage)
    clock.advance(10_000)
    expect(pod('p').status).toMatchObject({ phase: 'Failed', reason: 'Evicted', message })
    expect(pod('p').status.conditions?.[0]).toMatchObject({
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'TerminationByKubelet',
      message,
    })
    expect(eventsOf('p')).toContain(`Warning Evicted ${message}`)
    clock.advance(600_000)
    expect(measurements()).toBe(3)
  })

  it('is evicted after the check period', () => {
    const { clock, pod, setUsage } = setUp(CACHE, { diskCheckMs: 200 })
    setUsage({ volumes: { cache: 2 * MI }, containers: {} })
    clock.advance(300)
    expect(pod('p').status.reason).toBe('Evicted')
  })

  it('is not evicted for volumes in memory, nor while the kubelet is unhealthy', () => {
    const { clock, kubelet, pod, setUsage } = setUp({
      containers: [container('web', '1Mi')],
      volumes: [{ name: 'v', emptyDir: { medium: 'Memory' } }],
    })
    setUsage({ volumes: { v: 5 * MI }, containers: { web: 0 } })
    clock.advance(30_000)
    expect(pod('p').status.phase).toBe('Running')
    kubelet.setHealthy(false)
    setUsage({ volumes: {}, containers: { web: 5 * MI } })
    clock.advance(30_000)
    expect(pod('p').status.phase).toBe('Running')
    kubelet.setHealthy(true)
    clock.advance(11_000)
    expect(pod('p').status.reason).toBe('Evicted')
  })
})
