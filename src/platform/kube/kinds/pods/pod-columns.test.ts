/** Tests the pod table for states that are not in the recorded fixtures. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import type { Stored } from '#platform/kube/meta'
import { podRow } from './pod-columns.ts'

const NOW = Date.parse('2026-01-01T00:10:00Z')

interface PodOutline {
  init?: { name: string; restartPolicy?: string }[]
  initStatuses?: object[]
  statuses?: object[]
  status?: object
  metadata?: object
  spec?: object
}

const pod = ({
  init = [],
  initStatuses = [],
  statuses = [],
  status,
  metadata,
  spec,
}: PodOutline): Stored<Pod> =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
    spec: { containers: [{ name: 'c' }], initContainers: init, ...spec },
    status: {
      phase: 'Pending',
      initContainerStatuses: initStatuses,
      containerStatuses: statuses,
      ...status,
    },
  }) as unknown as Stored<Pod>

const waiting = (reason: string) => ({ name: 'c', restartCount: 0, state: { waiting: { reason } } })
const running = { name: 'c', restartCount: 0, ready: true, state: { running: {} } }
const cells = (outline: PodOutline) => podRow(pod(outline), { now: NOW })

describe('STATUS', () => {
  it('counts completed init containers', () => {
    const init = [{ name: 'a' }, { name: 'b' }]
    const statuses = [waiting('PodInitializing')]
    const done = { name: 'a', restartCount: 0, state: { terminated: { exitCode: 0 } } }
    const first = { name: 'a', restartCount: 0, state: { running: {} } }
    const second = { name: 'b', restartCount: 0, state: { waiting: { reason: 'PodInitializing' } } }
    expect(cells({ init, initStatuses: [first, second], statuses })[2]).toBe('Init:0/2')
    expect(cells({ init, initStatuses: [done, second], statuses })[2]).toBe('Init:1/2')
  })

  it('shows why an init container is waiting or has terminated', () => {
    const init = [{ name: 'a' }]
    const withInitState = (state: object) => ({ init, initStatuses: [{ name: 'a', restartCount: 2, state }] })
    expect(cells(withInitState({ waiting: { reason: 'CrashLoopBackOff' } }))[2]).toBe('Init:CrashLoopBackOff')
    expect(cells(withInitState({ terminated: { exitCode: 1, reason: 'Error' } }))[2]).toBe('Init:Error')
    expect(cells(withInitState({ terminated: { exitCode: 3 } }))[2]).toBe('Init:ExitCode:3')
    expect(cells(withInitState({ terminated: { exitCode: 137, signal: 9 } }))[2]).toBe('Init:Signal:9')
  })

  it('is PodInitializing once init containers have completed', () => {
    const done = { name: 'a', restartCount: 0, state: { terminated: { exitCode: 0 } } }
    const outline = { init: [{ name: 'a' }], initStatuses: [done], statuses: [waiting('PodInitializing')] }
    expect(cells(outline)[2]).toBe('PodInitializing')
  })

  it('shows deletion, a lost node, scheduling gates and the reason of the pod', () => {
    const metadata = { deletionTimestamp: '2026-01-01T00:09:00Z' }
    expect(cells({ statuses: [running], status: { phase: 'Running' }, metadata })[2]).toBe('Terminating')
    expect(cells({ status: { phase: 'Succeeded' }, metadata })[2]).toBe('Succeeded')
    expect(cells({ status: { phase: 'Running', reason: 'NodeLost' }, metadata })[2]).toBe('Unknown')
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }]
    expect(cells({ status: { conditions } })[2]).toBe('SchedulingGated')
    expect(cells({ status: { phase: 'Failed', reason: 'Evicted' } })[2]).toBe('Evicted')
  })

  it('is Running or NotReady while one container runs and another has completed', () => {
    const completed = {
      name: 'd',
      restartCount: 0,
      state: { terminated: { exitCode: 0, reason: 'Completed' } },
    }
    const statuses = [completed, running]
    expect(cells({ statuses, status: { phase: 'Running' } })[2]).toBe('NotReady')
    const conditions = [{ type: 'Ready', status: 'True' }]
    expect(cells({ statuses, status: { phase: 'Running', conditions } })[2]).toBe('Running')
  })
})

describe('READY and RESTARTS', () => {
  it('count sidecars', () => {
    const sidecar = {
      name: 's',
      restartCount: 2,
      ready: true,
      started: true,
      state: { running: {} },
      lastState: { terminated: { exitCode: 1, finishedAt: '2026-01-01T00:08:30Z' } },
    }
    const row = cells({
      init: [{ name: 's', restartPolicy: 'Always' }],
      initStatuses: [sidecar],
      statuses: [running],
      status: { phase: 'Running' },
    })
    expect(row.slice(1, 4)).toEqual(['2/2', 'Running', '2 (90s ago)'])
  })
})

describe('READINESS GATES', () => {
  it('counts passed gates', () => {
    const spec = { readinessGates: [{ conditionType: 'a' }, { conditionType: 'b' }] }
    const conditions = [{ type: 'b', status: 'True' }]
    expect(cells({ spec, status: { conditions } })[8]).toBe('1/2')
  })
})
