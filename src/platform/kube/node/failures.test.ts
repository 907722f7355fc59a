/** Tests the kubelet when the API or the runtime fails, and when it is stopped during an operation. */
import { describe, expect, it } from 'vitest'
import { leases, pods } from '#platform/kube/kinds'
import { badRequest } from '#platform/kube/meta'
import type { Client, ContainerRuntime } from '#platform/kube/ports'
import type { ImageModel } from '#platform/kube/runtimes/simulated'
import { createTestNode } from './testing/create-test-node.ts'

/** Wraps a function so that its first call throws. */
const throwOnFirstCall = <T extends unknown[], R>(error: Error, call: (...args: T) => R) => {
  let failed = false
  return (...args: T): R => {
    if (failed) return call(...args)
    failed = true
    throw error
  }
}

describe('when the API fails, the kubelet', () => {
  it('renews its lease and retries if the status of the node is rejected', () => {
    let rejects = false
    const { client, clock, errors } = createTestNode(
      {},
      {
        client: (original) => ({
          updateStatus(kind, object) {
            if (rejects && kind.kind === 'Node') throw badRequest('refused')
            return original.updateStatus(kind, object)
          },
        }),
      },
    )
    rejects = true
    clock.advance(320_000)
    expect(errors).not.toEqual([])
    expect(new Set(errors)).toEqual(new Set(['kubelet node1, status of node node1: ApiError: refused']))
    expect(client.get(leases, 'kube-node-lease', 'node1')?.spec.renewTime).toBe('2026-11-15T00:05:20.000000Z')
  })

  it('retries writing the status of a pod', () => {
    const { clock, run, pod, errors } = createTestNode(
      {},
      {
        client: (original) => {
          const updatePod = throwOnFirstCall(new TypeError('broken'), original.updateStatus)
          return {
            updateStatus: ((kind, object) =>
              kind.kind === 'Pod'
                ? updatePod(kind, object)
                : original.updateStatus(kind, object)) as Client['updateStatus'],
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

  it('retries deleting a stopped pod', () => {
    let rejects = true
    const { client, clock, run, pod, errors } = createTestNode(
      {},
      {
        client: (original) => ({
          delete(...args) {
            if (rejects) throw badRequest('refused')
            original.delete(...args)
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
    rejects = false
    clock.advance(10_000)
    expect(client.get(pods, 'default', 'p')).toBeUndefined()
  })
})

describe('when the runtime fails, the kubelet', () => {
  it('keeps the pod and retries until its sandbox is removed', () => {
    let fails = true
    const { client, clock, run, pod, eventsOf } = createTestNode(
      {},
      {
        runtime: (original) => ({
          removeSandbox(sandbox, reply) {
            original.removeSandbox(sandbox, (outcome) =>
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

  const failingRuntimes: [string, (original: ContainerRuntime) => Partial<ContainerRuntime>][] = [
    [
      'createSandbox',
      ({ createSandbox }) => ({ createSandbox: throwOnFirstCall(new TypeError('broken'), createSandbox) }),
    ],
    [
      'startContainer',
      ({ startContainer }) => ({ startContainer: throwOnFirstCall(new TypeError('broken'), startContainer) }),
    ],
    ['hasImage', ({ hasImage }) => ({ hasImage: throwOnFirstCall(new TypeError('broken'), hasImage) })],
  ]
  it.each(failingRuntimes)('reports an error in %s and retries', (_, runtime) => {
    const { clock, run, pod, errors } = createTestNode({}, { runtime })
    run('p', {})
    clock.advance(500)
    expect(errors).toEqual(['kubelet node1, pod default/p: TypeError: broken'])
    clock.advance(16_000)
    expect(pod('p').status.phase).toBe('Running')
  })

  it('reports an error in a probe and probes again', () => {
    const { clock, run, pod, errors } = createTestNode(
      {},
      { runtime: ({ probe }) => ({ probe: throwOnFirstCall(new TypeError('broken'), probe) }) },
    )
    const readinessProbe = { httpGet: { path: '/', port: 8080 }, periodSeconds: 5 }
    run('p', { containers: [{ name: 'c', image: 'busybox:local', readinessProbe }] })
    clock.advance(10_000)
    expect(errors).toHaveLength(1)
    expect(pod('p').status.containerStatuses?.[0]?.ready).toBe(true)
  })
})

describe('a stopped kubelet', () => {
  const createNodeWithPod = (model: ImageModel) => {
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

  it('starts no container when a pull completes', () => {
    const { clock, kubelet, starts } = createNodeWithPod({ pullMs: 5000 })
    clock.advance(1000)
    kubelet.stop()
    clock.advance(60_000)
    expect(starts).toEqual([])
  })

  it('stops a container that was still starting', () => {
    const { clock, kubelet, runtime, pod, starts } = createNodeWithPod({ present: true })
    clock.advance(1000)
    kubelet.stop()
    clock.advance(60_000)
    expect(starts).toEqual(['c'])
    expect(runtime.usage(pod('p'))).toEqual({})
  })

  it('removes a sandbox that was still being created', () => {
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
