/**
 * Two accounts for untrusted solvers: `operator` may repair the system in its namespace, `observer` may read it. A token shows
 * the account's name and namespace, so neither mentions a laboratory.
 */
import { defined } from '#kit'
import {
  type ClusterAccess,
  type EngineCluster,
  isConflict,
  isNotFound,
  type KubeApi,
  RESTRICTED_ACCOUNT,
  RemediumError,
  type ResourceRef,
  type Task,
  taskOf,
  viewAs,
} from '#spec'

const OPERATOR = 'operator'
const OBSERVER = 'observer'
/** Not the system's namespace, where the holder of a token could delete the accounts. */
const NAMESPACE = 'default'
const RBAC = 'rbac.authorization.k8s.io'
/** Longer than any episode: problems allow a day at most, and timers of Node.js run for at most 25 days. */
const TOKEN_SECONDS = 30 * 86_400

interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
  readonly resourceNames?: readonly string[]
}

const READ = ['get', 'list', 'watch']
const WRITE = ['create', 'update', 'patch', 'delete', 'deletecollection']

const rule = (group: string, resources: readonly string[], verbs: readonly string[]): Rule => ({
  apiGroups: [group],
  resources,
  verbs,
})

/** The resources of ordinary workloads, by API group. */
const REPAIRABLE_RESOURCES: Readonly<Record<string, readonly string[]>> = {
  '': [
    ...['pods', 'services', 'endpoints', 'configmaps', 'secrets'],
    ...['resourcequotas', 'limitranges', 'replicationcontrollers', 'replicationcontrollers/scale'],
  ],
  apps: ['deployments', 'statefulsets', 'daemonsets', 'replicasets'].flatMap((resource) =>
    resource === 'daemonsets' ? [resource] : [resource, `${resource}/scale`],
  ),
  batch: ['jobs', 'cronjobs'],
  autoscaling: ['horizontalpodautoscalers'],
  policy: ['poddisruptionbudgets'],
  'networking.k8s.io': ['networkpolicies', 'ingresses'],
}

const READ_ONLY_RULES: readonly Rule[] = [
  rule('', ['persistentvolumeclaims'], READ),
  rule('', ['serviceaccounts', 'events', 'pods/log', 'pods/status', 'resourcequotas/status'], READ),
  rule('apps', ['controllerrevisions', 'deployments/status', 'statefulsets/status'], READ),
  rule('discovery.k8s.io', ['endpointslices'], READ),
  rule('events.k8s.io', ['events'], READ),
  rule('metrics.k8s.io', ['pods'], READ),
]

const toRepairRules = (verbs: readonly string[]): Rule[] =>
  Object.entries(REPAIRABLE_RESOURCES).map(([group, resources]) => rule(group, resources, verbs))

const OBSERVER_RULES: readonly Rule[] = [...toRepairRules(READ), ...READ_ONLY_RULES]

const OPERATOR_RULES: readonly Rule[] = [
  ...toRepairRules([...READ, ...WRITE]),
  ...READ_ONLY_RULES,
  rule('', ['pods/exec', 'pods/attach', 'pods/portforward'], ['get', 'create']),
  rule('', ['pods/eviction'], ['create']),
  // No delete: it would delete the data of the claim.
  rule('', ['persistentvolumeclaims'], ['create', 'update', 'patch']),
  rule('', ['pods/ephemeralcontainers'], ['patch', 'update']),
]

/** Cluster-wide resources. `kubectl drain` lists the pods of all namespaces; only the system's namespace has pods. */
const clusterRules = (namespace: string): Rule[] => [
  rule('', ['nodes', 'persistentvolumes'], READ),
  rule('', ['pods'], ['get', 'list']),
  rule('metrics.k8s.io', ['nodes'], READ),
  rule('storage.k8s.io', ['storageclasses'], READ),
  { ...rule('', ['namespaces'], ['get']), resourceNames: [namespace] },
]

/** RBAC cannot restrict which fields of a node may change: the annotation on the account does. */
const NODE_RULES: readonly Rule[] = [rule('', ['nodes'], ['patch', 'update'])]

const subjectOf = (name: string): object => ({ kind: 'ServiceAccount', name, namespace: NAMESPACE })

type Creation = readonly [ResourceRef, object]

/** A role and its binding: in the namespace, or cluster-wide if it is omitted. */
const grant = (account: string, rules: readonly Rule[], namespace?: string): Creation[] => {
  const kind = namespace === undefined ? 'ClusterRole' : 'Role'
  const ref = (plural: string): ResourceRef => ({
    apiVersion: `${RBAC}/v1`,
    plural: namespace === undefined ? `cluster${plural}` : plural,
    ...defined({ namespace }),
  })
  const metadata = { name: account, ...defined({ namespace }) }
  return [
    [ref('roles'), { apiVersion: `${RBAC}/v1`, kind, metadata, rules }],
    [
      ref('rolebindings'),
      {
        apiVersion: `${RBAC}/v1`,
        kind: `${kind}Binding`,
        metadata,
        subjects: [subjectOf(account)],
        roleRef: { apiGroup: RBAC, kind, name: account },
      },
    ],
  ]
}

const ACCOUNTS: ResourceRef = { apiVersion: 'v1', plural: 'serviceaccounts', namespace: NAMESPACE }

const accountOf = (name: string): Creation => [
  ACCOUNTS,
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace: NAMESPACE, annotations: { [RESTRICTED_ACCOUNT]: 'true' } },
  },
]

/** Creates the objects that do not exist yet. */
const createMissing = async (api: KubeApi, creations: readonly Creation[]): Promise<void> => {
  await Promise.all(
    creations.map(([ref, object]) =>
      api.create(ref, object).catch((error) => {
        if (!isConflict(error)) throw error
      }),
    ),
  )
}

/** Creates the accounts and their roles, unless they exist. */
export const createAgentAccounts = async (api: KubeApi, namespace: string): Promise<void> => {
  await createMissing(api, [
    accountOf(OPERATOR),
    accountOf(OBSERVER),
    ...grant(OPERATOR, OPERATOR_RULES, namespace),
    ...grant(OBSERVER, OBSERVER_RULES, namespace),
    ...grant(OPERATOR, [...clusterRules(namespace), ...NODE_RULES]),
    ...grant(OBSERVER, clusterRules(namespace)),
  ])
}

const accountFor = (task: Task): string => (taskOf(task).repairs ? OPERATOR : OBSERVER)

const toNotReady = (message: string, cause: unknown): RemediumError =>
  new RemediumError('not-ready', `${message}: ${(cause as Error).message}.`, { blame: 'harness', cause })

/** Access with the rights of the task. A token is valid until the access is closed or the cluster is reset. */
export const openAgentAccess = async (
  { api, access, accessAs }: EngineCluster,
  namespace: string,
  task: Task,
): Promise<ClusterAccess> => {
  const account = accountFor(task)
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: TOKEN_SECONDS },
  }
  try {
    // Closing the previous solver's access has deleted the account.
    await createMissing(api, [accountOf(account)])
    if (accessAs !== undefined) return accessAs({ namespace: NAMESPACE, name: account })
    const created = await api.create({ ...ACCOUNTS, name: account } as ResourceRef, request, {
      subresource: 'token',
    })
    return access(viewAs('TokenRequest', created).status!.token, namespace)
  } catch (cause) {
    throw toNotReady(`There is no access for the account ${account}`, cause)
  }
}

/** Deletes the account, which invalidates its tokens: a new account of the same name has a different UID. */
export const closeAgentAccess = async ({ api }: EngineCluster, task: Task): Promise<void> => {
  const account = accountFor(task)
  try {
    await api.delete({ ...ACCOUNTS, name: account }).catch((error) => {
      if (!isNotFound(error)) throw error
    })
  } catch (cause) {
    throw toNotReady(`The tokens of the account ${account} could not be revoked`, cause)
  }
}
