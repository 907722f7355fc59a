/** One valid object of every writable kind, from which invalid ones are generated. */

export interface ObjectTemplate {
  /** Such as `/apis/apps/v1`. */
  root: string
  plural: string
  namespaced: boolean
  /** The object, without metadata. */
  object: Record<string, unknown>
}

const container = { name: 'c', image: 'busybox:1.36', ports: [{ containerPort: 80, name: 'web' }] }
const labels = { app: 'web' }
const podTemplate = { metadata: { labels }, spec: { containers: [container] } }
const selector = { matchLabels: labels }

const template = (
  root: string,
  plural: string,
  kind: string,
  fields: object = {},
  namespaced = true,
): ObjectTemplate => ({
  root,
  plural,
  namespaced,
  object: { apiVersion: root.replace(/^\/apis?\//, ''), kind, ...fields },
})

const CORE = '/api/v1'
const APPS = '/apis/apps/v1'
const RBAC = '/apis/rbac.authorization.k8s.io/v1'

export const OBJECT_TEMPLATES: readonly ObjectTemplate[] = [
  template(CORE, 'configmaps', 'ConfigMap', { data: { key: 'value' }, binaryData: { raw: 'AAEC' } }),
  template(CORE, 'secrets', 'Secret', {
    type: 'Opaque',
    data: { key: 'dmFsdWU=' },
    stringData: { more: 'x' },
  }),
  template(CORE, 'serviceaccounts', 'ServiceAccount'),
  template(CORE, 'pods', 'Pod', {
    spec: {
      containers: [
        {
          ...container,
          resources: { requests: { cpu: '10m', memory: '8Mi' } },
          env: [{ name: 'A', value: 'b' }],
        },
      ],
      volumes: [{ name: 'v', emptyDir: {} }],
      tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
    },
  }),
  template(CORE, 'services', 'Service', {
    spec: { selector: labels, type: 'NodePort', ports: [{ name: 'web', port: 80, targetPort: 'web' }] },
  }),
  template(CORE, 'endpoints', 'Endpoints', {
    subsets: [{ addresses: [{ ip: '10.1.2.3' }], ports: [{ port: 80 }] }],
  }),
  template(CORE, 'persistentvolumeclaims', 'PersistentVolumeClaim', {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }),
  template(CORE, 'resourcequotas', 'ResourceQuota', {
    spec: { hard: { pods: '500', 'requests.cpu': '100' } },
  }),
  template(CORE, 'limitranges', 'LimitRange', {
    spec: { limits: [{ type: 'Container', default: { cpu: '100m' } }] },
  }),
  template(CORE, 'events', 'Event', {
    involvedObject: { kind: 'Pod', name: 'x' },
    reason: 'R',
    message: 'm',
    type: 'Normal',
  }),
  template(CORE, 'namespaces', 'Namespace', {}, false),
  template(APPS, 'deployments', 'Deployment', { spec: { replicas: 1, selector, template: podTemplate } }),
  template(APPS, 'replicasets', 'ReplicaSet', { spec: { replicas: 1, selector, template: podTemplate } }),
  template(APPS, 'daemonsets', 'DaemonSet', { spec: { selector, template: podTemplate } }),
  template(APPS, 'statefulsets', 'StatefulSet', {
    spec: { replicas: 1, serviceName: 's', selector, template: podTemplate },
  }),
  template('/apis/batch/v1', 'jobs', 'Job', {
    spec: { completions: 1, template: { spec: { restartPolicy: 'Never', containers: [container] } } },
  }),
  template('/apis/batch/v1', 'cronjobs', 'CronJob', {
    spec: {
      schedule: '*/5 * * * *',
      jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
    },
  }),
  template('/apis/autoscaling/v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler', {
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
      minReplicas: 1,
      maxReplicas: 3,
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
        },
      ],
    },
  }),
  template('/apis/policy/v1', 'poddisruptionbudgets', 'PodDisruptionBudget', {
    spec: { minAvailable: 1, selector },
  }),
  template('/apis/networking.k8s.io/v1', 'ingresses', 'Ingress', {
    spec: {
      rules: [
        {
          host: 'a.example',
          http: {
            paths: [
              { path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } },
            ],
          },
        },
      ],
    },
  }),
  template('/apis/networking.k8s.io/v1', 'networkpolicies', 'NetworkPolicy', {
    spec: { podSelector: selector, ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }] },
  }),
  template('/apis/coordination.k8s.io/v1', 'leases', 'Lease', {
    spec: { holderIdentity: 'me', leaseDurationSeconds: 40 },
  }),
  template('/apis/discovery.k8s.io/v1', 'endpointslices', 'EndpointSlice', {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.2.4'] }],
    ports: [{ name: 'web', port: 80 }],
  }),
  template(RBAC, 'roles', 'Role', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }),
  template(RBAC, 'rolebindings', 'RoleBinding', {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' },
    subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }],
  }),
  template('/apis/scheduling.k8s.io/v1', 'priorityclasses', 'PriorityClass', { value: 10 }, false),
  template(
    '/apis/storage.k8s.io/v1',
    'storageclasses',
    'StorageClass',
    { provisioner: 'example.com/p' },
    false,
  ),
  template('/apis/shop.example/v1', 'widgets', 'Widget', {
    spec: { size: 3, colour: 'red', tags: ['a'], nested: { any: 1 } },
  }),
]

/** The CustomResourceDefinition of Widget, the last template. */
export const WIDGET_DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.shop.example' },
  spec: {
    group: 'shop.example',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' },
        },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['size'],
                properties: {
                  size: { type: 'integer', minimum: 0, maximum: 1000 },
                  colour: { type: 'string', enum: ['red', 'green'], default: 'green' },
                  tags: { type: 'array', items: { type: 'string' } },
                  nested: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
              status: { type: 'object', properties: { size: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
}
