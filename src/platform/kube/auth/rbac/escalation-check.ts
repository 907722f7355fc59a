/** Prevents privilege escalation: users can grant only permissions that they hold, unless they may escalate or bind. */
import type { ClusterRole, ClusterRoleBinding, PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { deepEqual } from '#kit'
import { clusterRoleBindings, clusterRoles, type Kind, roleBindings, roles } from '#platform/kube/kinds'
import { forbidden, type KubeObject, notFound, type Stored } from '#platform/kube/meta'
import type { AdmissionPlugin, AdmissionRequest } from '#platform/kube/ports'
import { describeRules, missingRules } from './missing-rules.ts'
import { isPrivileged, type RbacAuthorizer } from './rbac-authorizer.ts'

type Role = Stored<ClusterRole>
type Binding = Stored<ClusterRoleBinding>

const RBAC_GROUP = 'rbac.authorization.k8s.io'
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

const findMissing = (
  rbac: RbacAuthorizer,
  request: AdmissionRequest,
  required: readonly PolicyRule[],
): PolicyRule[] => {
  const { grants } = rbac.index.grantsOf(request.user, request.namespace)
  return missingRules(
    grants.flatMap(({ rules }) => rules),
    required,
  )
}

const checkHeld = (
  rbac: RbacAuthorizer,
  request: AdmissionRequest,
  required: readonly PolicyRule[],
): void => {
  const missing = findMissing(rbac, request, required)
  if (missing.length === 0) return
  const { username, groups } = request.user
  const groupList = groups.map((group) => JSON.stringify(group)).join(' ')
  throw forbidden(
    request.kind,
    request.name,
    `user ${JSON.stringify(username)} (groups=[${groupList}]) is attempting to grant RBAC permissions not currently held:\n${describeRules(missing)}`,
  )
}

const isAllowed = (
  rbac: RbacAuthorizer,
  { user, namespace }: AdmissionRequest,
  { verb, plural, name }: { verb: string; plural: string; name: string },
): boolean =>
  rbac.authorize({
    user,
    verb,
    resource: { group: RBAC_GROUP, version: 'v1', plural, subresource: '', namespace, name },
  }).allowed

/** Whether at most metadata other than labels and annotations differs; such updates grant nothing. */
const isUnchanged = ({ object, old }: AdmissionRequest): boolean => {
  if (object === undefined || old === undefined) return false
  const toComparable = ({ metadata, ...others }: KubeObject): object => ({
    ...others,
    metadata: { labels: metadata.labels, annotations: metadata.annotations },
  })
  return deepEqual(toComparable(object), toComparable(old))
}

const checkRole = (rbac: RbacAuthorizer, request: AdmissionRequest): void => {
  const role = request.object as Role
  const old = request.old as Role | undefined
  const name = old === undefined ? '' : request.name
  if (isAllowed(rbac, request, { verb: 'escalate', plural: request.kind.plural, name })) return
  checkHeld(rbac, request, role.rules ?? [])
  // The rules that an aggregated role will contain are not known in advance.
  const aggregates = role.aggregationRule !== undefined || old?.aggregationRule !== undefined
  if (aggregates && findMissing(rbac, request, EVERYTHING).length > 0)
    throw forbidden(
      request.kind,
      request.name,
      'must have cluster-admin privileges to use an aggregationRule',
    )
}

const checkBinding = (rbac: RbacAuthorizer, request: AdmissionRequest): void => {
  const { roleRef } = request.object as Partial<Binding>
  if (roleRef === undefined) return
  const kind: Kind = roleRef.kind === 'Role' ? roles : clusterRoles
  if (isAllowed(rbac, request, { verb: 'bind', plural: kind.plural, name: roleRef.name })) return
  const rules = rbac.index.rulesOf(roleRef, request.namespace)
  if (rules === undefined) throw notFound(kind, roleRef.name)
  checkHeld(rbac, request, rules)
}

const CHECKS = new Map<string, typeof checkRole>([
  [roles.id, checkRole],
  [clusterRoles.id, checkRole],
  [roleBindings.id, checkBinding],
  [clusterRoleBindings.id, checkBinding],
])

/** `authorizer` is called lazily, because the authorizer depends on the store that this plugin guards. */
export const createEscalationCheck = (authorizer: () => RbacAuthorizer): AdmissionPlugin => ({
  name: 'RBACEscalation',
  admit(request) {
    const check = CHECKS.get(request.kind.id)
    if (check === undefined || request.operation === 'DELETE' || isPrivileged(request.user)) return
    if (isUnchanged(request)) return
    check(authorizer(), request)
  },
})
