/** Tests faults on simulated pods by their effects on the programs in the pods. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { afterEach, describe, expect, it } from 'vitest'
import { createRandom, createVirtualClock, runVirtually, sleep } from '#kit'
import { type ContainerResources, createContainerResources, createVolume } from '#platform/engines/sim/hosts'
import { createSimNetwork, type PodNetworkModel } from '#platform/engines/sim/network'
import {
  type AppliedFault,
  createCluster,
  createSimulatedRuntime,
  defaultNodes,
  everydayImages,
  type PodFault,
  type Stored,
} from '#platform/kube/simulated'
import { createSimPodFaults } from './create-sim-pod-faults.ts'

const MIB = 2 ** 20
const BUSY_MS = 100
const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** Two pods with one container each. */
const createPods = () => {
  const clock = createVirtualClock()
  const random = createRandom('faults')
  const nodes = defaultNodes(1)
  const cluster = createCluster({
    clock,
    random,
    nodes,
    runtimeFor: (_node, nodeIndex) =>
      createSimulatedRuntime({ clock, random, nodeIndex, images: everydayImages }),
    onError() {},
  })
  closers.push(() => cluster.stop())
  const network = createSimNetwork({ clock, random, client: cluster.resources.client, nodes })
  closers.push(() => network.close())
  const removals = new Set<(uid: string) => void>()
  const kills: string[] = []
  const exits: string[] = []

  const startContainer = (uid: string): ContainerResources =>
    createContainerResources({
      clock,
      random,
      cpuLimit: 0.5,
      memoryLimitBytes: 500 * MIB,
      programBytes: 50 * MIB,
      mounts: [
        {
          path: '/',
          volume: createVolume({ kind: 'disk', files: [{ path: '/app', content: () => new Uint8Array(1) }] }),
        },
        { path: '/data', volume: createVolume({ kind: 'disk' }) },
      ],
      onOutOfMemory: () => exits.push(uid),
    })
  const containers = new Map<string, ContainerResources | undefined>()
  const models = new Map<string, PodNetworkModel>()
  const addPod = (uid: string, ip: string): void => {
    const pod = { metadata: { uid, namespace: 'shop', name: uid }, spec: { containers: [] } }
    models.set(uid, network.attachPod(pod as unknown as Stored<Pod>, { ip, node: nodes[0]!.name }))
    containers.set(uid, startContainer(uid))
  }
  addPod('web', '10.244.0.2')
  addPod('db', '10.244.0.3')
  const faults = createSimPodFaults({
    clock,
    network,
    pods: {
      find(uid) {
        if (!models.has(uid)) return undefined
        const resources = containers.get(uid)
        const running = resources === undefined ? [] : [{ name: 'c', resources, kill: () => kills.push(uid) }]
        return { containers: () => running }
      },
      onRemoval(listener) {
        removals.add(listener)
        return () => removals.delete(listener)
      },
    },
  })

  const apply = (fault: PodFault): Promise<AppliedFault> =>
    new Promise((resolve, reject) => {
      faults.apply(fault, (outcome) => (outcome.ok ? resolve(outcome.value) : reject(outcome.error)))
    })
  const recover = (fault: AppliedFault): Promise<void> =>
    new Promise((resolve, reject) => {
      fault.recover((outcome) => (outcome.ok ? resolve() : reject(outcome.error)))
    })

  return {
    clock,
    kills,
    exits,
    apply,
    recover,
    removals,
    close: () => faults.close(),
    resources: (uid: string) => containers.get(uid)!,
    network: (uid: string) => models.get(uid)!.startProcess().network,
    restart(uid: string) {
      containers.get(uid)?.close()
      containers.set(uid, startContainer(uid))
    },
    remove(uid: string) {
      for (const listener of removals) listener(uid)
      containers.get(uid)?.close()
      models.get(uid)?.detach()
      containers.delete(uid)
      models.delete(uid)
    },
    /** The milliseconds that the work takes. */
    async time(work: () => Promise<unknown>): Promise<number> {
      const start = clock.now()
      await work()
      return clock.now() - start
    },
    run: <T>(work: () => Promise<T>): Promise<T> => runVirtually(clock, work),
  }
}

const target = { namespace: 'shop', pod: 'web', uid: 'web' }
const containerTarget = { ...target, container: 'c' }
const stress: PodFault = { type: 'stress', target: containerTarget, cpu: { workers: 4, load: 100 } }
const delay: PodFault = {
  type: 'network',
  target,
  effects: { delay: { latencyMs: 200, jitterMs: 0, correlation: 0 } },
}
const slowWrites: PodFault = {
  type: 'io',
  target: containerTarget,
  volumePath: '/data',
  methods: ['write'],
  percent: 100,
  effect: { kind: 'latency', delayMs: 300 },
}
const shift: PodFault = {
  type: 'time',
  target: containerTarget,
  offsetMs: -3_600_000,
  clocks: ['CLOCK_REALTIME'],
}

describe('faults on simulated pods', () => {
  it('act at the same time, and each is reverted separately', async () => {
    const { run, apply, recover, resources, network, clock, time } = createPods()
    await run(async () => {
      network('db').listen(80, () => async (request) => request)
      const connection = await network('web').connect('10.244.0.3', 80)
      const exchange = () => connection.exchange({ content: 'x', bytes: 10 })
      const { cpu, files, time: containerTime } = resources('web')
      const file = await files.open('/data/a', 'append')
      const write = () => file.write(new Uint8Array(1), 0)
      const applied = await Promise.all([stress, delay, slowWrites, shift].map(apply))
      expect(await time(exchange)).toBeGreaterThan(200)
      expect(await time(write)).toBe(300)
      expect(containerTime.now()).toBe(clock.now() - 3_600_000)
      expect(await time(() => cpu.use(BUSY_MS))).toBeGreaterThan(5 * BUSY_MS)
      const [stressed, delayed, slowed, shifted] = applied as [
        AppliedFault,
        AppliedFault,
        AppliedFault,
        AppliedFault,
      ]
      await recover(delayed)
      expect(await time(exchange)).toBeLessThan(5)
      expect(await time(write)).toBe(300)
      await recover(slowed)
      expect(await time(write)).toBe(0)
      await recover(shifted)
      expect(containerTime.now()).toBe(clock.now())
      await recover(stressed)
      await recover(stressed)
      expect(await time(() => cpu.use(BUSY_MS))).toBeLessThan(3 * BUSY_MS)
    })
  })

  it('cut the network of a pod and its names', async () => {
    const { run, apply, recover, network, clock } = createPods()
    await run(async () => {
      network('db').listen(80, () => async (request) => request)
      const cut = await apply({ type: 'network', target, cut: 'both', peers: ['10.244.0.3/32'] })
      const connecting = network('web').connect('10.244.0.3', 80)
      expect(await Promise.race([connecting, sleep(clock, 500)])).toBeUndefined()
      await recover(cut)
      await network('web').connect('10.244.0.3', 80)
      const wrong = await apply({ type: 'dns', target, action: 'error', patterns: ['db.*'] })
      await expect(network('web').lookup('db.shop.svc.cluster.local')).rejects.toMatchObject({
        code: 'EAI_AGAIN',
      })
      await recover(wrong)
      await expect(network('web').lookup('db.shop.svc.cluster.local')).rejects.toMatchObject({
        code: 'ENOTFOUND',
      })
    })
  })

  it('end with their container, except those of the network', async () => {
    const { run, apply, recover, restart, resources, network, clock, time } = createPods()
    await run(async () => {
      network('db').listen(80, () => async (request) => request)
      const applied = await Promise.all([stress, delay, slowWrites, shift].map(apply))
      restart('web')
      const { cpu, files, time: containerTime, stress: running } = resources('web')
      expect(running.processes()).toEqual([])
      expect(containerTime.now()).toBe(clock.now())
      const file = await files.open('/data/a', 'append')
      expect(await time(() => file.write(new Uint8Array(1), 0))).toBe(0)
      expect(await time(() => cpu.use(10))).toBe(10)
      const connect = () => network('web').connect('10.244.0.3', 80)
      expect(await time(connect)).toBeGreaterThan(200)
      await Promise.all(applied.map(recover))
      expect(await time(connect)).toBeLessThan(5)
    })
  })

  it('are reverted without an error if the pod is gone', async () => {
    const { run, apply, recover, remove } = createPods()
    await run(async () => {
      const dns: PodFault = { type: 'dns', target, action: 'error', patterns: [] }
      const applied = await Promise.all([stress, delay, slowWrites, shift, dns].map(apply))
      remove('web')
      await Promise.all(applied.map(recover))
      await expect(apply(delay)).rejects.toThrow('pod shop/web is not running on this machine')
    })
  })

  it('stop a custom stress after its timeout, and kill by memory', async () => {
    const { run, apply, resources, exits, clock } = createPods()
    await run(async () => {
      await apply({ type: 'stress', target: containerTarget, arguments: ['--cpu', '2', '-t', '5'] })
      expect(resources('web').stress.processes()).toHaveLength(3)
      await sleep(clock, 5000)
      expect(resources('web').stress.processes()).toEqual([])
      await apply({ type: 'stress', target: containerTarget, arguments: ['--vm', '1', '--vm-bytes', '600m'] })
      expect(exits).toEqual(['web'])
    })
  })

  it('kill a container', async () => {
    const { run, apply, recover, kills } = createPods()
    await run(async () => recover(await apply({ type: 'kill', target: containerTarget })))
    expect(kills).toEqual(['web'])
  })

  it('are rejected with the reasons of a local cluster', async () => {
    const { run, apply, close, removals } = createPods()
    await run(async () => {
      await apply(slowWrites)
      const wrong: readonly [PodFault, string][] = [
        [
          { ...stress, target: { ...containerTarget, container: 'x' } },
          'container x of pod shop/web is not running',
        ],
        [
          { ...slowWrites, volumePath: '/none' },
          "/none: ENOENT: no such file or directory, chdir '/' -> '/none'",
        ],
        [{ ...slowWrites, volumePath: '/app' }, "/app: ENOTDIR: not a directory, chdir '/' -> '/app'"],
        [{ ...slowWrites, volumePath: '/' }, 'a fault already acts on /data, which overlaps with /'],
        [{ ...slowWrites, path: '/data/[z-a]' }, '/data/[z-a] is not a valid path pattern'],
        [
          { ...shift, clocks: ['CLOCK_X'] },
          'clocks of a time fault must be names such as CLOCK_REALTIME, not CLOCK_X',
        ],
        [
          { ...delay, peers: ['x'] },
          'peers of a network fault must be IPv4 addresses with a prefix length, not x',
        ],
      ] as never
      for (const [fault, message] of wrong) await expect(apply(fault)).rejects.toThrow(message)
      await close()
      await expect(apply(delay)).rejects.toThrow('the engine is closing')
    })
    expect(removals.size).toBe(0)
  })
})
