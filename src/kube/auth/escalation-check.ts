/** Admission of roles and bindings: nobody grants what he does not hold, unless he may escalate or bind. */
import type { ClusterRole, ClusterRoleBinding, PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { deepEqual } from '../../kit/index.ts'
import { clusterRoleBindings, clusterRoles, type Kind, roleBindings, roles } from '../kinds/index.ts'
import { forbidden, type KubeObject, notFound, type Stored } from '../meta/index.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../ports/index.ts'
import { describeRules, missingRules } from './covers.ts'
import { isPrivileged, type RbacAuthorizer } from './rbac-authorizer.ts'

type Role = Stored<ClusterRole>
type Binding = Stored<ClusterRoleBinding>

const GROUP = 'rbac.authorization.k8s.io'
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

const lacking = (
  rbac: RbacAuthorizer,
  request: AdmissionRequest,
  wanted: readonly PolicyRule[],
): PolicyRule[] => {
  const { grants } = rbac.index.grantsOf(request.user, request.namespace)
  return missingRules(
    grants.flatMap(({ rules }) => rules),
    wanted,
  )
}

const confirm = (rbac: RbacAuthorizer, request: AdmissionRequest, wanted: readonly PolicyRule[]): void => {
  const missing = lacking(rbac, request, wanted)
  if (missing.length === 0) return
  const { username, groups } = request.user
  const held = groups.map((group) => JSON.stringify(group)).join(' ')
  throw forbidden(
    request.kind,
    request.name,
    `user ${JSON.stringify(username)} (groups=[${held}]) is attempting to grant RBAC permissions not currently held:\n${describeRules(missing)}`,
  )
}

const may = (
  rbac: RbacAuthorizer,
  { user, namespace }: AdmissionRequest,
  verb: string,
  plural: string,
  name: string,
): boolean =>
  rbac.authorize({
    user,
    verb,
    resource: { group: GROUP, version: 'v1', plural, subresource: '', namespace, name },
  }).allowed

/** What the garbage collector may change in passing is nobody's grant. */
const isHousekeeping = ({ object, old }: AdmissionRequest): boolean => {
  if (object === undefined || old === undefined) return false
  const rest = ({ metadata, ...others }: KubeObject): object => ({
    ...others,
    metadata: { labels: metadata.labels, annotations: metadata.annotations },
  })
  return deepEqual(rest(object), rest(old))
}

const checkRole = (rbac: RbacAuthorizer, request: AdmissionRequest): void => {
  const role = request.object as Role
  const old = request.old as Role | undefined
  if (may(rbac, request, 'escalate', request.kind.plural, old === undefined ? '' : request.name)) return
  confirm(rbac, request, role.rules ?? [])
  // What such a role will come to hold cannot be known in advance.
  const aggregates = role.aggregationRule !== undefined || old?.aggregationRule !== undefined
  if (aggregates && lacking(rbac, request, EVERYTHING).length > 0)
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
  if (may(rbac, request, 'bind', kind.plural, roleRef.name)) return
  const rules = rbac.index.rulesOf(roleRef, request.namespace)
  if (rules === undefined) throw notFound(kind, roleRef.name)
  confirm(rbac, request, rules)
}

const CHECKS = new Map<string, typeof checkRole>([
  [roles.id, checkRole],
  [clusterRoles.id, checkRole],
  [roleBindings.id, checkBinding],
  [clusterRoleBindings.id, checkBinding],
])

/** The authorizer needs the store that admission guards, so it is asked for only when it is needed. */
export const createEscalationCheck = (authorizer: () => RbacAuthorizer): AdmissionPlugin => ({
  name: 'RBACEscalation',
  admit(request) {
    const check = CHECKS.get(request.kind.id)
    if (check === undefined || request.operation === 'DELETE' || isPrivileged(request.user)) return
    if (isHousekeeping(request)) return
    check(authorizer(), request)
  },
})
