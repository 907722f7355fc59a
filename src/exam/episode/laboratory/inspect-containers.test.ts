/** Tests which containers are recorded: all before the solver, and afterwards those that it could change. */
import { expect, it } from 'vitest'
import type { ApiObject, ContainerInspection, InspectedContainer } from '#spec'
import { createFakeLab, toProblem } from '../testing/fake-lab.ts'
import type { Equipment } from './equipment.ts'
import { inspectContainers } from './inspect-containers.ts'

const pod = (name: string, claim?: string): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'little', uid: name },
  spec: { volumes: claim === undefined ? [] : [{ persistentVolumeClaim: { claimName: claim } }] },
})
const PODS = [pod('cart'), pod('stock', 'stock-data')]

const startRecord = () => {
  const { equipment, log } = createFakeLab()
  const start = { schema: 2, time: 0, problem: toProblem([]), solver: 's', engine: 'e' } as const
  const load = { loop: 'open', arrivals: { kind: 'constant', rate: 1 } } as const
  log.add({ type: 'episode-started', ...start, load })
  let files: readonly string[] = ['/a', '/b']
  let others: Partial<ContainerInspection> = {}
  const inspectedEquipment: Equipment = {
    ...equipment,
    objects: { list: () => PODS, close() {} },
    cluster: {
      ...equipment.cluster,
      containersIn: (uid): readonly ContainerInspection[] => [
        { id: uid, name: 'main', processes: [], deletedFiles: [], files, usedBytes: 2 ** 20 + 5, ...others },
      ],
    },
  }
  const inspect = (isTrusted = false): readonly InspectedContainer[] => {
    const before = log.events.length
    inspectContainers(inspectedEquipment, log, isTrusted)
    return log.events
      .slice(before)
      .flatMap((event) => (event.type === 'containers-inspected' ? event.containers : []))
  }
  const solve = (...writes: readonly string[]): void => {
    log.add({ type: 'solver-started' })
    for (const object of writes)
      log.add({ type: 'write-audited', verb: 'create', object, code: 101, client: 'c' })
    log.add({ type: 'solver-ended', outcome: 'submitted' })
  }
  const setFiles = (now: readonly string[]): void => {
    files = now
  }
  const setOthers = (now: Partial<ContainerInspection>): void => {
    others = now
  }
  return { log, inspect, solve, setFiles, setOthers }
}

const podsOf = (containers: readonly InspectedContainer[]): string[] => containers.map((each) => each.pod)

it('records each container once, and again when it has changed', () => {
  const { inspect, setFiles } = startRecord()
  expect(inspect()).toEqual([
    {
      pod: 'cart',
      id: 'cart',
      name: 'main',
      processes: [],
      deletedFiles: [],
      files: ['/a', '/b'],
      usedBytes: 2 ** 20,
    },
    expect.objectContaining({ pod: 'stock' }),
  ])
  expect(inspect()).toEqual([])
  setFiles(['/b', '/c'])
  expect(inspect().map(({ files }) => files)).toEqual([['/b'], ['/b']])
})

it('records pods in which the account of the solver ran programs', () => {
  const { inspect, solve, setFiles } = startRecord()
  inspect()
  solve('pods/cart/exec', 'deployments/stock')
  setFiles([])
  expect(podsOf(inspect())).toEqual(['cart'])
})

it('records pods whose claim a pod of the solver mounted', () => {
  const { log, inspect, solve, setFiles } = startRecord()
  inspect()
  log.add({ type: 'solver-started' })
  log.add({ type: 'object-changed', change: 'added', object: pod('mine', 'stock-data') })
  solve()
  setFiles([])
  expect(podsOf(inspect())).toEqual(['stock'])
})

it('records all pods if it is not known which ones the solver entered', () => {
  const { inspect, solve, setFiles } = startRecord()
  inspect()
  solve('*')
  setFiles([])
  expect(podsOf(inspect())).toEqual(['cart', 'stock'])
  const other = startRecord()
  other.inspect()
  other.solve()
  other.setFiles([])
  expect(podsOf(other.inspect(true))).toEqual(['cart', 'stock'])
})

it('records files with less content than before the solver, but not the states of files', () => {
  const { inspect, solve, setOthers } = startRecord()
  const toState = (size: number) => ({
    ...{ inode: 1, size, allocatedBytes: 4096, mode: 0o644, modifiedAt: size, isOpen: false },
  })
  setOthers({ fileStates: [toState(100), toState(200)], unlinkedFiles: ['/a', '/temp'] })
  expect(inspect()[0]).not.toHaveProperty('fileStates')
  expect(inspect()[0]).toMatchObject({ unlinkedFiles: ['/a'] })
  setOthers({ fileStates: [toState(150), toState(200)] })
  solve('pods/cart/exec')
  setOthers({ fileStates: [toState(150), toState(2)], changedFiles: ['/bin/sh'] })
  const [recorded] = inspect()
  expect(recorded).toMatchObject({ overwrittenFiles: ['/b'], changedFiles: ['/bin/sh'] })
  expect(recorded).not.toHaveProperty('fileStates')
})

it('records folders with another mode or owner than before the solver, but not all folders', () => {
  const { inspect, solve, setOthers } = startRecord()
  const mountedFiles = { '/etc/hosts': '644 0:0 a' }
  setOthers({ folders: { '/data': '755 0:0', '/tmp': '700 0:0', '/new': '755 0:0' }, mountedFiles })
  const [first] = inspect()
  expect(first).toMatchObject({ mountedFiles })
  expect(first).not.toHaveProperty('folders')
  // A program changes this folder itself.
  setOthers({ folders: { '/data': '755 0:0', '/tmp': '755 0:0' }, mountedFiles })
  expect(inspect()).toEqual([])
  solve('pods/cart/exec')
  setOthers({ folders: { '/data': '0 0:0', '/tmp': '711 0:0', '/new': '711 0:0' }, mountedFiles })
  const [recorded] = inspect()
  expect(recorded).toMatchObject({ changedFolders: ['/data'] })
  expect(recorded).not.toHaveProperty('folders')
})
