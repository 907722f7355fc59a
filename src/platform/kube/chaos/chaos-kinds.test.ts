/** Tests of the faults of each chaos kind. */
import { describe, expect, it } from 'vitest'
import { endpoints, nodes, pods, services } from '#platform/kube/kinds'
import type { PodFault } from '#platform/kube/ports'
import { type ChaosCluster, createChaosCluster } from './testing/create-chaos-cluster.ts'

const appSelector = (name: string) => ({ labelSelectors: { app: name } })
const podWithApp = (name: string) => ({ metadata: { labels: { app: name } } })

/** Returns the active faults of a new object, without the uid of their targets. */
const faultsOf = (kind: string, spec: object, prepare: (cluster: ChaosCluster) => void = () => {}) => {
  const cluster = createChaosCluster()
  cluster.runPod('web', {
    ...podWithApp('web'),
    spec: { containers: [{ name: 'c', image: 'i', resources: { limits: { memory: '100Mi' } } }] },
  })
  cluster.runPod('db', podWithApp('db'))
  prepare(cluster)
  cluster.create(kind, 'x', { mode: 'all', selector: appSelector('web'), ...spec })
  cluster.clock.advance(100)
  expect(cluster.conditions(kind, 'x')).toContain('AllInjected True')
  return [...cluster.faults.active].map(({ target: { uid, namespace, ...target }, ...rest }) => {
    expect(cluster.client.get(pods, namespace, target.pod)?.metadata.uid).toBe(uid)
    return { ...rest, target } as unknown as PodFault
  })
}

const WEB = { pod: 'web' }
const WEB_C = { pod: 'web', container: 'c' }

describe('StressChaos', () => {
  const stressFaults = (stressors: object) => faultsOf('StressChaos', { stressors })

  it('stresses the CPU', () => {
    expect(stressFaults({ cpu: { workers: 2, load: 80 } })).toEqual([
      { type: 'stress', target: WEB_C, cpu: { workers: 2, load: 80 } },
    ])
    expect(stressFaults({ cpu: { workers: 1 } })).toMatchObject([{ cpu: { load: 100 } }])
  })

  it.each([
    ['256MB', 256_000_000],
    ['1GiB', 1_000_000_000],
    ['512', 512],
    ['50%', 50 * 1024 * 1024],
    ['', 100 * 1024 * 1024],
  ])('allocates %j of memory', (size, bytes) => {
    expect(stressFaults({ memory: { workers: 3, size, time: '10s', oomScoreAdj: 100 } })).toEqual([
      {
        type: 'stress',
        target: WEB_C,
        memory: { workers: 3, bytes, growMs: 10_000, oomScoreAdj: 100 },
      },
    ])
  })

  it('resolves percentages against the node if the container has no limit', () => {
    const spec = { selector: appSelector('db'), stressors: { memory: { workers: 1, size: '25%' } } }
    const faults = faultsOf('StressChaos', spec, ({ client }) => {
      client.create(nodes, { metadata: { name: 'node-1' }, status: { capacity: { memory: '1Gi' } } })
      const node = client.get(nodes, '', 'node-1')!
      client.updateStatus(nodes, { ...node, status: { ...node.status, capacity: { memory: '1Gi' } } })
    })
    expect(faults).toMatchObject([{ memory: { bytes: 2 ** 28 } }])
  })

  it('passes arguments to stress-ng', () => {
    expect(faultsOf('StressChaos', { stressngStressors: '--clone 2  --timeout 5s' })).toMatchObject([
      { arguments: ['--clone', '2', '--timeout', '5s'] },
    ])
    expect(stressFaults({ cpu: { workers: 1, load: 50, options: ['--cpu-method fft'] } })).toMatchObject([
      { arguments: ['--cpu', '1', '--cpu-load', '50', '--cpu-method', 'fft'] },
    ])
  })
})

describe('NetworkChaos', () => {
  const networkFaults = (spec: object, prepare?: (cluster: ChaosCluster) => void) =>
    faultsOf('NetworkChaos', spec, prepare)
  const target = { mode: 'all', selector: appSelector('db') }
  const delay = { latency: '100ms' }

  it('refuses pods on the host network', () => {
    const { clock, create, faults, records, runPod } = createChaosCluster()
    runPod('web', {
      ...podWithApp('web'),
      spec: { hostNetwork: true, containers: [{ name: 'c', image: 'i' }] },
    })
    create('NetworkChaos', 'x', { mode: 'all', selector: appSelector('web'), action: 'partition' })
    clock.advance(100)
    expect(records('NetworkChaos', 'x')[0]?.events?.[0]).toMatchObject({
      type: 'Failed',
      message: expect.stringContaining("it's dangerous to inject network chaos on a pod(default/web)"),
    })
    expect([...faults.active]).toEqual([])
  })

  it('delays all outgoing packets', () => {
    expect(
      networkFaults({ action: 'delay', delay: { latency: '90ms', jitter: '10ms', correlation: '25' } }),
    ).toEqual([
      {
        type: 'network',
        target: WEB,
        effects: { delay: { latencyMs: 90, jitterMs: 10, correlation: 25 } },
      },
    ])
  })

  it('delays packets to a target at their source', () => {
    expect(networkFaults({ action: 'delay', delay, target })).toMatchObject([
      { target: WEB, effects: {}, peers: ['10.244.0.2/32'] },
    ])
    expect(networkFaults({ action: 'delay', delay, target, direction: 'from' })).toMatchObject([
      { target: { pod: 'db' }, effects: {}, peers: ['10.244.0.1/32'] },
    ])
    expect(networkFaults({ action: 'delay', delay, target, direction: 'both' })).toMatchObject([
      { target: WEB, peers: ['10.244.0.2/32'] },
      { target: { pod: 'db' }, peers: ['10.244.0.1/32'] },
    ])
  })

  it.each([
    ['to', 'outgoing', 'incoming'],
    ['from', 'incoming', 'outgoing'],
    ['both', 'both', 'both'],
  ])('partitions direction %s at both ends', (direction, sourceCut, targetCut) => {
    expect(networkFaults({ action: 'partition', direction, target })).toEqual([
      { type: 'network', target: WEB, cut: sourceCut, peers: ['10.244.0.2/32'] },
      { type: 'network', target: { pod: 'db' }, cut: targetCut, peers: ['10.244.0.1/32'] },
    ])
  })

  it('partitions from all peers if there is no target', () => {
    expect(networkFaults({ action: 'partition', direction: 'both' })).toEqual([
      { type: 'network', target: WEB, cut: 'both' },
    ])
  })

  it('combines the effects of netem', () => {
    const [fault] = networkFaults({
      action: 'netem',
      delay: { latency: '1s', reorder: { reorder: '10', gap: 5, correlation: '50' } },
      loss: { loss: '25.5' },
      duplicate: { duplicate: '1', correlation: '2' },
      corrupt: { corrupt: '3' },
      rate: { rate: '1mbit' },
    })
    expect(fault).toMatchObject({
      effects: {
        delay: { latencyMs: 1000, jitterMs: 0, correlation: 0 },
        reorder: { percent: 10, correlation: 50, gap: 5 },
        loss: { percent: 25.5, correlation: 0 },
        duplicate: { percent: 1, correlation: 2 },
        corrupt: { percent: 3, correlation: 0 },
        bandwidth: { rate: 1_000_000 },
      },
    })
  })

  it('limits the bandwidth in bytes or bits', () => {
    const limit = { limit: 20_971_520, buffer: 10_000 }
    expect(networkFaults({ action: 'bandwidth', bandwidth: { rate: '1mbps', ...limit } })).toMatchObject([
      { effects: { bandwidth: { rate: 8 * 1024 * 1024, ...limit } } },
    ])
    expect(
      networkFaults({
        action: 'bandwidth',
        bandwidth: { rate: '2kbit', peakrate: 5, minburst: 6, ...limit },
      }),
    ).toMatchObject([{ effects: { bandwidth: { rate: 2000, peakrate: 5, minburst: 6 } } }])
  })

  const publish =
    (name: string, clusterIP: string, ...backends: string[]) =>
    ({ client }: ChaosCluster): void => {
      client.create(services, {
        metadata: { name, namespace: 'default' },
        spec: { ports: [{ port: 1 }], clusterIP },
      })
      client.create(endpoints, {
        metadata: { name, namespace: 'default' },
        subsets: [{ addresses: backends.map((ip) => ({ ip })), ports: [{ port: 1 }] }],
      })
    }

  it('includes Services whose only backends are the targets', () => {
    const prepare = (cluster: ChaosCluster): void => {
      publish('db', '10.96.0.77', '10.244.0.2')(cluster)
      publish('mixed', '10.96.0.78', '10.244.0.1', '10.244.0.2')(cluster)
    }
    expect(networkFaults({ action: 'delay', delay, target }, prepare)).toMatchObject([
      { target: WEB, peers: ['10.244.0.2/32', '10.96.0.77/32'] },
    ])
  })

  it('resolves the names of external targets', () => {
    const prepare = publish('db', '10.96.0.77', '10.244.0.2')
    const externalTargets = ['1.2.3.4', '10.0.0.0/8', 'db.default.svc.cluster.local', 'web']
    expect(networkFaults({ action: 'partition', externalTargets }, prepare)).toMatchObject([
      { peers: ['1.2.3.4/32', '10.0.0.0/8', '10.96.0.77/32', '10.244.0.2/32', '10.244.0.1/32'] },
    ])
  })

  it('reports an external target whose name is unknown', () => {
    const { clock, create, records, runPod } = createChaosCluster()
    runPod('web', podWithApp('web'))
    create('NetworkChaos', 'x', {
      mode: 'all',
      selector: appSelector('web'),
      action: 'partition',
      externalTargets: ['example.com'],
    })
    clock.advance(100)
    expect(records('NetworkChaos', 'x')[0]?.events?.[0]).toMatchObject({
      type: 'Failed',
      message: 'lookup example.com: no such host',
    })
  })
})

describe('IOChaos', () => {
  const ioFaults = (spec: object) => faultsOf('IOChaos', { volumePath: '/data', ...spec })

  it('injects latency, errors, attributes and corrupt data', () => {
    expect(
      ioFaults({ action: 'latency', delay: '5s', path: '/data/**/*.log', methods: ['write'], percent: 50 }),
    ).toEqual([
      {
        type: 'io',
        target: WEB_C,
        volumePath: '/data',
        path: '/data/**/*.log',
        methods: ['write'],
        percent: 50,
        effect: { kind: 'latency', delayMs: 5000 },
      },
    ])
    expect(ioFaults({ action: 'fault', errno: 5 })).toEqual([
      {
        type: 'io',
        target: WEB_C,
        volumePath: '/data',
        percent: 100,
        effect: { kind: 'error', errno: 5 },
      },
    ])
    expect(
      ioFaults({ action: 'attrOverride', attr: { perm: 72, mtime: { sec: 5, nsec: 500_000_000 } } }),
    ).toMatchObject([{ effect: { kind: 'attributes', attributes: { perm: 72, mtime: 5.5 } } }])
    expect(
      ioFaults({ action: 'mistake', mistake: { filling: 'random', maxOccurrences: 2, maxLength: 10 } }),
    ).toMatchObject([{ effect: { kind: 'mistake', filling: 'random', maxOccurrences: 2, maxLength: 10 } }])
  })
})

describe('DNSChaos and TimeChaos', () => {
  it('affect DNS names', () => {
    expect(faultsOf('DNSChaos', { action: 'random', patterns: ['db.*', 'chaos-mes?.org'] })).toEqual([
      { type: 'dns', target: WEB, action: 'random', patterns: ['db.*', 'chaos-mes?.org'] },
    ])
    expect(faultsOf('DNSChaos', { action: 'error' })).toMatchObject([{ patterns: [] }])
  })

  it('shift clocks', () => {
    expect(faultsOf('TimeChaos', { timeOffset: '-10m100ms' })).toEqual([
      { type: 'time', target: WEB_C, offsetMs: -600_100, clocks: ['CLOCK_REALTIME'] },
    ])
    expect(faultsOf('TimeChaos', { timeOffset: '1h', clockIds: ['CLOCK_MONOTONIC'] })).toMatchObject([
      { clocks: ['CLOCK_MONOTONIC'] },
    ])
  })
})

describe('PodChaos', () => {
  const startPodChaos = (spec: object) => {
    const cluster = createChaosCluster()
    cluster.runPod('web', {
      ...podWithApp('web'),
      spec: {
        initContainers: [{ name: 'init', image: 'setup:1' }],
        containers: ['c', 'd'].map((name) => ({ name, image: `${name}:1` })),
      },
    })
    cluster.create('PodChaos', 'x', { mode: 'all', selector: appSelector('web'), ...spec })
    cluster.clock.advance(100)
    return { ...cluster, pod: () => cluster.client.get(pods, 'default', 'web') }
  }

  it('kills pods once, immediately or with a grace period', () => {
    const immediate = startPodChaos({ action: 'pod-kill' })
    expect(immediate.pod()).toBeUndefined()
    const graceful = startPodChaos({ action: 'pod-kill', gracePeriod: 7, duration: '1s' })
    expect(graceful.pod()?.metadata.deletionGracePeriodSeconds).toBe(7)
    graceful.clock.advance(5000)
    expect(graceful.records('PodChaos', 'x')).toMatchObject([
      { id: 'default/web', phase: 'Injected', injectedCount: 1 },
    ])
    graceful.remove('PodChaos', 'x')
    graceful.clock.advance(100)
    expect(graceful.get('PodChaos', 'x')).toBeUndefined()
  })

  it('makes pods fail until it is recovered', () => {
    const { clock, pod, records, remove, faults } = startPodChaos({ action: 'pod-failure', duration: '1h' })
    const listImages = () =>
      [...(pod()?.spec.initContainers ?? []), ...pod()!.spec.containers].map((c) => c.image)
    expect(listImages()).toEqual(['pause:latest', 'pause:latest', 'pause:latest'])
    expect(records('PodChaos', 'x')).toMatchObject([
      { phase: 'Injected', before: { images: { init: 'setup:1', c: 'c:1', d: 'd:1' } } },
    ])
    remove('PodChaos', 'x')
    clock.advance(100)
    expect(listImages()).toEqual(['setup:1', 'c:1', 'd:1'])
    expect(faults.requested).toEqual([])
  })

  it('leaves no trace of chaos on a failed pod', () => {
    const { clock, pod, remove } = startPodChaos({ action: 'pod-failure' })
    const traces = /chaos|pod-failure|"[cd]:1"|setup:1/
    expect(pod()?.metadata.managedFields).toHaveLength(3)
    expect(JSON.stringify(pod())).not.toMatch(traces)
    remove('PodChaos', 'x')
    clock.advance(100)
    expect(JSON.stringify(pod())).not.toMatch(/chaos|pod-failure/)
  })

  it('restores the images that a pod had before its latest injection', () => {
    const { clock, client, get, update, records, pod } = startPodChaos({ action: 'pod-failure' })
    const setPaused = (value: string): void => {
      const chaos = get('PodChaos', 'x')!
      const annotations = { 'experiment.chaos-mesh.org/pause': value }
      update({ ...chaos, metadata: { ...chaos.metadata, annotations } })
      clock.advance(100)
    }
    setPaused('true')
    expect(records('PodChaos', 'x')[0]).not.toHaveProperty('before')
    const { spec, ...rest } = pod()!
    client.update(pods, {
      ...rest,
      spec: { ...spec, containers: spec.containers.map((c) => ({ ...c, image: 'e:2' })) },
    })
    setPaused('false')
    expect(pod()?.spec.containers.map(({ image }) => image)).toEqual(['pause:latest', 'pause:latest'])
    setPaused('true')
    expect(pod()?.spec.containers.map(({ image }) => image)).toEqual(['e:2', 'e:2'])
  })

  it('does not recover a new pod of the same name', () => {
    const { clock, client, get, remove, runPod, pod } = startPodChaos({ action: 'pod-failure' })
    client.delete(pods, 'default', 'web', { gracePeriodSeconds: 0 })
    runPod('web', { spec: { containers: [{ name: 'c', image: 'c:2' }] } })
    remove('PodChaos', 'x')
    clock.advance(100)
    expect(get('PodChaos', 'x')).toBeUndefined()
    expect(pod()?.spec.containers[0]?.image).toBe('c:2')
  })

  it('recovers even if the pod no longer exists', () => {
    const { clock, client, get, remove } = startPodChaos({ action: 'pod-failure' })
    client.delete(pods, 'default', 'web', { gracePeriodSeconds: 0 })
    remove('PodChaos', 'x')
    clock.advance(100)
    expect(get('PodChaos', 'x')).toBeUndefined()
  })

  it('kills the named containers', () => {
    const { faults, pod } = startPodChaos({ action: 'container-kill', containerNames: ['d'] })
    expect(faults.requested).toMatchObject([{ type: 'kill', target: { pod: 'web', container: 'd' } }])
    expect(pod()).toBeDefined()
  })
})
