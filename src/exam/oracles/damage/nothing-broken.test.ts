/** Tests of the oracle `nothing-broken`: changes that it allows, and changes that are damage. */
import { describe, expect, it } from 'vitest'
import type { ApiObject, Fault } from '#spec'
import {
  deployment,
  inLaboratory,
  POD_FAULT,
  plain,
  pod,
  prepareRecord,
  problem,
  type RecordBuilder,
  stress,
  withSpec,
} from '../testing/record-builder.ts'
import { baselineObject, damageBy, finish, judge, type Trial } from '../testing/trial.ts'

const env = (value: string): Readonly<Record<string, unknown>> => ({ env: [{ name: 'STOCK', value }] })
const withTemplateMetadata = (workload: ApiObject, change: object): ApiObject => {
  const { template } = workload.spec as { template: { metadata: object } }
  return withSpec(workload, { template: { ...template, metadata: { ...template.metadata, ...change } } })
}
const scope = (extra: object): Partial<Fault> => ({ scope: () => ({ services: ['cart'], ...extra }) })
const autoscaler = plain('autoscaling/v2', 'HorizontalPodAutoscaler', 'front', {
  spec: { scaleTargetRef: { kind: 'Deployment', name: 'front' }, minReplicas: 1, maxReplicas: 3 },
})

const ALLOWED: Readonly<Record<string, Trial>> = {
  'only the faulty pod is replaced': { act: (record) => record },
  'the service is restarted': {
    act: (record) =>
      record.change(
        withTemplateMetadata(deployment('cart'), {
          annotations: { 'prometheus.io/scrape': 'true', restartedAt: 'now' },
        }),
      ),
  },
  'a variable that the fault changed is changed again': {
    injected: [deployment('cart', env('wrong'))],
    act: (record) => record.change(deployment('cart', env('another'))),
  },
  'limits are doubled': {
    act: (record) =>
      record.change(
        deployment('cart', {
          resources: { limits: { cpu: '0.4', memory: '128Mi' }, requests: { cpu: '0.2' } },
        }),
      ),
  },
  'a good release runs and the scope permits it': {
    act: (record) => record.change(deployment('cart', { image: 'shop/cart:1.3' })),
    fault: scope({ anyGoodRelease: true }),
  },
  'a probe differs and the scope permits it': {
    act: (record) => record.change(deployment('cart', { readinessProbe: { tcpSocket: { port: 80 } } })),
    fault: scope({ probes: ['readinessProbe'] }),
  },
  'the service gets more replicas': { act: (record) => record.change(deployment('cart', {}, 2)) },
  'a limit that the fault lowered stays': {
    act: (record) => record,
    injected: [deployment('cart', { resources: { limits: { cpu: '2m', memory: '64Mi' } } })],
  },
  'another workload that the fault changed is corrected': {
    injected: [deployment('stock', env('wrong'))],
    act: (record) => record.change(deployment('stock')).replacePod('stock'),
  },
  'an object that the fault changed is changed again': {
    injected: [plain('v1', 'ConfigMap', 'settings', { data: { pool: '1' } })],
    act: (record) => record.change(plain('v1', 'ConfigMap', 'settings', { data: { pool: '12' } })),
  },
  'a policy of the fault is deleted': {
    injected: [plain('networking.k8s.io/v1', 'NetworkPolicy', 'deny', { spec: {} })],
    act: (record) => record.remove(plain('networking.k8s.io/v1', 'NetworkPolicy', 'deny', { spec: {} })),
  },
  'a node is cordoned and the scope permits it': {
    act: (record) =>
      record.change(plain('v1', 'Node', 'node-1', { spec: { unschedulable: true } })).replacePod('stock'),
    fault: scope({ nodes: true }),
  },
  'the control plane taints a node': {
    act: (record) =>
      record.change(
        plain('v1', 'Node', 'node-1', {
          spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
        }),
      ),
  },
  'the API server gives a Service another address': {
    act: (record) => record.change(withSpec(baselineObject('Service', 'front'), { clusterIP: '10.0.0.9' })),
  },
  'a controller counts revisions': {
    act: (record) => {
      const front = deployment('front')
      const annotations = { 'deployment.kubernetes.io/revision': '2' }
      return record.change({ ...front, metadata: { ...front.metadata, annotations } })
    },
  },
  'an autoscaler scales up and down': {
    injected: [autoscaler],
    act: (record) => record.change(deployment('front', {}, 3)).change(deployment('front')),
  },
  'a finished pod outside the fault is deleted': {
    injected: [{ ...pod('stock', 'old', 'stock-old'), status: { phase: 'Failed' } }],
    act: (record) => record.remove({ ...pod('stock', 'old', 'stock-old'), status: { phase: 'Failed' } }),
  },
}

const DAMAGING: Readonly<Record<string, Trial & { readonly object: string }>> = {
  'a pod outside the fault is replaced': {
    object: 'Pod/stock-abc',
    act: (record) => record.replacePod('stock'),
  },
  'a pod outside the fault is removed from its service': {
    object: 'Pod/stock-abc',
    act: (record) => {
      const stock = pod('stock', 'stock-1')
      return record.change({ ...stock, metadata: { ...stock.metadata, labels: { app: 'none' } } })
    },
  },
  'a pod of another node is replaced, although only one node may be drained': {
    object: 'Pod/front-abc',
    act: (record) => record.replacePod('front'),
    fault: scope({ nodes: true }),
  },
  'another workload is restarted': {
    object: 'Deployment/stock',
    act: (record) =>
      record.change(withTemplateMetadata(deployment('stock'), { annotations: { restartedAt: 'now' } })),
  },
  'another workload is scaled up': {
    object: 'Deployment/stock',
    act: (record) => record.change(deployment('stock', {}, 2)),
  },
  'the workload is scaled down for a moment': {
    object: 'Deployment/cart',
    act: (record) => record.change(deployment('cart', {}, 0)).change(deployment('cart')),
  },
  'an autoscaled workload is scaled to zero': {
    object: 'Deployment/front',
    injected: [autoscaler],
    act: (record) => record.change(deployment('front', {}, 0)).change(deployment('front')),
  },
  'the workload is deleted': {
    object: 'Deployment/cart',
    act: (record) => record.remove(deployment('cart')),
  },
  'limits are removed': {
    object: 'Deployment/cart',
    act: (record) => record.change(deployment('cart', { resources: {} })),
  },
  'limits are lowered': {
    object: 'Deployment/cart',
    act: (record) =>
      record.change(deployment('cart', { resources: { limits: { cpu: '100m', memory: '64Mi' } } })),
  },
  'limits are inflated': {
    object: 'Deployment/cart',
    act: (record) =>
      record.change(deployment('cart', { resources: { limits: { cpu: '2', memory: '64Mi' } } })),
  },
  'another image runs': {
    object: 'Deployment/cart',
    act: (record) => record.change(deployment('cart', { image: 'shop/cart:1.3' })),
  },
  'a bad release runs, although the scope permits only good ones': {
    object: 'Deployment/cart',
    act: (record) => record.change(deployment('cart', { image: 'shop/cart:9.9' })),
    fault: scope({ anyGoodRelease: true }),
  },
  'a probe is removed': {
    object: 'Deployment/cart',
    act: (record) => record.change(deployment('cart', { readinessProbe: undefined })),
    fault: scope({ probes: ['readinessProbe'] }),
  },
  'a probe differs': {
    object: 'Deployment/cart',
    act: (record) => record.change(deployment('cart', { readinessProbe: { tcpSocket: { port: 80 } } })),
  },
  'the scrape annotation is removed': {
    object: 'Deployment/cart',
    act: (record) => record.change(withTemplateMetadata(deployment('cart'), { annotations: {} })),
  },
  'a Service outside the fault is changed': {
    object: 'Service/front',
    act: (record) =>
      record.change(withSpec(baselineObject('Service', 'front'), { selector: { app: 'cart' } })),
  },
  'a ConfigMap outside the fault is changed': {
    object: 'ConfigMap/settings',
    act: (record) => record.change(plain('v1', 'ConfigMap', 'settings', { data: { pool: '99' } })),
  },
  'an object that the fault changed is deleted': {
    object: 'ConfigMap/settings',
    injected: [plain('v1', 'ConfigMap', 'settings', { data: { pool: '1' } })],
    act: (record) => record.remove(plain('v1', 'ConfigMap', 'settings', { data: { pool: '1' } })),
  },
  'a claim is deleted and recreated': {
    object: 'PersistentVolumeClaim/stock-data',
    act: (record) =>
      record
        .remove(baselineObject('PersistentVolumeClaim', 'stock-data'))
        .add(baselineObject('PersistentVolumeClaim', 'stock-data')),
  },
  'a node is cordoned': {
    object: 'Node/node-1',
    act: (record) => record.change(plain('v1', 'Node', 'node-1', { spec: { unschedulable: true } })),
  },
  'a node gets a taint with the prefix of the control plane': {
    object: 'Node/node-1',
    act: (record) =>
      record.change(
        plain('v1', 'Node', 'node-1', {
          spec: { taints: [{ key: 'node.kubernetes.io/maintenance', effect: 'NoSchedule' }] },
        }),
      ),
  },
  'a policy is added': {
    object: 'NetworkPolicy/mine',
    act: (record) => record.add(plain('networking.k8s.io/v1', 'NetworkPolicy', 'mine', { spec: {} })),
  },
  'an object of the laboratory is deleted': {
    object: 'StressChaos/cpu-stress-cart',
    act: (record) => record.remove(inLaboratory(stress)),
  },
  'an object of the laboratory is paused': {
    object: 'StressChaos/cpu-stress-cart',
    act: (record) => {
      const stressObject = inLaboratory(stress)
      const annotations = { 'experiment.chaos-mesh.org/pause': 'true' }
      return record.change({ ...stressObject, metadata: { ...stressObject.metadata, annotations } })
    },
  },
  'an object is added to the laboratory': {
    object: 'StressChaos/more',
    act: (record) => record.add(inLaboratory({ ...stress, metadata: { ...stress.metadata, name: 'more' } })),
  },
}

describe('nothing is broken if', () => {
  it.each(Object.entries(ALLOWED))('%s', (_, trial) => {
    expect(damageBy(trial)).toEqual([])
  })
})

describe('something is broken if', () => {
  it.each(Object.entries(DAMAGING))('%s', (_, trial) => {
    expect(damageBy(trial).map(({ object }) => object)).toContain(trial.object)
  })
})

describe('if nothing had to be changed', () => {
  const transient = problem({ faults: [{ ...POD_FAULT, shape: { kind: 'transient', forMs: 1000 } }] })

  it('waiting resolves a transient fault', () => {
    const record = prepareRecord(transient)
      .after(10, { type: 'solver-ended', outcome: 'submitted' })
      .runJourneys(1000, { slow: 5 })
      .after(10, { type: 'fault-change-started', index: 0 })
      .remove(inLaboratory(stress))
      .after(200, { type: 'fault-recovered', index: 0 })
      .runJourneys(3000, {})
    expect(judge(record.events)).toMatchObject({ outcome: 'resolved', damage: [] })
  })

  it('deleting the chaos object before the laboratory does is damage', () => {
    const record = prepareRecord(transient)
      .remove(inLaboratory(stress))
      .after(10, { type: 'solver-ended', outcome: 'submitted' })
      .runJourneys(1000, {})
      .after(10, { type: 'fault-change-started', index: 0 })
      .after(200, { type: 'fault-recovered', index: 0 })
      .runJourneys(3000, {})
    expect(judge(record.events)).toMatchObject({ outcome: 'unresolved' })
  })

  it('replacing the pod is damage', () => {
    const record = finish(prepareRecord(transient).replacePod('cart'))
    expect(judge(record.events)).toMatchObject({
      outcome: 'unresolved',
      damage: [{ object: 'Pod/cart-abc' }],
    })
  })

  it('restarting the container is damage, unless the fault had restarted it before', () => {
    const restarted = (count: number): ApiObject => ({
      ...baselineObject('Pod', 'cart-abc'),
      status: { containerStatuses: [{ name: 'main', restartCount: count }] },
    })
    const describeDamage = (record: RecordBuilder) =>
      judge(finish(record).events).damage.map(({ object, what }) => `${object} ${what}`)
    const expected = ['Pod/cart-abc was restarted, although nothing was wrong with it']
    expect(describeDamage(prepareRecord(transient).change(restarted(1)))).toEqual(expected)
    expect(
      describeDamage(prepareRecord(transient, { injected: [restarted(1)] }).change(restarted(2))),
    ).toEqual([])
  })

  it('every change in a control is damage', () => {
    const control = problem({ faults: [] })
    expect(judge(finish(prepareRecord(control)).events)).toMatchObject({ outcome: 'resolved', damage: [] })
    const changed = prepareRecord(control).add(plain('v1', 'ConfigMap', 'notes', { data: {} }))
    expect(judge(finish(changed).events)).toMatchObject({
      outcome: 'unresolved',
      damage: [{ object: 'ConfigMap/notes' }],
    })
  })
})

describe('during intermittent faults', () => {
  const shape = { kind: 'intermittent', onMs: 2000, offMs: 2000 } as const
  const twoFaults = problem({ faults: [0, 1].map(() => ({ ...POD_FAULT, shape })) })
  /** Both faults are reverted at overlapping times. */
  const startRevert = (): RecordBuilder =>
    prepareRecord(twoFaults)
      .replacePod('cart')
      .after(10, { type: 'fault-change-started', index: 0 }, { type: 'fault-change-started', index: 1 })
  const finishRevert = (record: RecordBuilder): RecordBuilder =>
    record.after(100, { type: 'fault-recovered', index: 0 }, { type: 'fault-recovered', index: 1 })
  const damagedObjects = (record: RecordBuilder): string[] =>
    judge(finish(record).events).damage.map(({ object }) => object)

  it('changes by the laboratory to its own objects are not damage', () => {
    expect(damagedObjects(finishRevert(startRevert().remove(inLaboratory(stress))))).toEqual([])
  })

  it('each intervention ends separately, even if they overlap', () => {
    expect(damagedObjects(finishRevert(startRevert()).after(5000).remove(inLaboratory(stress)))).toEqual([
      'StressChaos/cpu-stress-cart',
    ])
  })

  it('objects that the solver adds meanwhile are damage', () => {
    expect(
      damagedObjects(finishRevert(startRevert().add(plain('v1', 'ConfigMap', 'notes', { data: {} })))),
    ).toEqual(['ConfigMap/notes'])
  })
})

describe('damage that may recover', () => {
  it.each([
    [{ readyReplicas: 0, updatedReplicas: 1 }, 'has 0 of 1 pods ready'],
    [{ readyReplicas: 1, updatedReplicas: 0 }, 'has pods that are not of its current template'],
  ])('keeps an episode undecided until pods are ready, and counts if they never are: %j', (pods, what) => {
    const status = { replicas: 1, observedGeneration: 1, ...pods }
    const record = prepareRecord()
      .replacePod('cart')
      .change({ ...deployment('stock'), status })
    const earlyRecord = finish(record)
    expect(judge(earlyRecord.events)).toMatchObject({ outcome: 'unresolved', damage: [] })
    const lateEvents = earlyRecord.runJourneys(30_000, {}).events
    expect(judge(lateEvents).damage).toEqual([{ object: 'Deployment/stock', what }])
  })

  it('excludes a service that failed nearly as many calls before the fault', () => {
    const calls = (errors: number) => ({
      type: 'calls-observed' as const,
      edges: [{ from: 'front', to: 'stock', count: 50, errors }],
    })
    const outcomeOf = (errorsBefore: number, errors: number) => {
      const [first, ...others] = finish(prepareRecord().replacePod('cart'))
        .after(0, calls(0))
        .runJourneys(1000, {})
        .after(0, calls(errors)).events
      return judge([first!, { at: 0, ...calls(errorsBefore) }, ...others]).outcome
    }
    expect(outcomeOf(0, 20)).toBe('unresolved')
    expect(outcomeOf(18, 20)).toBe('resolved')
  })

  it('includes failed calls of a service outside the fault', () => {
    const calls = (errors: number) => ({
      type: 'calls-observed' as const,
      edges: [{ from: 'front', to: 'stock', count: 50, errors }],
    })
    const outcomeOf = (errors: number) => {
      const record = finish(prepareRecord().replacePod('cart')).after(0, calls(30)).runJourneys(1000, {})
      return judge(record.after(0, calls(errors)).events)
    }
    expect(outcomeOf(2)).toMatchObject({ outcome: 'resolved' })
    expect(outcomeOf(20)).toMatchObject({ outcome: 'unresolved' })
  })

  it('excludes a burst of failures once enough calls have succeeded after it', () => {
    const calls = (count: number, errors: number) => ({
      type: 'calls-observed' as const,
      edges: [{ from: 'front', to: 'stock', count, errors }],
    })
    const outcomeOf = (later: { seconds: number; count: number; errors: number }) => {
      let record = finish(prepareRecord().replacePod('cart')).after(0, calls(0, 0)).after(500, calls(15, 15))
      for (let second = 0; second < later.seconds; second += 1)
        record = record.runJourneys(1000, {}).after(0, calls(later.count, later.errors))
      return judge(record.events).outcome
    }
    expect(outcomeOf({ seconds: 12, count: 4, errors: 0 })).toBe('resolved')
    expect(outcomeOf({ seconds: 6, count: 4, errors: 0 })).toBe('unresolved')
    expect(outcomeOf({ seconds: 12, count: 1, errors: 0 })).toBe('unresolved')
    expect(outcomeOf({ seconds: 30, count: 4, errors: 1 })).toBe('unresolved')
  })
})
