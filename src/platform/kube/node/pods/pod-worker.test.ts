/** Tests the pod life cycle on a node: starts, restarts, probes, hooks, volumes and deletion. */
import { describe, expect, it } from 'vitest'
import { pods, secrets } from '#platform/kube/kinds'
import type { ContainerModel, ImageModel } from '#platform/kube/runtimes/simulated'
import { createTestNode } from '../testing/create-test-node.ts'

const exits = (exitCode: number, afterMs = 0): ContainerModel => ({
  exit: { afterMs, exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' },
})

describe('the number of status writes after the creation of a pod', () => {
  it('is two without probes: creating and ready', () => {
    const { clock, run, writesOf } = createTestNode()
    run('web', {})
    clock.advance(60_000)
    expect(writesOf('web')).toHaveLength(3)
  })

  it('is three with a readiness probe', () => {
    const { clock, run, writesOf, pod } = createTestNode()
    const readinessProbe = { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 }
    run('web', { containers: [{ name: 'c', image: 'busybox:local', readinessProbe }] })
    clock.advance(60_000)
    expect(writesOf('web').map(({ containerStatuses }) => containerStatuses?.[0]?.ready)).toEqual([
      undefined,
      false,
      false,
      true,
    ])
    expect(pod('web').status.conditions?.every(({ status }) => status === 'True')).toBe(true)
  })
})

describe('crash loops', () => {
  it('restart at once, then after 10 s, 20 s, 40 s and up to five minutes', () => {
    const starts: number[] = []
    const run: ImageModel['run'] = () => {
      starts.push(node.clock.now())
      return exits(1)
    }
    const node = createTestNode({ crashing: { present: true, run } })
    node.run('p', { containers: [{ name: 'c', image: 'crashing' }] })
    node.clock.advance(3_600_000)
    const gaps = starts.slice(1).map((start, index) => (start - starts[index]!) / 1000)
    for (const [index, minimum] of [0, 10, 20, 40, 80, 160, 300, 300].entries()) {
      expect(gaps[index]).toBeGreaterThanOrEqual(minimum)
      expect(gaps[index]).toBeLessThan(minimum + 16)
    }
    expect(node.pod('p').status.containerStatuses?.[0]?.state?.waiting?.message).toBe(
      `back-off 5m0s restarting failed container=c pod=p_default(${node.pod('p').metadata.uid})`,
    )
  })
})

describe('deletion', () => {
  it('stops the containers, reports their exits and deletes the pod', () => {
    const { client, clock, run, pod, writesOf, eventsOf } = createTestNode({
      stubborn: { present: true, run: () => ({ stop: 'ignores' }) },
    })
    run('p', { containers: [{ name: 'c', image: 'stubborn' }], terminationGracePeriodSeconds: 5 })
    clock.advance(1000)
    client.delete(pods, 'default', 'p')
    clock.advance(4900)
    expect(pod('p').status.phase).toBe('Running')
    clock.advance(200)
    expect(client.get(pods, 'default', 'p')).toBeUndefined()
    expect(eventsOf('p')).toContain('Normal Killing Stopping container c')
    const last = writesOf('p').at(-1)!
    expect(last).toMatchObject({ phase: 'Failed' })
    expect(last.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 137, reason: 'Error' })
    expect(last.conditions?.map(({ type, status, reason }) => [type, status, reason])).toEqual([
      ['PodReadyToStartContainers', 'False', undefined],
      ['Initialized', 'True', undefined],
      ['Ready', 'False', 'PodFailed'],
      ['ContainersReady', 'False', 'PodFailed'],
      ['PodScheduled', 'True', undefined],
    ])
  })

  it('does not wait for an image that is being pulled', () => {
    const { client, clock, run } = createTestNode({ slow: { pullMs: 600_000 } })
    run('p', { containers: [{ name: 'c', image: 'slow' }] })
    clock.advance(1000)
    client.delete(pods, 'default', 'p')
    clock.advance(100)
    expect(client.get(pods, 'default', 'p')).toBeUndefined()
    clock.advance(700_000)
  })

  it('stops the containers of a force-deleted pod', () => {
    const { client, clock, run, pod, runtime } = createTestNode()
    run('p', {})
    clock.advance(1000)
    const deletedPod = pod('p')
    client.delete(pods, 'default', 'p', { gracePeriodSeconds: 0 })
    clock.advance(1000)
    expect(client.get(pods, 'default', 'p')).toBeUndefined()
    expect(runtime.usage(deletedPod)).toEqual({})
  })
})

describe('the kubelet', () => {
  it('evicts a pod', () => {
    const { kubelet, clock, run, pod, eventsOf } = createTestNode()
    run('p', {})
    clock.advance(1000)
    const message = 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 80Mi. '
    kubelet.evictPod('default', 'p', 'Evicted', message)
    clock.advance(1000)
    expect(pod('p').status).toMatchObject({ phase: 'Failed', reason: 'Evicted', message })
    expect(pod('p').status.conditions?.[0]).toMatchObject({
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'TerminationByKubelet',
    })
    expect(eventsOf('p')).toContain(`Warning Evicted ${message}`)
  })

  it('enforces the active deadline', () => {
    const { clock, run, pod } = createTestNode()
    run('p', { activeDeadlineSeconds: 20 })
    clock.advance(19_000)
    expect(pod('p').status.phase).toBe('Running')
    clock.advance(2000)
    expect(pod('p').status).toMatchObject({
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    })
  })

  it('rejects a pod that does not fit', () => {
    const { clock, run, pod } = createTestNode()
    const resources = { requests: { cpu: '1500m' } }
    run('a', { containers: [{ name: 'c', image: 'busybox:local', resources }] })
    clock.advance(100)
    run('b', { containers: [{ name: 'c', image: 'busybox:local', resources }] })
    clock.advance(100)
    expect(pod('b').status).toEqual({
      phase: 'Failed',
      reason: 'OutOfcpu',
      message:
        "Pod was rejected: Node didn't have enough resource: cpu, requested: 1500, used: 1500, capacity: 2000",
      startTime: '2026-11-15T00:00:00Z',
      qosClass: 'Burstable',
    })
    const cells = pods.row!(pod('b'), { now: clock.now() })
    expect(cells.slice(0, 3)).toEqual(['b', '0/1', 'OutOfcpu'])
  })

  it('admits a pod in place of a force-deleted one that is still ending', () => {
    const { client, clock, run, pod } = createTestNode({
      slow: { present: true, run: () => ({ stop: 'ignores' }) },
    })
    const resources = { requests: { cpu: '1500m' } }
    run('a', { containers: [{ name: 'c', image: 'slow', resources }] })
    clock.advance(100)
    client.delete(pods, 'default', 'a', { gracePeriodSeconds: 0 })
    run('b', { containers: [{ name: 'c', image: 'busybox:local', resources }] })
    clock.advance(1000)
    expect(pod('b').status.phase).toBe('Running')
  })
})

describe('init containers, sidecars, hooks and probes', () => {
  it('start in order, and a running sidecar does not keep the pod from completing', () => {
    const order: string[] = []
    const recordStart = (model: ContainerModel): ImageModel => ({
      present: true,
      run: ({ container }) => {
        order.push(container.name)
        return model
      },
    })
    const { clock, run, pod } = createTestNode({
      init: recordStart(exits(0, 1000)),
      sidecar: recordStart({}),
      main: recordStart(exits(0, 5000)),
    })
    run('p', {
      restartPolicy: 'Never',
      initContainers: [
        { name: 'one', image: 'init' },
        { name: 'proxy', image: 'sidecar', restartPolicy: 'Always' },
        { name: 'two', image: 'init' },
      ],
      containers: [{ name: 'c', image: 'main' }],
    })
    clock.advance(500)
    expect(pod('p').status.conditions?.[1]).toMatchObject({
      type: 'Initialized',
      status: 'False',
      message: 'containers with incomplete status: [one proxy two]',
    })
    expect(pod('p').status.containerStatuses?.[0]?.state).toEqual({ waiting: { reason: 'PodInitializing' } })
    clock.advance(20_000)
    expect(order).toEqual(['one', 'proxy', 'two', 'c'])
    expect(pod('p').status.phase).toBe('Succeeded')
  })

  it('fail the pod if an init container fails and restartPolicy is Never', () => {
    const { clock, run, pod } = createTestNode({ init: { present: true, run: () => exits(1) } })
    run('p', { restartPolicy: 'Never', initContainers: [{ name: 'i', image: 'init' }] })
    clock.advance(5000)
    expect(pod('p').status.phase).toBe('Failed')
    expect(pod('p').status.containerStatuses?.[0]?.state).toEqual({ waiting: { reason: 'PodInitializing' } })
  })

  it('delay the stop until the preStop hook has ended', () => {
    const { client, clock, run } = createTestNode()
    const lifecycle = { preStop: { sleep: { seconds: 7 } } }
    run('p', { containers: [{ name: 'c', image: 'busybox:local', lifecycle }] })
    clock.advance(1000)
    client.delete(pods, 'default', 'p')
    clock.advance(6900)
    expect(client.get(pods, 'default', 'p')).toBeDefined()
    clock.advance(200)
    expect(client.get(pods, 'default', 'p')).toBeUndefined()
  })

  it('do not start other probes before the startup probe succeeds', () => {
    const { clock, run, pod } = createTestNode({
      slow: {
        present: true,
        run: () => ({ probe: (_, atMs) => ({ ok: atMs > 15_000, output: 'not yet' }) }),
      },
    })
    const probe = { tcpSocket: { port: 80 }, periodSeconds: 5 }
    run('p', {
      containers: [
        {
          name: 'c',
          image: 'slow',
          startupProbe: { ...probe, failureThreshold: 30 },
          livenessProbe: { ...probe, failureThreshold: 1 },
        },
      ],
    })
    clock.advance(12_000)
    expect(pod('p').status.containerStatuses?.[0]).toMatchObject({ started: false, restartCount: 0 })
    clock.advance(15_000)
    expect(pod('p').status.containerStatuses?.[0]).toMatchObject({
      started: true,
      ready: true,
      restartCount: 0,
    })
  })
})

describe('volumes', () => {
  it('block the pod until the objects they refer to exist', () => {
    const { client, clock, run, pod, eventsOf } = createTestNode()
    run('p', { volumes: [{ name: 'v', secret: { secretName: 'login' } }] })
    clock.advance(3000)
    expect(pod('p').status.containerStatuses?.[0]?.state).toEqual({
      waiting: { reason: 'ContainerCreating' },
    })
    expect(eventsOf('p')[0]).toMatch(
      'Warning FailedMount MountVolume.SetUp failed for volume "v" : secret "login" not found',
    )
    client.create(secrets, { metadata: { name: 'login', namespace: 'default' }, data: {} })
    clock.advance(5000)
    expect(pod('p').status.phase).toBe('Running')
  })
})

describe('invalid configuration', () => {
  it('keeps the container waiting, regardless of the error', () => {
    const { clock, run, pod, eventsOf } = createTestNode(
      {},
      {
        client: (client) => ({
          get(kind, namespace, name) {
            if (name === 'broken') throw new TypeError('cannot be read')
            return client.get(kind, namespace, name)
          },
        }),
      },
    )
    const env = [{ name: 'A', valueFrom: { secretKeyRef: { name: 'broken', key: 'a' } } }]
    run('p', { containers: [{ name: 'c', image: 'busybox:local', env }] })
    clock.advance(3000)
    expect(pod('p').status.containerStatuses?.[0]?.state).toEqual({
      waiting: { reason: 'CreateContainerConfigError', message: 'cannot be read' },
    })
    expect(eventsOf('p')).toContainEqual(expect.stringContaining('Warning Failed Error: cannot be read'))
  })
})

describe('changes to a running pod', () => {
  it('restart the container if its image changes', () => {
    const { client, clock, run, pod, eventsOf } = createTestNode()
    run('p', {})
    clock.advance(1000)
    const containers = [{ ...pod('p').spec.containers[0]!, image: 'busybox:next' }]
    client.update(pods, { ...pod('p'), spec: { ...pod('p').spec, containers } })
    clock.advance(1000)
    expect(eventsOf('p')).toContain('Normal Killing Container c definition changed, will be restarted')
    expect(pod('p').status.containerStatuses?.[0]).toMatchObject({
      image: 'docker.io/library/busybox:next',
      restartCount: 1,
      ready: true,
    })
  })

  it('set Ready once the readiness gate is open', () => {
    const { client, clock, run, pod } = createTestNode()
    run('p', { readinessGates: [{ conditionType: 'example.com/open' }] })
    clock.advance(1000)
    const readyCondition = () => pod('p').status.conditions?.find(({ type }) => type === 'Ready')
    expect(readyCondition()).toMatchObject({
      status: 'False',
      reason: 'ReadinessGatesNotReady',
      message: 'corresponding condition of pod readiness gate "example.com/open" does not exist.',
    })
    const conditions = [
      ...(pod('p').status.conditions ?? []),
      { type: 'example.com/open', status: 'True', lastTransitionTime: '2026-11-15T00:00:01Z' },
    ]
    client.updateStatus(pods, { ...pod('p'), status: { ...pod('p').status, conditions } })
    clock.advance(0)
    expect(readyCondition()).toMatchObject({ status: 'True' })
  })
})
