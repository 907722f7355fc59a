/** Objects of a small shop: a frontend that calls a cart, which keeps what it has in a store. */
import type { Alert, ApiObject, ClusterEvent, EdgeStatistics, LogLine } from '../../../spec/index.ts'
import type { Usage } from '../observe/usage.ts'
import { NAMESPACE } from './fake-cluster.ts'

type Fields = Readonly<Record<string, any>>

const object = (apiVersion: string, kind: string, name: string, rest: Fields): ApiObject => {
  const { metadata = {}, ...fields } = rest
  return {
    apiVersion,
    kind,
    metadata: { name, namespace: NAMESPACE, uid: `${kind}-${name}`, generation: 1, ...metadata },
    ...fields,
  }
}

export const template = (service: string, main: Fields = {}, rest: Fields = {}): Fields => ({
  metadata: { labels: { app: service }, ...(rest.metadata ?? {}) },
  spec: {
    ...rest.spec,
    containers: [
      {
        name: 'server',
        image: `${service}:1.0.0`,
        ports: [{ containerPort: 8080 }],
        resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '200m', memory: '256Mi' } },
        ...main,
      },
    ],
  },
})

/** `previous`: what its pods were made from before. */
export const deployment = (
  service: string,
  {
    now = template(service),
    previous,
    replicas = 1,
    ready = replicas,
  }: {
    now?: Fields
    previous?: Fields
    replicas?: number
    ready?: number
  } = {},
): readonly ApiObject[] => {
  const owner = { metadata: { ownerReferences: [{ uid: `Deployment-${service}` }] } }
  const set = (revision: number, of: Fields): ApiObject =>
    object('apps/v1', 'ReplicaSet', `${service}-${revision}`, {
      metadata: { ...owner.metadata, annotations: { 'deployment.kubernetes.io/revision': String(revision) } },
      spec: {
        replicas,
        template: {
          ...of,
          metadata: {
            ...of.metadata,
            labels: { ...of.metadata.labels, 'pod-template-hash': `h${revision}` },
          },
        },
      },
    })
  const newest = previous === undefined ? 1 : 2
  return [
    object('apps/v1', 'Deployment', service, {
      metadata: { annotations: { 'deployment.kubernetes.io/revision': String(newest) } },
      spec: { replicas, selector: { matchLabels: { app: service } }, template: now },
      status: { replicas, readyReplicas: ready, updatedReplicas: replicas, observedGeneration: 1 },
    }),
    set(newest, now),
    ...(previous === undefined ? [] : [set(1, previous)]),
  ]
}

export const pod = (service: string, rest: Fields = {}): ApiObject => {
  const { name = `${service}-abc`, ready = true, node = 'node-1', labels = {}, status = {}, ...spec } = rest
  const { spec: own } = template(service)
  return object('v1', 'Pod', name, {
    metadata: { labels: { app: service, ...labels }, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { ...own, ...(node === null ? {} : { nodeName: node }), ...spec },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      containerStatuses: [{ name: 'server', ready, restartCount: 0, state: { running: {} } }],
      ...status,
    },
  })
}

/** `reason`: why its container waits. */
export const waitingPod = (service: string, reason: string, message = ''): ApiObject =>
  pod(service, {
    ready: false,
    status: {
      phase: 'Pending',
      containerStatuses: [{ name: 'server', ready: false, state: { waiting: { reason, message } } }],
    },
  })

export const pendingPod = (service: string, message: string): ApiObject =>
  pod(service, {
    ready: false,
    node: null,
    status: {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
      containerStatuses: [],
    },
  })

export const service = (name: string, spec: Fields = {}): ApiObject =>
  object('v1', 'Service', name, {
    spec: { selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }], ...spec },
  })

export const configMap = (name: string, data: Fields): ApiObject => object('v1', 'ConfigMap', name, { data })

export const secret = (name: string, values: Readonly<Record<string, string>>): ApiObject =>
  object('v1', 'Secret', name, {
    data: Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    ),
  })

export const other = object

/** A whole shop in which all is well; what is given stands in for its own of the same kind and name. */
export const shop = (...instead: readonly ApiObject[]): ApiObject[] => {
  const own = ['frontend', 'cart', 'store'].flatMap((name) => [
    ...deployment(name),
    ...(instead.some((one) => one.kind === 'Pod' && (one.metadata.labels as any)?.app === name)
      ? []
      : [pod(name)]),
    service(name),
  ])
  const isReplaced = (one: ApiObject): boolean =>
    instead.some(({ kind, metadata }) => kind === one.kind && metadata.name === one.metadata.name)
  return [...own.filter((one) => !isReplaced(one)), ...instead]
}

export const edge = (from: string, to: string, rest: Partial<EdgeStatistics> = {}): EdgeStatistics => ({
  from,
  to,
  count: 50,
  rate: 10,
  errors: 0,
  errorRate: 0,
  p50: 5,
  p95: 12,
  p99: 20,
  ...rest,
})

export const CALM: readonly EdgeStatistics[] = [edge('frontend', 'cart'), edge('cart', 'store')]

export const failing = (from: string, to: string): EdgeStatistics =>
  edge(from, to, { errors: 50, errorRate: 1 })

export const slow = (from: string, to: string, ms: number): EdgeStatistics =>
  edge(from, to, { p50: ms, p95: ms + 20 })

export const usage = (serviceName: string, rest: Partial<Usage> = {}): Usage => ({
  service: serviceName,
  pod: `${serviceName}-abc`,
  container: 'server',
  cpuCores: 0.02,
  cpuLimitCores: 0.2,
  throttledShare: 0,
  memoryBytes: 50 * 2 ** 20,
  memoryLimitBytes: 256 * 2 ** 20,
  ...rest,
})

export const line = (serviceName: string, text: string): LogLine => ({
  time: 1,
  namespace: NAMESPACE,
  service: serviceName,
  pod: `${serviceName}-abc`,
  container: 'server',
  severity: 'error',
  text,
})

export const event = (reason: string, of: string, message: string): ClusterEvent => ({
  time: 1,
  type: 'Warning',
  reason,
  object: of,
  message,
  count: 1,
})

export const alert = (name: string, summary: string): Alert => ({
  name,
  severity: 'page',
  labels: {},
  summary,
  raised: 1,
})
