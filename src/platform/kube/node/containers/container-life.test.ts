/** Tests the life of containers: image changes, back-off, hooks, probes, sidecars, an unhealthy kubelet. */
import { describe, expect, it } from 'vitest'
import { pods } from '#platform/kube/kinds'
import type { ContainerModel, ImageModel } from '#platform/kube/runtimes/simulated'
import { createTestNode, type TestNode } from '../testing/create-test-node.ts'

const setImage = ({ client, pod }: TestNode, image: string): void => {
  const containers = pod('p').spec.containers.map((container) => ({ ...container, image }))
  client.update(pods, { ...pod('p'), spec: { ...pod('p').spec, containers } })
}

const statusOf = ({ pod }: TestNode) => pod('p').status.containerStatuses![0]!

describe('a changed image', () => {
  const recordStarts = (model: ImageModel, run: ContainerModel = {}) => {
    const started: string[] = []
    const record: ImageModel['run'] = ({ container }) => {
      started.push(container.image!)
      return run
    }
    return { started, image: { ...model, run: record } }
  }

  it('is started if it changes while the old one is being pulled', () => {
    const { started, image } = recordStarts({ pullMs: 5000 })
    const node = createTestNode({ 'old:1': image, 'new:1': { ...image, pullMs: 1000 } })
    node.run('p', { containers: [{ name: 'c', image: 'old:1' }] })
    node.clock.advance(1000)
    setImage(node, 'new:1')
    node.clock.advance(10_000)
    expect(started).toEqual(['new:1'])
    expect(node.eventsOf('p').filter((event) => event.startsWith('Normal Pulled'))).toHaveLength(2)
    expect(statusOf(node)).toMatchObject({ ready: true, restartCount: 0 })
  })

  it('replaces the old one if it changes while the old one is starting', () => {
    const { started, image } = recordStarts({ present: true }, { startMs: 1000 })
    const node = createTestNode({ 'old:1': image, 'new:1': image })
    node.run('p', { containers: [{ name: 'c', image: 'old:1' }] })
    node.clock.advance(500)
    setImage(node, 'new:1')
    node.clock.advance(5000)
    expect(started).toEqual(['old:1', 'new:1'])
    expect(node.eventsOf('p')).toContain('Normal Killing Container c definition changed, will be restarted')
    expect(statusOf(node)).toMatchObject({ restartCount: 1, image: 'docker.io/library/new:1' })
  })

  it('has a back-off independent of the previous image', () => {
    const crash: ContainerModel = { exit: { afterMs: 0, exitCode: 1, reason: 'Error' } }
    const node = createTestNode({ 'bad:1': { present: true, run: () => crash } })
    node.run('p', { containers: [{ name: 'c', image: 'bad:1' }] })
    node.clock.advance(120_000)
    expect(statusOf(node).state?.waiting?.reason).toBe('CrashLoopBackOff')
    setImage(node, 'pause:1')
    node.clock.advance(1000)
    expect(statusOf(node)).toMatchObject({ ready: true })
    setImage(node, 'good:1')
    node.clock.advance(1000)
    expect(statusOf(node)).toMatchObject({ ready: true, image: 'docker.io/library/good:1' })
    node.clock.advance(20_000)
    setImage(node, 'pause:1')
    node.clock.advance(1000)
    expect(statusOf(node)).toMatchObject({ ready: true, image: 'docker.io/library/pause:1' })
  })
})

describe('restart back-off', () => {
  it('resets after the container has run for ten minutes', () => {
    const lifetimes = [0, 0, 0, 700_000, 0, 0]
    const starts: number[] = []
    const node: TestNode = createTestNode({
      crashing: {
        present: true,
        run: () => {
          starts.push(node.clock.now())
          return { exit: { afterMs: lifetimes[starts.length - 1] ?? 9e9, exitCode: 1, reason: 'Error' } }
        },
      },
    })
    node.run('p', { containers: [{ name: 'c', image: 'crashing' }] })
    node.clock.advance(1_000_000)
    const pauses = starts.slice(1).map((start, index) => (start - starts[index]! - lifetimes[index]!) / 1000)
    for (const [index, minimum] of [0, 10, 20, 0, 10, 20].entries()) {
      expect(pauses[index]).toBeGreaterThanOrEqual(minimum)
      expect(pauses[index]).toBeLessThan(minimum + 16)
    }
  })
})

describe('a termination message', () => {
  it('is part of the terminated state', () => {
    const exit = { afterMs: 1000, exitCode: 3, reason: 'Error', message: 'no such table' }
    const node = createTestNode({ sad: { present: true, run: () => ({ exit }) } })
    node.run('p', { restartPolicy: 'Never', containers: [{ name: 'c', image: 'sad' }] })
    node.clock.advance(5000)
    expect(statusOf(node).state?.terminated).toMatchObject({ exitCode: 3, message: 'no such table' })
  })
})

describe('a kubelet that recovers', () => {
  it('restarts containers that ended while it was unhealthy', () => {
    let failuresLeft = 1
    const node = createTestNode({
      brief: {
        present: true,
        run: () => (failuresLeft-- > 0 ? { exit: { afterMs: 30_000, exitCode: 7, reason: 'Error' } } : {}),
      },
    })
    node.run('p', { containers: [{ name: 'c', image: 'brief' }] })
    node.clock.advance(5000)
    node.kubelet.setHealthy(false)
    node.clock.advance(60_000)
    expect(statusOf(node)).toMatchObject({ ready: true, restartCount: 0 })
    node.kubelet.setHealthy(true)
    node.clock.advance(2000)
    expect(statusOf(node)).toMatchObject({
      ready: true,
      restartCount: 1,
      lastState: { terminated: { exitCode: 7, finishedAt: '2026-11-15T00:00:30Z' } },
    })
  })

  it('stops pods that were deleted while it was unhealthy, with the full grace period', () => {
    const node = createTestNode({ stubborn: { present: true, run: () => ({ stop: 'ignores' }) } })
    node.run('p', { containers: [{ name: 'c', image: 'stubborn' }], terminationGracePeriodSeconds: 20 })
    node.clock.advance(5000)
    node.kubelet.setHealthy(false)
    node.client.delete(pods, 'default', 'p')
    node.clock.advance(60_000)
    node.kubelet.setHealthy(true)
    node.clock.advance(19_500)
    expect(node.client.get(pods, 'default', 'p')).toBeDefined()
    node.clock.advance(1000)
    expect(node.client.get(pods, 'default', 'p')).toBeUndefined()
  })

  it('overwrites conditions that controllers set while it was unhealthy', () => {
    const node = createTestNode()
    node.run('p', {})
    node.clock.advance(5000)
    const readiness = () => node.pod('p').status.conditions?.find(({ type }) => type === 'Ready')?.status
    expect(readiness()).toBe('True')
    node.kubelet.setHealthy(false)
    const pod = node.pod('p')
    const conditions = pod.status.conditions?.map((condition) => ({ ...condition, status: 'False' }))
    node.client.updateStatus(pods, { ...pod, status: { ...pod.status, conditions: conditions! } })
    node.clock.advance(5000)
    expect(readiness()).toBe('False')
    node.kubelet.setHealthy(true)
    node.clock.advance(1000)
    expect(readiness()).toBe('True')
  })

  it('enforces an active deadline that passed while it was unhealthy', () => {
    const node = createTestNode()
    node.run('p', { activeDeadlineSeconds: 20 })
    node.clock.advance(5000)
    node.kubelet.setHealthy(false)
    node.clock.advance(60_000)
    expect(node.eventsOf('p').join()).not.toContain('DeadlineExceeded')
    node.kubelet.setHealthy(true)
    node.clock.advance(1000)
    expect(node.pod('p').status.reason).toBe('DeadlineExceeded')
  })
})

describe('lifecycle hooks', () => {
  const withLifecycle = (lifecycle: object, image = 'busybox:local') => ({
    terminationGracePeriodSeconds: 10,
    containers: [{ name: 'c', image, lifecycle }],
  })

  it('leave the process two seconds to stop if preStop hangs', () => {
    const stops: number[] = []
    const node: TestNode = createTestNode(
      {},
      {
        runtime: ({ stopContainer }) => ({
          probe() {},
          stopContainer(id, graceMs) {
            stops.push(node.clock.now(), graceMs)
            stopContainer(id, graceMs)
          },
        }),
      },
    )
    node.run('p', withLifecycle({ preStop: { exec: { command: ['sleep', '1000'] } } }))
    node.clock.advance(1000)
    const deletedAt = node.clock.now()
    node.client.delete(pods, 'default', 'p')
    node.clock.advance(15_000)
    expect(stops).toEqual([deletedAt + 10_000, 2000])
    expect(node.client.get(pods, 'default', 'p')).toBeUndefined()
  })

  it('do not delay the deletion of a pod whose container is still starting', () => {
    const node = createTestNode(
      { slow: { present: true, run: () => ({ startMs: 2000 }) } },
      { runtime: () => ({ probe() {} }) },
    )
    node.run('p', withLifecycle({ postStart: { exec: { command: ['sleep', '1000'] } } }, 'slow'))
    node.clock.advance(1000)
    node.client.delete(pods, 'default', 'p')
    node.clock.advance(3000)
    expect(node.client.get(pods, 'default', 'p')).toBeUndefined()
  })

  it('restart the container if postStart fails', () => {
    let failuresLeft = 1
    const node = createTestNode({
      picky: {
        present: true,
        run: () => ({ probe: () => ({ ok: failuresLeft-- <= 0, output: 'refused' }) }),
      },
    })
    node.run('p', withLifecycle({ postStart: { exec: { command: ['true'] } } }, 'picky'))
    node.clock.advance(5000)
    expect(node.eventsOf('p')).toEqual(
      expect.arrayContaining([
        'Warning FailedPostStartHook PostStartHook failed',
        'Normal Killing FailedPostStartHook',
      ]),
    )
    expect(statusOf(node)).toMatchObject({ ready: true, restartCount: 1 })
  })
})

describe('a startup probe', () => {
  it('restarts the container after too many failures', () => {
    const node = createTestNode({
      hung: { present: true, run: () => ({ probe: () => ({ ok: false, output: 'not yet' }) }) },
    })
    const startupProbe = { tcpSocket: { port: 80 }, periodSeconds: 1, failureThreshold: 3 }
    node.run('p', { containers: [{ name: 'c', image: 'hung', startupProbe }] })
    node.clock.advance(5000)
    expect(node.eventsOf('p')).toContain('Normal Killing Container c failed startup probe, will be restarted')
    expect(statusOf(node).restartCount).toBe(1)
  })
})

describe('a readiness probe', () => {
  it('keeps its period if answers are slow', () => {
    const probes: number[] = []
    const node: TestNode = createTestNode(
      {},
      {
        runtime: () => ({
          probe(_pod, _container, _id, _probe, reply) {
            probes.push(node.clock.now())
            const outcome = { ok: false, output: 'timeout' }
            node.clock.after(1000, () => reply({ ok: true, value: outcome }))
          },
        }),
      },
    )
    const readinessProbe = { tcpSocket: { port: 80 }, periodSeconds: 2 }
    node.run('p', { containers: [{ name: 'c', image: 'pause:1', readinessProbe }] })
    node.clock.advance(10_000)
    expect(probes.slice(1, 4).map((time, index) => time - probes[index]!)).toEqual([2000, 2000, 2000])
  })
})

describe('sidecars', () => {
  it('are stopped after the main containers, in reverse order, within one grace period', () => {
    const stops: [string, number, number][] = []
    const names = new Map<string, string>()
    const node: TestNode = createTestNode(
      { 'lasting:1': { present: true, run: () => ({ stop: { afterMs: 8000, exitCode: 0 } }) } },
      {
        runtime: ({ startContainer, stopContainer }) => ({
          startContainer(start, reply) {
            startContainer(start, (outcome) => {
              if (outcome.ok) names.set(outcome.value.id, start.container.name)
              reply(outcome)
            })
          },
          stopContainer(id, graceMs) {
            stops.push([names.get(id)!, node.clock.now() - deletedAt, graceMs])
            stopContainer(id, graceMs)
          },
        }),
      },
    )
    let deletedAt = 0
    const sidecar = (name: string) => ({ name, image: 'lasting:1', restartPolicy: 'Always' })
    node.run('p', {
      terminationGracePeriodSeconds: 12,
      initContainers: [sidecar('one'), sidecar('two')],
      containers: [{ name: 'c', image: 'lasting:1' }],
    })
    node.clock.advance(2000)
    deletedAt = node.clock.now()
    node.client.delete(pods, 'default', 'p')
    node.clock.advance(30_000)
    expect(stops).toEqual([
      ['c', 0, 12_000],
      ['two', 8000, 4000],
      ['one', 12_000, 2000],
    ])
    expect(node.client.get(pods, 'default', 'p')).toBeUndefined()
  })

  it('are started in order, restarted independently, and block later containers', () => {
    let crashesLeft = 1
    const node = createTestNode({
      proxy: {
        present: true,
        run: () => ({
          probe: (_, atMs) => ({ ok: atMs > 3000, output: 'warming up' }),
          ...(crashesLeft-- > 0 ? { exit: { afterMs: 20_000, exitCode: 1, reason: 'Error' } } : {}),
        }),
      },
    })
    const startupProbe = { tcpSocket: { port: 80 }, periodSeconds: 1, failureThreshold: 30 }
    node.run('p', {
      initContainers: [{ name: 'proxy', image: 'proxy', restartPolicy: 'Always', startupProbe }],
    })
    node.clock.advance(2000)
    expect(statusOf(node).state).toEqual({ waiting: { reason: 'PodInitializing' } })
    node.clock.advance(4000)
    expect(statusOf(node).ready).toBe(true)
    node.clock.advance(20_000)
    expect(node.pod('p').status.initContainerStatuses?.[0]).toMatchObject({ restartCount: 1 })
    expect(statusOf(node)).toMatchObject({ ready: true, restartCount: 0 })
  })
})
