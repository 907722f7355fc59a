/** What happens when the API or the runtime fails the kubelet, and when it is stopped half-way. */
import { describe, expect, it } from 'vitest'
import { leases, pods } from '../kinds/index.ts'
import { badRequest } from '../meta/index.ts'
import type { Client, ContainerRuntime } from '../ports/index.ts'
import type { ImageModel } from '../runtimes/index.ts'
import { createTestNode } from './testing/create-test-node.ts'

/** Fails the first time. */
const once = <T extends unknown[], R>(error: Error, call: (...args: T) => R) => {
  let failed = false
  return (...args: T): R => {
    if (failed) return call(...args)
    failed = true
    throw error
  }
}

describe('the API', () => {
  it('that refuses the status of the node keeps it neither from its lease nor from the next beat', () => {
    let refuses = false
    const { client, clock, errors } = createTestNode(
      {},
      {
        client: (honest) => ({
          updateStatus(kind, object) {
            if (refuses && kind.kind === 'Node') throw badRequest('refused')
            return honest.updateStatus(kind, object)
          },
        }),
      },
    )
    refuses = true
    clock.advance(320_000)
    expect(errors).not.toEqual([])
    expect(new Set(errors)).toEqual(new Set(['kubelet node1, status of node node1: ApiError: refused']))
    expect(client.get(leases, 'kube-node-lease', 'node1')?.spec.renewTime).toBe('2026-11-15T00:05:20.000000Z')
  })

  it('that fails on the status of a pod is asked again', () => {
    const { clock, run, pod, errors } = createTestNode(
      {},
      {
        client: (honest) => {
          const updatePod = once(new TypeError('broken'), honest.updateStatus)
          return {
            updateStatus: ((kind, object) =>
              kind.kind === 'Pod'
                ? updatePod(kind, object)
                : honest.updateStatus(kind, object)) as Client['updateStatus'],
          }
        },
      },
    )
    run('p', { containers: [{ name: 'c', image: 'busybox:local', imagePullPolicy: 'Never' }] })
    clock.advance(0)
    expect(errors).toEqual(['kubelet node1, status of pod default/p: TypeError: broken'])
    clock.advance(11_000)
    expect(pod('p').status.phase).toBe('Running')
  })

  it('that refuses the last word on a pod is asked again', () => {
    let refuses = true
    const { client, clock, run, pod, errors } = createTestNode(
      {},
      {
        client: (honest) => ({
          delete(...args) {
            if (refuses) throw badRequest('refused')
            honest.delete(...args)
          },
        }),
      },
    )
    run('p', {})
    clock.advance(1000)
    client.delete(pods, 'default', 'p')
    clock.advance(1000)
    expect(pod('p').metadata.deletionTimestamp).toBeDefined()
    expect(errors).toContain('kubelet node1, status of pod default/p: ApiError: refused')
    refuses = false
    clock.advance(10_000)
    expect(client.get(pods, 'default', 'p')).toBeUndefined()
  })
})

describe('the runtime', () => {
  it('that cannot remove a sandbox keeps the pod, and is asked again', () => {
    let fails = true
    const { client, clock, run, pod, eventsOf } = createTestNode(
      {},
      {
        runtime: (honest) => ({
          removeSandbox(sandbox, reply) {
            honest.removeSandbox(sandbox, (outcome) =>
              reply(fails ? { ok: false, error: new Error('network is busy') } : outcome),
            )
          },
        }),
      },
    )
    run('p', {})
    clock.advance(1000)
    const { uid } = pod('p').metadata
    client.delete(pods, 'default', 'p')
    clock.advance(20_000)
    expect(pod('p').status.phase).toBe('Running')
    expect(eventsOf('p').at(-1)).toContain(
      `Warning FailedKillPod error killing pod: failed to "KillPodSandbox" for "${uid}" with KillPodSandboxError: "rpc error: code = Unknown desc = network is busy"`,
    )
    fails = false
    clock.advance(15_000)
    expect(client.get(pods, 'default', 'p')).toBeUndefined()
  })

  const broken: [string, (honest: ContainerRuntime) => Partial<ContainerRuntime>][] = [
    [
      'createSandbox',
      ({ createSandbox }) => ({ createSandbox: once(new TypeError('broken'), createSandbox) }),
    ],
    [
      'startContainer',
      ({ startContainer }) => ({ startContainer: once(new TypeError('broken'), startContainer) }),
    ],
    ['hasImage', ({ hasImage }) => ({ hasImage: once(new TypeError('broken'), hasImage) })],
  ]
  it.each(broken)('that throws in %s is told of, and asked again', (_, runtime) => {
    const { clock, run, pod, errors } = createTestNode({}, { runtime })
    run('p', {})
    clock.advance(500)
    expect(errors).toEqual(['kubelet node1, pod default/p: TypeError: broken'])
    clock.advance(16_000)
    expect(pod('p').status.phase).toBe('Running')
  })

  it('that throws in a probe is told of, and asked again', () => {
    const { clock, run, pod, errors } = createTestNode(
      {},
      { runtime: ({ probe }) => ({ probe: once(new TypeError('broken'), probe) }) },
    )
    const readinessProbe = { httpGet: { path: '/', port: 8080 }, periodSeconds: 5 }
    run('p', { containers: [{ name: 'c', image: 'busybox:local', readinessProbe }] })
    clock.advance(10_000)
    expect(errors).toHaveLength(1)
    expect(pod('p').status.containerStatuses?.[0]?.ready).toBe(true)
  })
})

describe('a kubelet that is stopped', () => {
  const watched = (model: ImageModel) => {
    const starts: string[] = []
    const node = createTestNode({
      image: {
        ...model,
        run: ({ container }) => {
          starts.push(container.name)
          return { startMs: 5000 }
        },
      },
    })
    node.run('p', { containers: [{ name: 'c', image: 'image' }] })
    return { ...node, starts }
  }

  it('starts no container when the image arrives', () => {
    const { clock, kubelet, starts } = watched({ pullMs: 5000 })
    clock.advance(1000)
    kubelet.stop()
    clock.advance(60_000)
    expect(starts).toEqual([])
  })

  it('ends a container that started meanwhile', () => {
    const { clock, kubelet, runtime, pod, starts } = watched({ present: true })
    clock.advance(1000)
    kubelet.stop()
    clock.advance(60_000)
    expect(starts).toEqual(['c'])
    expect(runtime.usage(pod('p'))).toEqual({})
  })

  it('gives back a sandbox that was made meanwhile', () => {
    const removed: string[] = []
    const { clock, kubelet, run } = createTestNode(
      {},
      {
        runtime: ({ removeSandbox }) => ({
          removeSandbox(sandbox, reply) {
            removed.push(sandbox.ip)
            removeSandbox(sandbox, reply)
          },
        }),
      },
    )
    run('p', {})
    clock.advance(10)
    kubelet.stop()
    clock.advance(1000)
    expect(removed).toHaveLength(1)
  })
})
