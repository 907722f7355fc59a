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
  name,
  ageMs: 0,
  isFromExec: false,
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
