/** Tests that correct repairs that differ from the reference are not damage. */
import { describe, expect, it } from 'vitest'
import type { ApiObject, Damage, Fault } from '#spec'
import {
  deployment,
  POD_FAULT,
  plain,
  pod,
  prepareRecord,
  problem,
  withSpec,
} from '../testing/record-builder.ts'
import { baselineObject, damageBy, finish, judge, type Trial } from '../testing/trial.ts'

it('accepts waiting for the end of a transient fault that changed a pod in place', () => {
  const broken = withSpec(baselineObject('Pod', 'cart-abc'), {
    containers: [{ name: 'main', image: 'pause:latest' }],
  })
  const healthy = baselineObject('Pod', 'cart-abc')
  const transient = problem({ faults: [{ ...POD_FAULT, shape: { kind: 'transient', forMs: 1000 } }] })
  const recoveredAs = (after: ApiObject) =>
    prepareRecord(transient, { injected: [broken] })
      .after(10, { type: 'solver-ended', outcome: 'submitted' })
      .runJourneys(1000, { failing: 1 })
      .after(10, { type: 'fault-change-started', index: 0 })
      .change(after)
      .after(200, { type: 'fault-recovered', index: 0 })
      .runJourneys(3000, {})
  expect(judge(recoveredAs(healthy).events)).toMatchObject({ outcome: 'resolved', damage: [] })
  const changed = withSpec(healthy, { containers: [{ name: 'main', image: 'shop/other:1' }] })
  expect(judge(recoveredAs(changed).events)).toMatchObject({ outcome: 'unresolved' })
})

it('accepts moving all affected services away from a degraded node', () => {
  const degradedNode: Partial<Fault> = {
    scope: () => ({ services: ['cart'], nodes: true }),
    isGone: () => ({ holds: true, evidence: 'no pod is left' }),
  }
  const restarted = (name: string): ApiObject => {
    const { template } = deployment(name).spec as { template: { metadata: { annotations: object } } }
    const annotations = { ...template.metadata.annotations, 'kubectl.kubernetes.io/restartedAt': 'now' }
    return withSpec(deployment(name), {
      template: { ...template, metadata: { ...template.metadata, annotations } },
    })
  }
  const damageOf = (name: string) => {
    const record = prepareRecord(problem(), { state: { services: ['cart', 'stock'] } })
      .change(plain('v1', 'Node', 'node-1', { spec: { unschedulable: true } }))
      .replacePod('cart')
      .replacePod(name)
      .change(restarted(name))
    return judge(finish(record).events, degradedNode).damage.map(({ object }) => object)
  }
  expect(damageOf('stock')).toEqual([])
  expect(damageOf('front')).toContain('Deployment/front')
  expect(pod('front', 'front-1').spec).toMatchObject({ nodeName: 'node-2' })
})

type Fields = Readonly<Record<string, unknown>>

/** The workload with changed labels, annotations or fields of its pod spec. */
const changedCart = (metadata: Fields, podSpec: Fields = {}): ApiObject => {
  const cart = deployment('cart')
  const { template } = cart.spec as { template: { spec: Fields } }
  return {
    ...withSpec(cart, { template: { ...template, spec: { ...template.spec, ...podSpec } } }),
    metadata: { ...cart.metadata, ...metadata },
  }
}
const wrongEnv = { env: [{ name: 'STOCK', value: 'stok:80' }] }
const changeTo =
  (object: ApiObject): Trial['act'] =>
  (record) =>
    record.change(object)
const configMap = (name: string, data: Fields): ApiObject => plain('v1', 'ConfigMap', name, { data })
const policy = (name: string, spec: Fields): ApiObject =>
  plain('networking.k8s.io/v1', 'NetworkPolicy', name, { spec: { policyTypes: ['Ingress'], ...spec } })
const cartPods = { podSelector: { matchLabels: { app: 'cart' } } }

/** The cart with a volume from a ConfigMap. */
const cartMounting = (map: string): ApiObject => {
  const [container] = (deployment('cart').spec as { template: { spec: { containers: Fields[] } } }).template
    .spec.containers
  return changedCart(
    {},
    {
      volumes: [{ name: 'settings', configMap: { name: map } }],
      containers: [{ ...container, volumeMounts: [{ name: 'settings', mountPath: '/etc/cart' }] }],
    },
  )
}

describe('accepts', () => {
  it.each<[string, Trial]>([
    [
      'incident labels and annotations on the repaired workload',
      {
        injected: [deployment('cart', wrongEnv)],
        act: changeTo(
          changedCart({
            labels: { incident: 'INC-1', 'app.kubernetes.io/managed-by': 'Helm' },
            annotations: {
              'meta.helm.sh/release-name': 'cart',
              'kubectl.kubernetes.io/default-container': 'main',
            },
          }),
        ),
      },
    ],
    [
      'incident labels and annotations on the repaired Service',
      {
        injected: [withSpec(baselineObject('Service', 'cart'), { selector: { app: 'kart' } })],
        act: changeTo({
          ...baselineObject('Service', 'cart'),
          metadata: {
            ...baselineObject('Service', 'cart').metadata,
            labels: { incident: 'INC-1' },
            annotations: { 'argocd.argoproj.io/tracking-id': 'shop:/Service:shop/cart' },
          },
        }),
      },
    ],
    [
      'deleting and recreating the workload',
      {
        injected: [deployment('cart', wrongEnv)],
        act: (record) => record.remove(deployment('cart', wrongEnv)).add(changedCart({ uid: 'new' })),
      },
    ],
    [
      'deleting and recreating a workload that is only in the scope',
      {
        fault: { scope: () => ({ services: ['cart', 'front'] }) },
        act: (record) => record.remove(deployment('front')).add(deployment('front')),
      },
    ],
    [
      'scaling work that the fault added to zero',
      { injected: [deployment('report')], act: changeTo(deployment('report', {}, 0)) },
    ],
    [
      'recreating work that the fault added with other requests',
      {
        injected: [deployment('report')],
        act: (record) =>
          record.remove(deployment('report')).add(deployment('report', { resources: { requests: {} } })),
      },
    ],
    [
      'deleting work that the fault added, in records with older rules',
      { injected: [deployment('report')], rules: 4, act: (record) => record.remove(deployment('report')) },
    ],
    [
      'a policy with an expression next to the policy of the fault',
      {
        injected: [policy('deny', { ...cartPods, ingress: [] })],
        act: (record) =>
          record.add(
            policy('allow', {
              podSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['cart'] }] },
              ingress: [{ from: [{ podSelector: { matchLabels: { app: 'front' } } }] }],
            }),
          ),
      },
    ],
    [
      'a policy with an address block next to the policy of the fault',
      {
        injected: [
          policy('deny', { ...cartPods, ingress: [] }),
          plain('v1', 'Node', 'node-1', { spec: { podCIDR: '10.244.1.0/24' } }),
        ],
        act: (record) =>
          record.add(
            policy('allow', { ...cartPods, ingress: [{ from: [{ ipBlock: { cidr: '10.244.0.0/16' } }] }] }),
          ),
      },
    ],
    [
      'ten times as many pods of a service that lacks capacity',
      { act: changeTo(deployment('cart', {}, 10)) },
    ],
    [
      'a preference for nodes',
      {
        act: changeTo(
          changedCart(
            {},
            {
              affinity: {
                nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1 }] },
              },
            },
          ),
        ),
      },
    ],
  ])('%s', (_, trial) => {
    expect(damageBy(trial)).toEqual([])
  })

  /** The damage of a repair, if the fault changed a line of a ConfigMap that the cart mounts. */
  const damageOfRepair = (repair: Trial['act']): readonly Damage[] => {
    const record = prepareRecord(problem(), {
      baseline: [cartMounting('settings-1'), configMap('settings-1', { file: 'a=1\nb=2' })],
      injected: [configMap('settings-1', { file: 'a=1\nb=3' })],
    })
    return judge(finish(repair(record.replacePod('cart'))).events).damage
  }

  it('a corrected ConfigMap under a new name, in addition to the old one or instead of it', () => {
    const corrected = configMap('settings-2', { file: 'a=1\nb=2' })
    expect(damageOfRepair((record) => record.add(corrected).change(cartMounting('settings-2')))).toEqual([])
    expect(
      damageOfRepair((record) =>
        record.add(corrected).change(cartMounting('settings-2')).remove(configMap('settings-1', {})),
      ),
    ).toEqual([])
  })

  it('neither a wrong or unused new ConfigMap, nor the deletion of one that pods read', () => {
    const object = 'Deployment/cart'
    const other = configMap('settings-2', { file: 'a=9\nb=2' })
    expect(damageOfRepair((record) => record.add(other).change(cartMounting('settings-2')))).toContainEqual({
      object,
      what: expect.stringContaining('files'),
    })
    expect(damageOfRepair((record) => record.add(other).change(cartMounting('settings-1')))).toContainEqual({
      object: 'ConfigMap/settings-2',
      what: 'was added and not removed',
    })
    expect(
      damageOfRepair((record) =>
        record.change(cartMounting('settings-1')).remove(configMap('settings-1', {})),
      ),
    ).toContainEqual({ object: 'ConfigMap/settings-1', what: 'was deleted' })
  })
})

describe('does not accept', () => {
  it.each<[string, Trial, string]>([
    [
      'recreating the workload with another template',
      { act: (record) => record.remove(deployment('cart')).add(deployment('cart', { resources: {} })) },
      'Deployment/cart',
    ],
    [
      'recreating the workload with fewer replicas',
      { act: (record) => record.remove(deployment('cart')).add(deployment('cart', {}, 0)) },
      'Deployment/cart',
    ],
    [
      'deleting work that the fault added',
      { injected: [deployment('report')], act: (record) => record.remove(deployment('report')) },
      'Deployment/report',
    ],
    [
      'recreating another workload',
      { act: (record) => record.remove(deployment('stock')).add(deployment('stock')) },
      'Deployment/stock',
    ],
    [
      'recreating a workload that is only in the scope, in records with older rules',
      {
        fault: { scope: () => ({ services: ['cart', 'front'] }) },
        rules: 2,
        act: (record) => record.remove(deployment('front')).add(deployment('front')),
      },
      'Deployment/front',
    ],
    [
      'an annotation that programs act on',
      { act: changeTo(changedCart({ annotations: { 'prometheus.io/scrape': 'false' } })) },
      'Deployment/cart',
    ],
    [
      'a label that excludes a repaired Service from the proxy',
      {
        injected: [withSpec(baselineObject('Service', 'cart'), { selector: { app: 'kart' } })],
        act: changeTo({
          ...baselineObject('Service', 'cart'),
          metadata: {
            ...baselineObject('Service', 'cart').metadata,
            labels: { 'service.kubernetes.io/service-proxy-name': 'none' },
          },
        }),
      },
      'Service/cart',
    ],
    [
      'labels on an object that was not repaired',
      {
        act: changeTo({
          ...baselineObject('Service', 'stock'),
          metadata: { ...baselineObject('Service', 'stock').metadata, labels: { incident: 'INC-1' } },
        }),
      },
      'Service/stock',
    ],
    [
      'a second policy that admits only some addresses',
      {
        injected: [
          policy('deny', { ...cartPods, ingress: [] }),
          plain('v1', 'Node', 'node-1', { spec: { podCIDR: '10.244.1.0/24' } }),
        ],
        act: (record) =>
          record.add(
            policy('allow', { ...cartPods, ingress: [{ from: [{ ipBlock: { cidr: '10.244.1.7/32' } }] }] }),
          ),
      },
      'NetworkPolicy/allow',
    ],
    [
      'a new policy if the fault added none',
      { act: (record) => record.add(policy('allow', { ...cartPods, ingress: [{}] })) },
      'NetworkPolicy/allow',
    ],
    [
      'a required affinity',
      {
        act: changeTo(
          changedCart(
            {},
            {
              affinity: {
                nodeAffinity: {
                  requiredDuringSchedulingIgnoredDuringExecution: {
                    nodeSelectorTerms: [{ matchFields: [{ key: 'a' }] }],
                  },
                },
              },
            },
          ),
        ),
      },
      'Deployment/cart',
    ],
  ])('%s', (_, trial, object) => {
    expect(damageBy(trial)).toContainEqual({ object, what: expect.any(String) })
  })
})
