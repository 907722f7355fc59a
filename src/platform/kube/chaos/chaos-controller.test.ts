/** Tests of the lifecycle of an experiment: selection, injection, duration, pause, deletion and failure. */
import { describe, expect, it } from 'vitest'
import { pods } from '#platform/kube/kinds'
import { conflict } from '#platform/kube/meta'
import type { AdmissionRequest } from '#platform/kube/ports'
import { createChaosCluster } from './testing/create-chaos-cluster.ts'

const stressSpec = (rest: object = {}) => ({
  mode: 'all',
  selector: { labelSelectors: { app: 'web' } },
  stressors: { cpu: { workers: 1 } },
  ...rest,
})
const web = { metadata: { labels: { app: 'web' } } }

/** Rejects the first `max` writes of an injected record. */
const createWriteRejector = (max: number) => {
  const rejector = {
    count: 0,
    plugin: {
      name: 'WriteRejector',
      validate({ kind, object, name }: AdmissionRequest) {
        const isInjected = object?.status?.experiment?.containerRecords?.[0]?.phase === 'Injected'
        if (!isInjected || rejector.count >= max) return
        rejector.count += 1
        throw conflict(kind, name, 'not now')
      },
    },
  }
  return rejector
}

describe('an experiment', () => {
  it('selects targets, injects faults and records events', () => {
    const { clock, faults, create, get, conditions, eventsOf, runPod } = createChaosCluster()
    runPod('a', web)
    runPod('b', web)
    runPod('other')
    create('StressChaos', 'burn', stressSpec())
    clock.advance(100)
    expect([...faults.active].map(({ target }) => target.pod)).toEqual(['a', 'b'])
    const { metadata, spec, status } = get('StressChaos', 'burn')!
    expect(metadata.finalizers).toEqual(['chaos-mesh/records'])
    expect(spec.selector.namespaces).toEqual(['default'])
    expect(status?.experiment).toEqual({
      desiredPhase: 'Run',
      containerRecords: ['a', 'b'].map((pod) => ({
        id: `default/${pod}/c`,
        selectorKey: '.',
        phase: 'Injected',
        injectedCount: 1,
        recoveredCount: 0,
        events: [{ type: 'Succeeded', operation: 'Apply', timestamp: metadata.creationTimestamp }],
      })),
    })
    expect(conditions('StressChaos', 'burn')).toEqual([
      'Selected True',
      'AllInjected True',
      'AllRecovered False',
      'Paused False',
    ])
    expect(eventsOf('burn')).toEqual([
      'Normal Started: Experiment has started',
      'Normal FinalizerInited: Finalizer has been inited',
      'Normal Updated: Successfully update finalizer of resource',
      'Normal Updated: Successfully update desiredPhase of resource',
      'Normal Applied: Successfully apply chaos for default/a/c',
      'Normal Applied: Successfully apply chaos for default/b/c',
      'Normal Updated: Successfully update records of resource',
    ])
  })

  it('makes no further writes once it is injected', () => {
    const { clock, client, create, get, runPod } = createChaosCluster()
    runPod('a', web)
    create('StressChaos', 'burn', stressSpec())
    clock.advance(100)
    const { resourceVersion } = get('StressChaos', 'burn')!.metadata
    clock.advance(3_600_000)
    expect(get('StressChaos', 'burn')!.metadata.resourceVersion).toBe(resourceVersion)
    expect(client.list(pods)).toHaveLength(1)
  })

  it('recovers when it is deleted, and is removed only then', () => {
    const { clock, faults, create, get, remove, eventsOf, runPod } = createChaosCluster()
    runPod('a', web)
    create('StressChaos', 'burn', stressSpec())
    clock.advance(100)
    remove('StressChaos', 'burn')
    expect(get('StressChaos', 'burn')?.metadata.deletionTimestamp).toBeDefined()
    clock.advance(10)
    expect(get('StressChaos', 'burn')).toBeDefined()
    expect(faults.active.size).toBe(1)
    clock.advance(100)
    expect(faults.active.size).toBe(0)
    expect(get('StressChaos', 'burn')).toBeUndefined()
    expect(eventsOf('burn')).toContain('Normal Recovered: Successfully recover chaos for default/a/c')
    expect(eventsOf('burn')).toContain('Normal Deleted: Experiment has been deleted')
  })

  it('recovers an injection that is in progress when the experiment is deleted', () => {
    const { clock, faults, create, get, remove, runPod } = createChaosCluster()
    runPod('a', web)
    create('StressChaos', 'burn', stressSpec())
    clock.advance(5)
    expect(faults.requested).toHaveLength(1)
    remove('StressChaos', 'burn')
    clock.advance(200)
    expect(faults.active.size).toBe(0)
    expect(get('StressChaos', 'burn')).toBeUndefined()
  })

  it('recovers if its finalizer is removed by force', () => {
    const { clock, faults, create, get, update, remove, runPod } = createChaosCluster()
    runPod('a', web)
    create('StressChaos', 'burn', stressSpec())
    clock.advance(100)
    const chaos = get('StressChaos', 'burn')!
    update({ ...chaos, metadata: { ...chaos.metadata, finalizers: [] } })
    remove('StressChaos', 'burn')
    clock.advance(100)
    expect(get('StressChaos', 'burn')).toBeUndefined()
    expect(faults.active.size).toBe(0)
  })

  it('ends after its duration', () => {
    const { clock, faults, create, get, conditions, eventsOf, runPod } = createChaosCluster()
    runPod('a', web)
    create('StressChaos', 'burn', stressSpec({ duration: '1m30s' }))
    clock.advance(89_000)
    expect(faults.active.size).toBe(1)
    clock.advance(1100)
    expect(faults.active.size).toBe(0)
    expect(get('StressChaos', 'burn')?.status?.experiment.desiredPhase).toBe('Stop')
    expect(conditions('StressChaos', 'burn')).toEqual([
      'Selected True',
      'AllInjected False',
      'AllRecovered True',
      'Paused False',
    ])
    expect(eventsOf('burn')).toContain('Normal TimeUp: Time up according to the duration')
    clock.advance(3_600_000)
    expect(faults.requested).toHaveLength(1)
  })

  it('pauses and resumes when its annotation changes', () => {
    const { clock, faults, create, get, update, records, conditions, runPod } = createChaosCluster()
    runPod('a', web)
    create('StressChaos', 'burn', stressSpec())
    clock.advance(100)
    const setPaused = (value: string): void => {
      const chaos = get('StressChaos', 'burn')!
      const annotations = { 'experiment.chaos-mesh.org/pause': value }
      update({ ...chaos, metadata: { ...chaos.metadata, annotations } })
      clock.advance(100)
    }
    setPaused('true')
    expect(faults.active.size).toBe(0)
    expect(conditions('StressChaos', 'burn')).toContain('Paused True')
    setPaused('false')
    expect(faults.active.size).toBe(1)
    expect(records('StressChaos', 'burn')[0]).toMatchObject({
      phase: 'Injected',
      injectedCount: 2,
      recoveredCount: 1,
    })
  })

  it('records a failure and retries with back-off', () => {
    const { clock, faults, create, records, conditions, eventsOf, runPod } = createChaosCluster()
    faults.failApply = 'stress-ng is not installed'
    runPod('a', web)
    create('StressChaos', 'burn', stressSpec())
    clock.advance(10_000)
    expect(faults.requested.length).toBeGreaterThan(3)
    expect(faults.requested.length).toBeLessThan(8)
    expect(records('StressChaos', 'burn')[0]).toMatchObject({ phase: 'Not Injected', injectedCount: 0 })
    expect(records('StressChaos', 'burn')[0]?.events?.at(-1)).toMatchObject({
      type: 'Failed',
      operation: 'Apply',
      message: 'stress-ng is not installed',
    })
    expect(conditions('StressChaos', 'burn')).toContain('AllInjected False')
    expect(eventsOf('burn')).toContain('Warning Failed: Failed to apply chaos: stress-ng is not installed')
    faults.failApply = undefined
    clock.advance(60_000)
    expect(conditions('StressChaos', 'burn')).toContain('AllInjected True')
  })

  it('keeps its finalizer while it cannot be recovered', () => {
    const { clock, faults, create, get, remove, runPod } = createChaosCluster()
    runPod('a', web)
    create('StressChaos', 'burn', stressSpec())
    clock.advance(100)
    faults.failRecover = 'the device is busy'
    remove('StressChaos', 'burn')
    clock.advance(5000)
    expect(get('StressChaos', 'burn')?.metadata.finalizers).toEqual(['chaos-mesh/records'])
    faults.failRecover = undefined
    clock.advance(60_000)
    expect(get('StressChaos', 'burn')).toBeUndefined()
    expect(faults.active.size).toBe(0)
  })

  it('keeps an injection whose status write fails', () => {
    const rejector = createWriteRejector(3)
    const { clock, faults, create, records, remove, runPod } = createChaosCluster('chaos', [rejector.plugin])
    runPod('a', web)
    create('StressChaos', 'burn', stressSpec())
    clock.advance(1000)
    expect(rejector.count).toBe(3)
    expect(records('StressChaos', 'burn')).toMatchObject([{ phase: 'Injected', injectedCount: 1 }])
    expect(faults.requested).toHaveLength(1)
    remove('StressChaos', 'burn')
    clock.advance(1000)
    expect(faults.active.size).toBe(0)
  })

  it('restores the images of a failed pod even if status writes fail', () => {
    const rejector = createWriteRejector(3)
    const { clock, client, create, remove, runPod } = createChaosCluster('chaos', [rejector.plugin])
    const getImage = () => client.get(pods, 'default', 'a')?.spec.containers[0]?.image
    runPod('a', web)
    const { mode, selector } = stressSpec()
    create('PodChaos', 'fail', { mode, selector, action: 'pod-failure' })
    clock.advance(1000)
    expect(rejector.count).toBe(3)
    expect(getImage()).toBe('pause:latest')
    remove('PodChaos', 'fail')
    clock.advance(1000)
    expect(getImage()).toBe('web:1')
  })

  it('waits until a pod matches', () => {
    const { clock, faults, create, conditions, eventsOf, runPod } = createChaosCluster()
    create('StressChaos', 'burn', stressSpec())
    clock.advance(1000)
    expect(conditions('StressChaos', 'burn')).toEqual([
      'Selected False',
      'AllInjected False',
      'AllRecovered True',
      'Paused False',
    ])
    expect(eventsOf('burn')).toContain('Warning Failed: Failed to select targets: no pod is selected')
    runPod('a', web)
    clock.advance(3000)
    expect(faults.active.size).toBe(1)
  })

  it('ignores pods created after the selection', () => {
    const { clock, client, faults, create, runPod } = createChaosCluster()
    runPod('a', web)
    create('StressChaos', 'burn', stressSpec())
    clock.advance(100)
    client.delete(pods, 'default', 'a', { gracePeriodSeconds: 0 })
    runPod('b', web)
    clock.advance(60_000)
    expect(faults.requested.map(({ target }) => target.pod)).toEqual(['a'])
  })
})
