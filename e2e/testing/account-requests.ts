/** Requests that are allowed or forbidden for the accounts of agents in a cluster with simple-micro. */
import { LABORATORY } from '#exam/episode'
import type { KubeApi } from '#spec'

export const NAMESPACE = 'simple-micro'
export const SERVICE = 'time-service'

export type AccountRequest = readonly [name: string, send: (api: KubeApi) => Promise<unknown>]

const refInSystem = (apiVersion: string, plural: string, name = '') => ({
  apiVersion,
  plural,
  namespace: NAMESPACE,
  name,
})
const chaosIn = (namespace: string) => ({
  apiVersion: 'chaos-mesh.org/v1alpha1',
  plural: 'stresschaos',
  namespace,
})
const RBAC = 'rbac.authorization.k8s.io/v1'
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'tried' } }
const refInNamespace = (plural: string, namespace: string) => ({ apiVersion: 'v1', plural, namespace })

const NODE = { apiVersion: 'v1', plural: 'nodes', name: 'node1' }
const MISSING_OWNER = { apiVersion: 'v1', kind: 'PersistentVolume', name: 'x', uid: 'x' }

/** Forbidden for every agent. */
export const FORBIDDEN: readonly AccountRequest[] = [
  ['list chaos objects', (api) => api.list(chaosIn(LABORATORY))],
  [
    'create chaos objects in the system',
    (api) =>
      api.create(chaosIn(NAMESPACE), {
        apiVersion: 'chaos-mesh.org/v1alpha1',
        kind: 'StressChaos',
        metadata: { name: 'x' },
        spec: {},
      }),
  ],
  [
    'list chaos objects in all namespaces',
    (api) => api.list({ apiVersion: 'chaos-mesh.org/v1alpha1', plural: 'podchaos' }),
  ],
  [
    'read the namespace of the laboratory',
    (api) => api.get({ apiVersion: 'v1', plural: 'namespaces', name: LABORATORY }),
  ],
  [
    'delete the namespace of the laboratory',
    (api) => api.delete({ apiVersion: 'v1', plural: 'namespaces', name: LABORATORY }),
  ],
  [
    'delete the namespace of the system',
    (api) => api.delete({ apiVersion: 'v1', plural: 'namespaces', name: NAMESPACE }),
  ],
  ['list namespaces', (api) => api.list({ apiVersion: 'v1', plural: 'namespaces' })],
  ['write to another namespace', (api) => api.create(refInNamespace('configmaps', 'kube-system'), configMap)],
  [
    'write to the namespace of its account',
    (api) => api.create(refInNamespace('configmaps', 'default'), configMap),
  ],
  ['read secrets of another namespace', (api) => api.list(refInNamespace('secrets', 'kube-system'))],
  ['read all secrets', (api) => api.list({ apiVersion: 'v1', plural: 'secrets' })],
  ['list roles', (api) => api.list({ apiVersion: RBAC, plural: 'clusterroles' })],
  ['read its role', (api) => api.get(refInSystem(RBAC, 'roles', 'operator'))],
  ['change its role', (api) => api.patch(refInSystem(RBAC, 'roles', 'operator'), 'merge', { rules: [] })],
  [
    'create a role binding',
    (api) =>
      api.create(refInSystem(RBAC, 'rolebindings'), {
        apiVersion: RBAC,
        kind: 'RoleBinding',
        metadata: { name: 'x' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [],
      }),
  ],
  [
    'get a token of another account',
    (api) =>
      api.create(
        refInSystem('v1', 'serviceaccounts', 'default'),
        { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
        { subresource: 'token' },
      ),
  ],
  [
    'create accounts',
    (api) =>
      api.create(refInSystem('v1', 'serviceaccounts'), {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'x' },
      }),
  ],
  ['delete a node', (api) => api.delete({ apiVersion: 'v1', plural: 'nodes', name: 'node1' })],
  [
    'evict the pods of a node with a taint',
    (api) =>
      api.patch(
        NODE,
        'merge',
        { spec: { taints: [{ key: 'tried', effect: 'NoExecute' }] } },
        { dryRun: true },
      ),
  ],
  [
    'set the owner of a node',
    (api) => api.patch(NODE, 'merge', { metadata: { ownerReferences: [MISSING_OWNER] } }, { dryRun: true }),
  ],
  [
    'create a claim with a missing owner',
    (api) =>
      api.create(
        refInSystem('v1', 'persistentvolumeclaims'),
        {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name: 'tried', ownerReferences: [MISSING_OWNER] },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
        },
        { dryRun: true },
      ),
  ],
  [
    'use the proxy of a node',
    (api) =>
      api.create({ apiVersion: 'v1', plural: 'nodes', name: 'node1' } as never, {}, { subresource: 'proxy' }),
  ],
  [
    'create volumes',
    (api) =>
      api.create(
        { apiVersion: 'v1', plural: 'persistentvolumes' },
        { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'x' } },
      ),
  ],
  [
    'delete custom resource definitions',
    (api) =>
      api.delete({
        apiVersion: 'apiextensions.k8s.io/v1',
        plural: 'customresourcedefinitions',
        name: 'podchaos.chaos-mesh.org',
      }),
  ],
]

const dryRun = { dryRun: true }
/** Allowed only for agents that must repair the system. */
export const REPAIRS: readonly AccountRequest[] = [
  ['write configuration', (api) => api.create(refInSystem('v1', 'configmaps'), configMap, dryRun)],
  [
    'change a workload',
    (api) =>
      api.patch(refInSystem('apps/v1', 'deployments', SERVICE), 'merge', { spec: { replicas: 2 } }, dryRun),
  ],
  [
    'create a claim',
    (api) =>
      api.create(
        refInSystem('v1', 'persistentvolumeclaims'),
        {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name: 'tried' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
        },
        dryRun,
      ),
  ],
  [
    'cordon a node',
    (api) =>
      api.patch(
        { apiVersion: 'v1', plural: 'nodes', name: 'node3' },
        'merge',
        { spec: { unschedulable: true } },
        dryRun,
      ),
  ],
]
/** Allowed for every agent. */
export const READS: readonly AccountRequest[] = [
  ...['pods', 'services', 'secrets', 'configmaps', 'events', 'resourcequotas', 'persistentvolumeclaims'].map(
    (plural): AccountRequest => [`list ${plural}`, (api) => api.list(refInSystem('v1', plural))],
  ),
  ['list network policies', (api) => api.list(refInSystem('networking.k8s.io/v1', 'networkpolicies'))],
  ['list nodes', (api) => api.list({ apiVersion: 'v1', plural: 'nodes' })],
  [
    'read a log',
    async (api) => {
      const { items } = await api.list(refInSystem('v1', 'pods'))
      const [container] = (items[0]!.spec as { containers: { name: string }[] }).containers
      return api.logs({ namespace: NAMESPACE, name: items[0]!.metadata.name }, { container: container!.name })
    },
  ],
  [
    'list the pods of a node',
    (api) => api.list({ apiVersion: 'v1', plural: 'pods' }, { fieldSelector: 'spec.nodeName=node1' }),
  ],
]
