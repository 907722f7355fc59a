/**
 * Two accounts for those who are not trusted: `operator` may mend the system in its namespace, `observer` may look at it. Their
 * names and their place say nothing of a laboratory, because a token tells both.
 */
import {
  type ClusterAccess,
  type EngineCluster,
  isReadOnlyTask,
  type KubeApi,
  RESTRICTED_ACCOUNT,
  RemediumError,
  type ResourceRef,
  type Task,
} from '../spec/index.ts'

const OPERATOR = 'operator'
const OBSERVER = 'observer'
/** Of the accounts: not the system's, where their holders could delete them. */
const HOME = 'default'
const RBAC = 'rbac.authorization.k8s.io'
/** More than any episode takes: problems give a day at most, and no timer of Node's runs for more than 25. */
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

/** By API group: what ordinary workloads are made of. */
const MENDABLE: Readonly<Record<string, readonly string[]>> = {
  '': [
    ...['pods', 'services', 'endpoints', 'configmaps', 'secrets'],
    ...['resourcequotas', 'limitranges', 'replicationcontrollers', 'replicationcontrollers/scale'],
  ],
  apps: ['deployments', 'statefulsets', 'daemonsets', 'replicasets'].flatMap((one) =>
    one === 'daemonsets' ? [one] : [one, `${one}/scale`],
  ),
  batch: ['jobs', 'cronjobs'],
  autoscaling: ['horizontalpodautoscalers'],
  policy: ['poddisruptionbudgets'],
  'networking.k8s.io': ['networkpolicies', 'ingresses'],
}

const VISIBLE: readonly Rule[] = [
  rule('', ['persistentvolumeclaims'], READ),
  rule('', ['serviceaccounts', 'events', 'pods/log', 'pods/status', 'resourcequotas/status'], READ),
  rule('apps', ['controllerrevisions', 'deployments/status', 'statefulsets/status'], READ),
  rule('discovery.k8s.io', ['endpointslices'], READ),
  rule('events.k8s.io', ['events'], READ),
  rule('metrics.k8s.io', ['pods'], READ),
]

const mendable = (verbs: readonly string[]): Rule[] =>
  Object.entries(MENDABLE).map(([group, resources]) => rule(group, resources, verbs))

const LOOK: readonly Rule[] = [...mendable(READ), ...VISIBLE]

const MEND: readonly Rule[] = [
  ...mendable([...READ, ...WRITE]),
  ...VISIBLE,
  rule('', ['pods/exec', 'pods/attach', 'pods/portforward'], ['get', 'create']),
  rule('', ['pods/eviction'], ['create']),
  // Whoever deletes a claim deletes what lies in it.
  rule('', ['persistentvolumeclaims'], ['create', 'update', 'patch']),
  rule('', ['pods/ephemeralcontainers'], ['patch', 'update']),
]

/** What has no namespace. Whoever drains a node asks for its pods in all of them, of which only the system's has any. */
const around = (namespace: string): Rule[] => [
  rule('', ['nodes', 'persistentvolumes'], READ),
  rule('', ['pods'], ['get', 'list']),
  rule('metrics.k8s.io', ['nodes'], READ),
  rule('storage.k8s.io', ['storageclasses'], READ),
  { ...rule('', ['namespaces'], ['get']), resourceNames: [namespace] },
]

/** No rule can say which part of a node may be changed: the mark on the account does. */
const CORDON: readonly Rule[] = [rule('', ['nodes'], ['patch', 'update'])]

const subjectOf = (name: string): object => ({ kind: 'ServiceAccount', name, namespace: HOME })

type Made = readonly [ResourceRef, object]

/** A role and its binding, in the namespace or, without one, in the cluster. */
const granted = (account: string, rules: readonly Rule[], namespace?: string): Made[] => {
  const kind = namespace === undefined ? 'ClusterRole' : 'Role'
  const ref = (plural: string): ResourceRef => ({
    apiVersion: `${RBAC}/v1`,
    plural: namespace === undefined ? `cluster${plural}` : plural,
    ...(namespace === undefined ? {} : { namespace }),
  })
  const metadata = { name: account, ...(namespace === undefined ? {} : { namespace }) }
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

const ACCOUNTS: ResourceRef = { apiVersion: 'v1', plural: 'serviceaccounts', namespace: HOME }

const accountOf = (name: string): Made => [
  ACCOUNTS,
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace: HOME, annotations: { [RESTRICTED_ACCOUNT]: 'true' } },
  },
]

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code

/** Makes each that is not there already. */
const makeAll = async (api: KubeApi, all: readonly Made[]): Promise<void> => {
  await Promise.all(
    all.map(([ref, object]) =>
      api.create(ref, object).catch((error) => {
        if (codeOf(error) !== 409) throw error
      }),
    ),
  )
}

/** Makes the accounts and what they may, where they are not there already. */
export const makeAgentAccounts = async (api: KubeApi, namespace: string): Promise<void> => {
  await makeAll(api, [
    accountOf(OPERATOR),
    accountOf(OBSERVER),
    ...granted(OPERATOR, MEND, namespace),
    ...granted(OBSERVER, LOOK, namespace),
    ...granted(OPERATOR, [...around(namespace), ...CORDON]),
    ...granted(OBSERVER, around(namespace)),
  ])
}

const nameFor = (task: Task): string => (isReadOnlyTask(task) ? OBSERVER : OPERATOR)

const toUnready = (message: string, cause: unknown): RemediumError =>
  new RemediumError('not-ready', `${message}: ${(cause as Error).message}.`, { blame: 'harness', cause })

/** The cluster with the rights that a task gives; the token is good until the access is closed, or the next reset. */
export const openAgentAccess = async (
  { api, access }: EngineCluster,
  namespace: string,
  task: Task,
): Promise<ClusterAccess> => {
  const account = nameFor(task)
  const asked = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: TOKEN_SECONDS },
  }
  try {
    // Whoever came before has taken it with him.
    await makeAll(api, [accountOf(account)])
    const { status } = await api.create({ ...ACCOUNTS, name: account } as ResourceRef, asked, {
      subresource: 'token',
    })
    return access((status as { token: string }).token, namespace)
  } catch (cause) {
    throw toUnready(`There is no token for the account ${account}`, cause)
  }
}

/** From now on no token works that was given out: each is of an account that is gone, and the next has only its name. */
export const closeAgentAccess = async ({ api }: EngineCluster, task: Task): Promise<void> => {
  const account = nameFor(task)
  try {
    await api.delete({ ...ACCOUNTS, name: account }).catch((error) => {
      if (codeOf(error) !== 404) throw error
    })
  } catch (cause) {
    throw toUnready(`The tokens of the account ${account} cannot be taken back`, cause)
  }
}
