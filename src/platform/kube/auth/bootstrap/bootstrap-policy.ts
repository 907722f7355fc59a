/** Creates the default roles and bindings of a cluster. */
import type { ClusterRole, PolicyRule, Role, RoleBinding, Subject } from 'kubernetes-types/rbac/v1.d.ts'
import { deepEqual, defined } from '#kit'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '#platform/kube/kinds'
import type { Draft } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { componentRoles } from './component-roles.ts'
import { controllerRoles } from './controller-roles.ts'
import { parseRule } from './role-table.ts'
import { aggregations, userRoles } from './user-roles.ts'

const RBAC_GROUP = 'rbac.authorization.k8s.io'
const SYSTEM = 'kube-system'
const PUBLIC = 'kube-public'

/** The ClusterRoleBindings, except those of controllers. The role has the name of the binding. */
const CLUSTER_BINDINGS: readonly [name: string, ...subjects: string[]][] = [
  ['cluster-admin', 'Group system:masters'],
  ['system:basic-user', 'Group system:authenticated'],
  ['system:discovery', 'Group system:authenticated'],
  ['system:kube-controller-manager', 'User system:kube-controller-manager'],
  ['system:kube-dns', 'ServiceAccount kube-dns'],
  ['system:kube-scheduler', 'User system:kube-scheduler'],
  ['system:monitoring', 'Group system:monitoring'],
  ['system:node'],
  ['system:node-proxier', 'User system:kube-proxy'],
  ['system:public-info-viewer', 'Group system:authenticated', 'Group system:unauthenticated'],
  ['system:service-account-issuer-discovery', 'Group system:serviceaccounts'],
  ['system:volume-scheduler', 'User system:kube-scheduler'],
]

/** The Roles in the system namespaces, with their rules. */
const NAMESPACED_ROLES: readonly [namespace: string, name: string, ...rules: string[]][] = [
  [
    PUBLIC,
    'system:controller:bootstrap-signer',
    'read core configmaps',
    'update core configmaps cluster-info',
    'record core,events.k8s.io events',
  ],
  [
    SYSTEM,
    'extension-apiserver-authentication-reader',
    'read core configmaps extension-apiserver-authentication',
  ],
  [
    SYSTEM,
    'system::leader-locking-kube-controller-manager',
    'watch core configmaps',
    'get,update core configmaps kube-controller-manager',
  ],
  [
    SYSTEM,
    'system::leader-locking-kube-scheduler',
    'watch core configmaps',
    'get,update core configmaps kube-scheduler',
  ],
  [SYSTEM, 'system:controller:bootstrap-signer', 'read core secrets'],
  [SYSTEM, 'system:controller:cloud-provider', 'create,get,list,watch core configmaps'],
  [
    SYSTEM,
    'system:controller:token-cleaner',
    'delete,get,list,watch core secrets',
    'record core,events.k8s.io events',
  ],
]

const NAMESPACED_BINDINGS: readonly [namespace: string, name: string, role: string, ...subjects: string[]][] =
  [
    [
      PUBLIC,
      'system:controller:bootstrap-signer',
      'system:controller:bootstrap-signer',
      'ServiceAccount bootstrap-signer',
    ],
    [
      SYSTEM,
      'system::extension-apiserver-authentication-reader',
      'extension-apiserver-authentication-reader',
      'User system:kube-controller-manager',
      'User system:kube-scheduler',
    ],
    [
      SYSTEM,
      'system::leader-locking-kube-controller-manager',
      'system::leader-locking-kube-controller-manager',
      'User system:kube-controller-manager',
      'ServiceAccount kube-controller-manager',
    ],
    [
      SYSTEM,
      'system::leader-locking-kube-scheduler',
      'system::leader-locking-kube-scheduler',
      'User system:kube-scheduler',
      'ServiceAccount kube-scheduler',
    ],
    [
      SYSTEM,
      'system:controller:bootstrap-signer',
      'system:controller:bootstrap-signer',
      'ServiceAccount bootstrap-signer',
    ],
    [
      SYSTEM,
      'system:controller:cloud-provider',
      'system:controller:cloud-provider',
      'ServiceAccount cloud-provider',
    ],
    [
      SYSTEM,
      'system:controller:token-cleaner',
      'system:controller:token-cleaner',
      'ServiceAccount token-cleaner',
    ],
  ]

const aggregationLabel = (role: string): string => `rbac.authorization.k8s.io/aggregate-to-${role}`

const metadataOf = (name: string, namespace?: string) => ({
  name,
  ...defined({ namespace }),
  labels: {
    'kubernetes.io/bootstrapping': 'rbac-defaults',
    ...Object.fromEntries(
      Object.entries(namespace === undefined ? aggregations : {})
        .filter(([, sources]) => sources.includes(name))
        .map(([role]) => [aggregationLabel(role), 'true']),
    ),
  },
  annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
})

const toSubject = (text: string): Subject => {
  const [kind = '', name = ''] = text.split(' ')
  return kind === 'ServiceAccount' ? { kind, name, namespace: SYSTEM } : { kind, apiGroup: RBAC_GROUP, name }
}

interface BindingOptions {
  role: string
  subjects: readonly string[]
  /** Omitted for a ClusterRoleBinding. */
  namespace?: string
}

const toBinding = (name: string, { role, subjects, namespace }: BindingOptions) => ({
  metadata: metadataOf(name, namespace),
  ...(subjects.length === 0 ? {} : { subjects: subjects.map(toSubject) }),
  roleRef: { apiGroup: RBAC_GROUP, kind: namespace === undefined ? 'ClusterRole' : 'Role', name: role },
})

const parsePlainRoles = (): Map<string, readonly PolicyRule[]> => {
  const parsed = new Map<string, readonly PolicyRule[]>()
  const add = (prefix: string, table: Readonly<Record<string, readonly string[]>>): void => {
    for (const [name, lines] of Object.entries(table)) parsed.set(`${prefix}${name}`, lines.map(parseRule))
  }
  add('', userRoles)
  add('', componentRoles)
  add('system:controller:', controllerRoles)
  return parsed
}

/** The rules that the aggregation controller would set, so that the roles are complete from the start. */
const aggregateRules = (known: ReadonlyMap<string, readonly PolicyRule[]>, role: string): PolicyRule[] => {
  const rules: PolicyRule[] = []
  for (const source of aggregations[role]!) {
    const sourceRules = known.get(source) ?? aggregateRules(known, source)
    rules.push(...sourceRules.filter((rule) => !rules.some((existing) => deepEqual(existing, rule))))
  }
  return rules
}

const clusterRoleDrafts = (): Draft<ClusterRole>[] => {
  const known = parsePlainRoles()
  return [
    ...[...known].map(([name, rules]) => ({ metadata: metadataOf(name), rules: [...rules] })),
    ...Object.keys(aggregations).map((name) => ({
      metadata: metadataOf(name),
      rules: aggregateRules(known, name),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregationLabel(name)]: 'true' } }] },
    })),
  ]
}

/** The namespaces kube-system and kube-public must exist. */
export const createBootstrapPolicy = (client: Client): void => {
  for (const draft of clusterRoleDrafts()) client.create(clusterRoles, draft)
  for (const [name, ...subjects] of CLUSTER_BINDINGS)
    client.create(clusterRoleBindings, toBinding(name, { role: name, subjects }))
  for (const account of Object.keys(controllerRoles)) {
    const name = `system:controller:${account}`
    const subjects = [`ServiceAccount ${account}`]
    client.create(clusterRoleBindings, toBinding(name, { role: name, subjects }))
  }
  for (const [namespace, name, ...rules] of NAMESPACED_ROLES) {
    const draft: Draft<Role> = { metadata: metadataOf(name, namespace), rules: rules.map(parseRule) }
    client.create(roles, draft)
  }
  for (const [namespace, name, role, ...subjects] of NAMESPACED_BINDINGS) {
    const draft: Draft<RoleBinding> = toBinding(name, { role, subjects, namespace })
    client.create(roleBindings, draft)
  }
}
