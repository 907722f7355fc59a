/** Requests that agents may and may not send in a cluster with simple-micro. */
import { LABORATORY } from '#exam/episode'
import type { KubeApi } from '#spec'

export const NAMESPACE = 'simple-micro'
export const SERVICE = 'time-service'

/** A request that is sent with an account. */
export type Try = readonly [what: string, attempt: (api: KubeApi) => Promise<unknown>]

const system = (apiVersion: string, plural: string, name = '') => ({
  apiVersion,
  plural,
  namespace: NAMESPACE,
  name,
})
const chaos = (namespace: string) => ({
  apiVersion: 'chaos-mesh.org/v1alpha1',
  plural: 'stresschaos',
  namespace,
})
const RBAC = 'rbac.authorization.k8s.io/v1'
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'tried' } }
const inNamespace = (plural: string, namespace: string) => ({ apiVersion: 'v1', plural, namespace })

const NODE = { apiVersion: 'v1', plural: 'nodes', name: 'node1' }
const MISSING_OWNER = { apiVersion: 'v1', kind: 'PersistentVolume', name: 'x', uid: 'x' }

/** Forbidden for every agent. */
export const FORBIDDEN: readonly Try[] = [
  ['list chaos objects', (api) => api.list(chaos(LABORATORY))],
  [
    'make chaos objects in the system',
    (api) =>
      api.create(chaos(NAMESPACE), {
        apiVersion: 'chaos-mesh.org/v1alpha1',
        kind: 'StressChaos',
        metadata: { name: 'x' },
        spec: {},
      }),
  ],
  [
    'list chaos objects everywhere',
    (api) => api.list({ apiVersion: 'chaos-mesh.org/v1alpha1', plural: 'podchaos' }),
  ],
  ['see the laboratory', (api) => api.get({ apiVersion: 'v1', plural: 'namespaces', name: LABORATORY })],
  [
    'delete the laboratory',
    (api) => api.delete({ apiVersion: 'v1', plural: 'namespaces', name: LABORATORY }),
  ],
  [
    'delete its own namespace',
    (api) => api.delete({ apiVersion: 'v1', plural: 'namespaces', name: NAMESPACE }),
  ],
  ['list namespaces', (api) => api.list({ apiVersion: 'v1', plural: 'namespaces' })],
  ['write elsewhere', (api) => api.create(inNamespace('configmaps', 'kube-system'), configMap)],
  ['write where its account is', (api) => api.create(inNamespace('configmaps', 'default'), configMap)],
  ['read secrets elsewhere', (api) => api.list(inNamespace('secrets', 'kube-system'))],
  ['read all secrets', (api) => api.list({ apiVersion: 'v1', plural: 'secrets' })],
  ['see rights', (api) => api.list({ apiVersion: RBAC, plural: 'clusterroles' })],
  ['see its role', (api) => api.get(system(RBAC, 'roles', 'operator'))],
  ['widen its role', (api) => api.patch(system(RBAC, 'roles', 'operator'), 'merge', { rules: [] })],
  [
    'bind itself to more',
    (api) =>
      api.create(system(RBAC, 'rolebindings'), {
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
        system('v1', 'serviceaccounts', 'default'),
        { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
        { subresource: 'token' },
      ),
  ],
  [
    'make accounts',
    (api) =>
      api.create(system('v1', 'serviceaccounts'), {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'x' },
      }),
  ],
  ['delete a node', (api) => api.delete({ apiVersion: 'v1', plural: 'nodes', name: 'node1' })],
  [
    'expel pods from a node',
    (api) =>
      api.patch(
        NODE,
        'merge',
        { spec: { taints: [{ key: 'tried', effect: 'NoExecute' }] } },
        { dryRun: true },
      ),
  ],
  [
    'give a node an owner',
    (api) => api.patch(NODE, 'merge', { metadata: { ownerReferences: [MISSING_OWNER] } }, { dryRun: true }),
  ],
  [
    'make a claim that goes with its owner',
    (api) =>
      api.create(
        system('v1', 'persistentvolumeclaims'),
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
    'reach into a node',
    (api) =>
      api.create({ apiVersion: 'v1', plural: 'nodes', name: 'node1' } as never, {}, { subresource: 'proxy' }),
  ],
  [
    'make volumes',
    (api) =>
      api.create(
        { apiVersion: 'v1', plural: 'persistentvolumes' },
        { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'x' } },
      ),
  ],
  [
    'delete definitions',
    (api) =>
      api.delete({
        apiVersion: 'apiextensions.k8s.io/v1',
        plural: 'customresourcedefinitions',
        name: 'podchaos.chaos-mesh.org',
      }),
  ],
]

const dry = { dryRun: true }
/** Allowed only for agents that must repair the system. */
export const DEEDS: readonly Try[] = [
  ['write configuration', (api) => api.create(system('v1', 'configmaps'), configMap, dry)],
  [
    'change a workload',
    (api) => api.patch(system('apps/v1', 'deployments', SERVICE), 'merge', { spec: { replicas: 2 } }, dry),
  ],
  [
    'make a claim',
    (api) =>
      api.create(
        system('v1', 'persistentvolumeclaims'),
        {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name: 'tried' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
        },
        dry,
      ),
  ],
  [
    'cordon a node',
    (api) =>
      api.patch(
        { apiVersion: 'v1', plural: 'nodes', name: 'node3' },
        'merge',
        { spec: { unschedulable: true } },
        dry,
      ),
  ],
]
/** Allowed for every agent. */
export const LOOKS: readonly Try[] = [
  ...['pods', 'services', 'secrets', 'configmaps', 'events', 'resourcequotas', 'persistentvolumeclaims'].map(
    (plural): Try => [`list ${plural}`, (api) => api.list(system('v1', plural))],
  ),
  ['list network policies', (api) => api.list(system('networking.k8s.io/v1', 'networkpolicies'))],
  ['list nodes', (api) => api.list({ apiVersion: 'v1', plural: 'nodes' })],
  [
    'read a log',
    async (api) => {
      const { items } = await api.list(system('v1', 'pods'))
      const [container] = (items[0]!.spec as { containers: { name: string }[] }).containers
      return api.logs({ namespace: NAMESPACE, name: items[0]!.metadata.name }, { container: container!.name })
    },
  ],
  [
    'list the pods of a node',
    (api) => api.list({ apiVersion: 'v1', plural: 'pods' }, { fieldSelector: 'spec.nodeName=node1' }),
  ],
]
