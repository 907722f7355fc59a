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
  const inspectedEquipment: Equipment = {
    ...equipment,
    objects: { list: () => PODS, close() {} },
    cluster: {
      ...equipment.cluster,
      containersIn: (uid): readonly ContainerInspection[] => [
        { id: uid, name: 'main', processes: [], deletedFiles: [], files, usedBytes: 2 ** 20 + 5 },
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
  return { log, inspect, solve, setFiles }
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
