/** The objects of a small shop: a frontend calls a cart, which uses a store. */
import type { Alert, ApiObject, ClusterEvent, EdgeStatistics, LogLine } from '#spec'
import type { Usage } from '../observe/usage.ts'
import { NAMESPACE } from './fake-cluster.ts'

type Fields = Readonly<Record<string, any>>

export const toObject = (apiVersion: string, kind: string, name: string, content: Fields): ApiObject => {
  const { metadata = {}, ...fields } = content
  return {
    apiVersion,
    kind,
    metadata: { name, namespace: NAMESPACE, uid: `${kind}-${name}`, generation: 1, ...metadata },
    ...fields,
  }
}

export const podTemplate = (service: string, main: Fields = {}, fields: Fields = {}): Fields => ({
  metadata: { labels: { app: service }, ...(fields.metadata ?? {}) },
  spec: {
    ...fields.spec,
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

/** `previous` is the pod template of the previous revision. */
export const deployment = (
  service: string,
  {
    now = podTemplate(service),
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
  const replicaSet = (revision: number, revisionTemplate: Fields): ApiObject =>
    toObject('apps/v1', 'ReplicaSet', `${service}-${revision}`, {
      metadata: { ...owner.metadata, annotations: { 'deployment.kubernetes.io/revision': String(revision) } },
      spec: {
        replicas,
        template: {
          ...revisionTemplate,
          metadata: {
            ...revisionTemplate.metadata,
            labels: { ...revisionTemplate.metadata.labels, 'pod-template-hash': `h${revision}` },
          },
        },
      },
    })
  const newest = previous === undefined ? 1 : 2
  return [
    toObject('apps/v1', 'Deployment', service, {
      metadata: { annotations: { 'deployment.kubernetes.io/revision': String(newest) } },
      spec: { replicas, selector: { matchLabels: { app: service } }, template: now },
      status: { replicas, readyReplicas: ready, updatedReplicas: replicas, observedGeneration: 1 },
    }),
    replicaSet(newest, now),
    ...(previous === undefined ? [] : [replicaSet(1, previous)]),
  ]
}

export const pod = (service: string, fields: Fields = {}): ApiObject => {
  const { name = `${service}-abc`, ready = true, node = 'node-1', labels = {}, status = {}, ...spec } = fields
  const { spec: podSpec } = podTemplate(service)
  return toObject('v1', 'Pod', name, {
    metadata: { labels: { app: service, ...labels }, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { ...podSpec, ...(node === null ? {} : { nodeName: node }), ...spec },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      containerStatuses: [{ name: 'server', ready, restartCount: 0, state: { running: {} } }],
      ...status,
    },
  })
}

/** `reason` is why its container is waiting. */
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
  toObject('v1', 'Service', name, {
    spec: { selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }], ...spec },
  })

export const configMap = (name: string, data: Fields): ApiObject =>
  toObject('v1', 'ConfigMap', name, { data })

export const secret = (name: string, values: Readonly<Record<string, string>>): ApiObject =>
  toObject('v1', 'Secret', name, {
    data: Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    ),
  })

/** A healthy shop. The given objects replace those of the same kind and name. */
export const shopObjects = (...replacements: readonly ApiObject[]): ApiObject[] => {
  const healthyObjects = ['frontend', 'cart', 'store'].flatMap((name) => [
    ...deployment(name),
    ...(replacements.some(
      (candidate) => candidate.kind === 'Pod' && (candidate.metadata.labels as any)?.app === name,
    )
      ? []
      : [pod(name)]),
    service(name),
  ])
  const isReplaced = (candidate: ApiObject): boolean =>
    replacements.some(
      ({ kind, metadata }) => kind === candidate.kind && metadata.name === candidate.metadata.name,
    )
  return [...healthyObjects.filter((candidate) => !isReplaced(candidate)), ...replacements]
}

export const edge = (from: string, to: string, fields: Partial<EdgeStatistics> = {}): EdgeStatistics => ({
  from,
  to,
  count: 50,
  rate: 10,
  errors: 0,
  errorRate: 0,
  p50: 5,
  p95: 12,
  p99: 20,
  ...fields,
})

export const BASELINE: readonly EdgeStatistics[] = [edge('frontend', 'cart'), edge('cart', 'store')]

export const failingEdge = (from: string, to: string): EdgeStatistics =>
  edge(from, to, { errors: 50, errorRate: 1 })

export const slowEdge = (from: string, to: string, ms: number): EdgeStatistics =>
  edge(from, to, { p50: ms, p95: ms + 20 })

export const usage = (serviceName: string, fields: Partial<Usage> = {}): Usage => ({
  service: serviceName,
  pod: `${serviceName}-abc`,
  container: 'server',
  cpuCores: 0.02,
  cpuLimitCores: 0.2,
  throttledShare: 0,
  memoryBytes: 50 * 2 ** 20,
  memoryLimitBytes: 256 * 2 ** 20,
  ...fields,
})

export const logLine = (serviceName: string, text: string): LogLine => ({
  time: 1,
  namespace: NAMESPACE,
  service: serviceName,
  pod: `${serviceName}-abc`,
  container: 'server',
  severity: 'error',
  text,
})

export const event = (reason: string, objectName: string, message: string): ClusterEvent => ({
  time: 1,
  type: 'Warning',
  reason,
  object: objectName,
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
