/** Tests that changes of the processes in pods are recorded, and that probes are not. */
import { expect, it } from 'vitest'
import type { ApiObject, EpisodeEvent, PodProcess } from '#spec'
import { createFakeLab } from '../testing/fake-lab.ts'
import type { Equipment } from './equipment.ts'
import { observeProcesses } from './observe-processes.ts'

const POD: ApiObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'greeter-1', namespace: 'little', uid: 'u' },
}
const toProcess = (name: string, more: Partial<PodProcess> = {}): PodProcess => ({
  container: 'a',
  containerName: 'main',
  id: 1,
  name,
  ageMs: 0,
  isFromExec: false,
  isStray: false,
  isFromEngine: false,
  ...more,
})

const createObserver = () => {
  const { equipment, log } = createFakeLab()
  let processes: readonly PodProcess[] | undefined
  const observed: Equipment = {
    ...equipment,
    objects: { list: () => [POD], close() {} },
    cluster: {
      ...equipment.cluster,
      processesIn: (uid) => (uid === 'u' ? processes : undefined),
    },
  }
  return {
    log,
    /** The strays in the last event. */
    lastStrays: () => log.view.processes.get('a')?.at(-1)?.strays,
    observe(...present: readonly PodProcess[]): readonly string[][] {
      const before = log.events.length
      processes = present
      observeProcesses(observed, log)
      return log.events
        .slice(before)
        .filter((event): event is EpisodeEvent & { type: 'processes-observed' } => 'containers' in event)
        .flatMap(({ containers }) => containers.map((container) => container.processes.map(([name]) => name)))
    },
  }
}

it('records the processes of each container once, and again when they change', () => {
  const { observe } = createObserver()
  expect(observe(toProcess('node'))).toEqual([['node']])
  expect(observe(toProcess('node', { ageMs: 1000 }))).toEqual([])
  expect(observe(toProcess('node'), toProcess('sleep'))).toEqual([['node', 'sleep']])
  expect(observe()).toEqual([[]])
  expect(observe()).toEqual([])
})

it('records exec processes that the solver left running, but no probes', () => {
  const { observe, log } = createObserver()
  const execProcess = (ageMs: number) => toProcess('sh', { isFromExec: true, ageMs })
  expect(observe(toProcess('node'), execProcess(500))).toEqual([['node']])
  log.add({ type: 'solver-started' })
  log.add({ type: 'solver-ended', outcome: 'submitted' })
  expect(observe(toProcess('node'), execProcess(-500))).toEqual([])
  expect(observe(toProcess('node'), execProcess(500))).toEqual([['node', 'sh']])
})

it('records processes outside the session of the main one with their ids, except probes after the solver', () => {
  const { observe, log, lastStrays } = createObserver()
  const stray = (id: number, ageMs = 0) => toProcess('sh', { id, isFromExec: true, isStray: true, ageMs })
  observe(toProcess('node'), stray(7))
  expect(lastStrays()).toEqual([['sh', expect.any(Number), 7]])
  log.add({ type: 'solver-started' })
  log.add({ type: 'solver-ended', outcome: 'submitted' })
  observe(toProcess('node'), stray(8, 500))
  expect(lastStrays()).toEqual([['sh', expect.any(Number), 8]])
  // The same number of processes with the same names, but another process.
  expect(observe(toProcess('node'), stray(9, 500))).toHaveLength(1)
  observe(toProcess('node'), stray(10, -500))
  expect(lastStrays()).toBeUndefined()
  // A process whose parent has ended is no probe.
  observe(toProcess('node'), { ...stray(11, -500), isFromExec: false })
  expect(lastStrays()).toEqual([['sh', expect.any(Number), 11]])
})

it('leaves out processes that the engine started for a fault', () => {
  const { observe, lastStrays } = createObserver()
  const stress = toProcess('stress-ng', { isFromExec: true, isStray: true, isFromEngine: true })
  expect(observe(toProcess('node'), stress)).toEqual([['node']])
  expect(lastStrays()).toBeUndefined()
})
