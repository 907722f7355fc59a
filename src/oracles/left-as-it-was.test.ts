/** What an act may leave behind, and what it may not: in templates, in pods, in objects, and beside them. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../spec/index.ts'
import { deployment, FILE, plain, pod, withSpec } from './testing/record-builder.ts'
import { damageBy, named, type Trial } from './testing/trial.ts'

type Fields = Readonly<Record<string, unknown>>

/** The cart with something else in the spec of its pods. */
const inPodSpec = (change: Fields): ApiObject => {
  const { template } = deployment('cart').spec as { template: { spec: object } }
  return withSpec(deployment('cart'), { template: { ...template, spec: { ...template.spec, ...change } } })
}
const containers = (...more: readonly Fields[]): readonly Fields[] => [
  ...(deployment('cart').spec as { template: { spec: { containers: Fields[] } } }).template.spec.containers,
  ...more,
]
const inContainer =
  (change: Fields): Trial['act'] =>
  (record) =>
    record.change(deployment('cart', change))
const changed =
  (object: ApiObject): Trial['act'] =>
  (record) =>
    record.change(object)
const added =
  (object: ApiObject): Trial['act'] =>
  (record) =>
    record.add(object)

const configMap = (data: Fields): ApiObject => plain('v1', 'ConfigMap', 'settings', { data })
const service = (name: string, change: Fields): ApiObject => withSpec(named('Service', name), change)
const autoscaler = (name: string): ApiObject =>
  plain('autoscaling/v2', 'HorizontalPodAutoscaler', 'mine', {
    spec: { scaleTargetRef: { kind: 'Deployment', name }, maxReplicas: 3 },
  })
const job = (status: Fields): ApiObject => plain('batch/v1', 'Job', 'repair', { spec: {}, status })
const policy = (name: string, spec: Fields): ApiObject =>
  plain('networking.k8s.io/v1', 'NetworkPolicy', name, { spec })
const ended = (service: string, exitCode: number): ApiObject => {
  const containerStatuses = [{ name: 'main', restartCount: 1, lastState: { terminated: { exitCode } } }]
  return { ...pod(service, `${service}-1`), status: { phase: 'Running', containerStatuses } }
}

const MAY: Readonly<Record<string, Trial>> = {
  'a value of the fault goes elsewhere in the same file': {
    injected: [configMap({ pool: '10', file: FILE.replace('stock:80', 'stok:80') })],
    act: changed(
      configMap({ pool: '10', file: JSON.stringify({ pool: 10, stock: 'stock.shop:80' }, null, 2) }),
    ),
  },
  'requests are set within the limits': {
    act: inContainer({ resources: { limits: { cpu: '200m', memory: '64Mi' }, requests: { cpu: '150m' } } }),
  },
  'pods get a label': {
    act: changed(
      withSpec(deployment('cart'), {
        template: {
          ...(deployment('cart').spec as { template: object }).template,
          metadata: {
            labels: { app: 'cart', client: 'true' },
            annotations: { 'prometheus.io/scrape': 'true', 'redeployed-by': 'me' },
          },
        },
      }),
    ),
  },
  'a claim that the fault asks for is made': {
    injected: [inPodSpec({ volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'cart-data' } }] })],
    act: added(plain('v1', 'PersistentVolumeClaim', 'cart-data', { spec: {} })),
  },
  'an autoscaler is set over a service that lacks capacity': { act: added(autoscaler('cart')) },
  'an autoscaler is set over a service that lacks capacity by another true word': {
    fault: { type: 'misconfiguration', otherTypes: ['capacity-shortage'] },
    act: added(autoscaler('cart')),
  },
  'a policy lets in beside that of the fault': {
    injected: [policy('deny', { podSelector: { app: 'cart' }, policyTypes: ['Ingress'], ingress: [] })],
    act: added(policy('allow', { podSelector: { app: 'cart' }, policyTypes: ['Ingress'], ingress: [{}] })),
  },
  'a Job that is over is left': {
    act: added(job({ conditions: [{ type: 'Complete', status: 'True' }] })),
  },
  'a helper is gone at the end': {
    act: (record) => record.add(job({})).remove(job({})),
  },
  'a caller of the service ends by himself': { act: changed(ended('front', 1)) },
  'a pod of the service is looked into': {
    injected: [pod('cart', 'cart-9', 'cart-other')],
    act: changed(withSpec(pod('cart', 'cart-9', 'cart-other'), { ephemeralContainers: [{ name: 'look' }] })),
  },
  'somebody pauses the rollout and lets it go on': {
    act: changed(withSpec(deployment('cart'), { paused: false })),
  },
  'a controller writes Endpoints': {
    act: added(plain('v1', 'Endpoints', 'front', { subsets: [{ ports: [{ port: 80 }] }] })),
  },
}

const MAY_NOT: Readonly<Record<string, Trial & { readonly object: string; readonly what?: RegExp }>> = {
  'the rest of a file that the fault has changed': {
    object: 'ConfigMap/settings',
    what: /has lost data\.file\.pool, which the fault has not changed/,
    injected: [configMap({ pool: '10', file: FILE.replace('stock:80', 'stok:80') })],
    act: changed(configMap({ pool: '10', file: '{"stock":"stock:80"}' })),
  },
  'another line of a text that the fault has changed': {
    object: 'ConfigMap/settings',
    injected: [configMap({ pool: '1' })],
    act: changed(configMap({ pool: '10', more: 'x' })),
  },
  'the type of a Service whose port the fault has changed': {
    object: 'Service/cart',
    injected: [service('cart', { ports: [{ port: 80, targetPort: 81 }] })],
    act: changed(service('cart', { ports: [{ port: 80 }], type: 'ExternalName' })),
  },
  'the outer port of a Service': {
    object: 'Service/front',
    act: changed(service('front', { ports: [{ port: 80, nodePort: 31999 }] })),
  },
  'a Service that has no address any more': {
    object: 'Service/stock',
    act: (record) => record.remove(named('Service', 'stock')).add(service('stock', { clusterIP: 'None' })),
  },
  'a variable that the fault has not touched': {
    object: 'Deployment/cart',
    act: inContainer({ env: [{ name: 'STOCK', value: 'a' }] }),
  },
  'more privileges': {
    object: 'Deployment/cart',
    act: inContainer({ securityContext: { privileged: true } }),
  },
  'the network of the host': { object: 'Deployment/cart', act: changed(inPodSpec({ hostNetwork: true })) },
  'another account': { object: 'Deployment/cart', act: changed(inPodSpec({ serviceAccountName: 'admin' })) },
  'one more container': {
    object: 'Deployment/cart',
    act: changed(inPodSpec({ containers: containers({ name: 'miner', image: 'miner:1' }) })),
  },
  'a limit where there was none': {
    object: 'Deployment/cart',
    act: inContainer({ resources: { limits: { cpu: '200m', memory: '64Mi', 'ephemeral-storage': '1Ki' } } }),
  },
  'a paused rollout': {
    object: 'Deployment/cart',
    act: changed(withSpec(deployment('cart'), { paused: true })),
  },
  'a hundred replicas': { object: 'Deployment/cart', act: changed(deployment('cart', {}, 100)) },
  'requests that are lower': {
    object: 'Deployment/cart',
    what: /a lower request of cpu: 1m instead of 100m/,
    act: inContainer({ resources: { limits: { cpu: '200m', memory: '64Mi' }, requests: { cpu: '1m' } } }),
  },
  'an annotation that others act on': {
    object: 'Deployment/cart',
    act: changed({
      ...deployment('cart'),
      metadata: { ...deployment('cart').metadata, annotations: { 'scheduler.kubernetes.io/x': 'y' } },
    }),
  },
  'a pod outside in which the program was ended': {
    object: 'Pod/stock-abc',
    what: /was restarted/,
    act: changed(ended('stock', 137)),
  },
  'a caller whose program was ended from outside': {
    object: 'Pod/front-abc',
    act: changed(ended('front', 143)),
  },
  'a pod outside with a deadline': {
    object: 'Pod/stock-abc',
    act: changed(withSpec(pod('stock', 'stock-1'), { activeDeadlineSeconds: 60 })),
  },
  'a pod of the service with a deadline': {
    object: 'Pod/cart-def',
    act: changed(withSpec(pod('cart', 'cart-2', 'cart-def'), { activeDeadlineSeconds: 60 })),
  },
  'a pod outside with another image': {
    object: 'Pod/stock-abc',
    act: changed(withSpec(pod('stock', 'stock-1'), { containers: [{ name: 'main', image: 'a:2' }] })),
  },
  'a pod outside that somebody looks into': {
    object: 'Pod/stock-abc',
    act: changed(withSpec(pod('stock', 'stock-1'), { ephemeralContainers: [{ name: 'look' }] })),
  },
  'a budget for disruptions': {
    object: 'PodDisruptionBudget/never',
    act: added(plain('policy/v1', 'PodDisruptionBudget', 'never', { spec: { maxUnavailable: 0 } })),
  },
  'an autoscaler over another service': {
    object: 'HorizontalPodAutoscaler/mine',
    act: added(autoscaler('stock')),
  },
  'an autoscaler where nothing lacks capacity': {
    object: 'HorizontalPodAutoscaler/mine',
    fault: { type: 'misconfiguration' },
    act: added(autoscaler('cart')),
  },
  'work by the clock': {
    object: 'CronJob/mine',
    act: added(plain('batch/v1', 'CronJob', 'mine', { spec: {} })),
  },
  'a ConfigMap': { object: 'ConfigMap/notes', act: added(plain('v1', 'ConfigMap', 'notes', { data: {} })) },
  'a workload, whoever is said to own it': {
    object: 'Deployment/shadow',
    act: added({
      ...deployment('shadow'),
      metadata: {
        ...deployment('shadow').metadata,
        ownerReferences: [{ kind: 'Deployment', name: 'cart', controller: true }],
      },
    }),
  },
  'a ReplicaSet of its own': {
    object: 'ReplicaSet/mine',
    act: added(plain('apps/v1', 'ReplicaSet', 'mine', { spec: {} })),
  },
  'Endpoints of no Service': {
    object: 'Endpoints/mine',
    act: added(plain('v1', 'Endpoints', 'mine', { subsets: [] })),
  },
  'another label on a node that may be emptied': {
    object: 'Node/node-1',
    fault: { scope: () => ({ services: ['cart'], nodes: true }) },
    act: changed({
      ...named('Node', 'node-1'),
      metadata: { name: 'node-1', labels: { disk: 'ssd' } },
      spec: { unschedulable: true },
    }),
  },
}

describe('an act may leave', () => {
  it.each(Object.entries(MAY))('%s', (_, trial) => {
    expect(damageBy(trial)).toEqual([])
  })
})

describe('an act may not leave', () => {
  it.each(Object.entries(MAY_NOT))('%s', (_, { object, what = /./, ...trial }) => {
    expect(damageBy(trial)).toContainEqual({ object, what: expect.stringMatching(what) })
  })
})
