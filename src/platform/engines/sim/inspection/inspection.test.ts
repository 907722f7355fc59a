/** Tests the inspection of simulated pods. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { expect, it, onTestFinished } from 'vitest'
import { createRandom, createVirtualClock, runVirtually } from '#kit'
import { createContainerResources, createVolume } from '#platform/engines/sim/hosts'
import { createSimNetwork } from '#platform/engines/sim/network'
import {
  createCluster,
  createSimulatedRuntime,
  defaultNodes,
  everydayImages,
  type Stored,
} from '#platform/kube/simulated'
import { connectToMain } from './connect-to-main.ts'
import { inspectContainers } from './inspect-containers.ts'
import { listProcesses, listPrograms } from './list-processes.ts'

const SETTINGS = {
  isStopped: false,
  settings: { nice: 0, oomScoreAdj: 0, openFiles: [1024, 4096] as const },
}
const BYTES = new Uint8Array(5000)

const createPod = () => {
  const clock = createVirtualClock()
  const random = createRandom('inspection')
  const nodes = defaultNodes(1)
  const cluster = createCluster({
    clock,
    random,
    nodes,
    runtimeFor: (_node, nodeIndex) =>
      createSimulatedRuntime({ clock, random, nodeIndex, images: everydayImages }),
    onError() {},
  })
  const network = createSimNetwork({ clock, random, client: cluster.resources.client, nodes })
  onTestFinished(() => {
    network.close()
    cluster.stop()
  })
  const pod = { metadata: { uid: 'web', namespace: 'shop', name: 'web' }, spec: { containers: [] } }
  const model = network.attachPod(pod as unknown as Stored<Pod>, {
    ip: '10.244.0.2',
    node: nodes[0]!.name,
  })
  const main = model.startProcess()
  const resources = createContainerResources({
    clock,
    random,
    programBytes: 2 ** 20,
    mounts: [
      {
        path: '/',
        volume: createVolume({ kind: 'disk', files: [{ path: 'bin/sh', content: () => BYTES }] }),
      },
      { path: '/data', volume: createVolume({ kind: 'disk' }) },
      {
        path: '/config',
        volume: createVolume({ kind: 'objects', files: [{ path: 'a', content: () => BYTES }] }),
      },
    ],
    onOutOfMemory() {},
  })
  const startedAt = clock.now()
  const container = {
    id: 'abc',
    name: 'server',
    resources,
    processes: () => [
      {
        id: 1,
        command: ['/usr/bin/server', '-p', '80'],
        startedAt,
        isFromExec: false,
        isStray: false,
        ...SETTINGS,
      },
      { id: 7, command: ['sh'], startedAt: clock.now() - 10, isFromExec: true, isStray: true, ...SETTINGS },
    ],
    hasProgram: (path: string) => path === '/bin/sh',
    isListening: main.isListening,
  }
  const pods = {
    find: (uid: string) => (uid === 'web' ? { containers: () => [container] } : undefined),
  }
  return { clock, network, model, main, resources, pods }
}

it('lists processes with those of stress, which do not descend from the main process', () => {
  const { clock, pods, resources } = createPod()
  clock.advance(1000)
  const end = resources.stress.start({ cpu: { workers: 1, load: 10 } })
  clock.advance(500)
  const common = { container: 'abc', containerName: 'server', isFromEngine: false }
  const stress = {
    ...common,
    id: 0,
    name: 'stress-ng',
    ageMs: 500,
    isFromExec: true,
    isStray: true,
    isFromEngine: true,
  }
  expect(listProcesses(pods, clock, 'web')).toEqual([
    { ...common, id: 1, name: 'server', ageMs: 1500, isFromExec: false, isStray: false },
    { ...common, id: 7, name: 'sh', ageMs: 10, isFromExec: true, isStray: true },
    stress,
    stress,
  ])
  end()
  expect(listPrograms(pods, clock, 'web')).toEqual(['server', 'sh'])
  expect(listProcesses(pods, clock, 'other')).toBeUndefined()
})

it('lists the files that containers can change', async () => {
  const { clock, pods, resources } = createPod()
  const inspectFirst = () => inspectContainers(pods, 'web')![0]!
  const inspect = () => [[inspectFirst().files, inspectFirst().usedBytes]]
  expect(inspect()).toEqual([[['/bin/sh'], 0]])
  expect(inspectFirst().processes).toEqual([
    {
      ...{ id: 1, name: 'server', isStopped: false, nice: 0, oomScoreAdj: 0, cpus: 'all' },
      limits: { 'Max open files': [1024, 4096] },
    },
  ])
  await runVirtually(clock, async () => {
    const file = await resources.files.open('/data/carts', 'replace')
    await file.write(BYTES, 0)
    await resources.files.open('/data/empty', 'replace')
    expect(inspect()).toEqual([[['/bin/sh', '/data/carts'], 8192]])
    expect(inspectFirst()).toMatchObject({ changedFiles: ['/bin/sh'], deletedFiles: [] })
    const before = inspectFirst().fileStates![1]!
    expect(before).toMatchObject({ size: 5000, allocatedBytes: 8192, isOpen: true })
    await file.truncate(0)
    await file.write(BYTES, 20_000)
    const after = inspectFirst().fileStates![1]!
    expect(after).toMatchObject({ inode: before.inode, size: 25_000, allocatedBytes: 28_672 - 20_000 })
    expect(after.modifiedAt).toBeGreaterThan(before.modifiedAt)
    await file.truncate(5000)
    await resources.files.remove('/data/carts')
    expect(inspectFirst()).toMatchObject({ files: ['/bin/sh'], unlinkedFiles: ['/data/carts'] })
    await file.close()
    const again = await resources.files.open('/data/carts', 'replace')
    await again.write(BYTES, 0)
    expect(inspectFirst().fileStates![1]!.inode).not.toBe(before.inode)
    await resources.files.remove('/bin/sh')
    expect(inspect()).toEqual([[['/data/carts'], 8192]])
  })
  expect(inspectContainers(pods, 'other')).toBeUndefined()
})

it('connects only to main programs', async () => {
  const { clock, network, model, main, pods } = createPod()
  const connect = connectToMain({ network, pods })
  main.network.listen(80, () => async (request) => request)
  model.startProcess().network.listen(81, () => async (request) => request)
  await runVirtually(clock, async () => {
    const connection = await connect('web', 80, 'loopback')
    if (connection.kind !== 'messages') throw new Error('expected messages')
    expect(await connection.connection.exchange({ content: 'x', bytes: 1 })).toMatchObject({ content: 'x' })
    await expect(connect('web', 81, 'address')).rejects.toThrow('a program other than the container')
    await expect(connect('web', 82, 'address')).rejects.toThrow('no program listens on port 82')
    await expect(connect('other', 80, 'address')).rejects.toThrow('the pod other is not running')
  })
})
