/** Tests of the escalation check. */
import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '#platform/kube/kinds'
import type { Client, User } from '#platform/kube/ports'
import { createTestAccess, type TestAccess } from '../testing/create-test-access.ts'

const RBAC = 'rbac.authorization.k8s.io'
const user: User = { username: 'u', groups: ['g', 'system:authenticated'] }

const createAccess = (rules: PolicyRule[]): TestAccess & { userClient: Client } => {
  const access = createTestAccess()
  access.client.create(clusterRoles, { metadata: { name: 'held' }, rules })
  access.client.create(clusterRoleBindings, {
    metadata: { name: 'held' },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'held' },
    subjects: [{ kind: 'Group', name: 'g' }],
  })
  return { ...access, userClient: access.resources.clientFor(user, 'test') }
}

const getDeployments: PolicyRule = { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'] }

describe('creating a role', () => {
  it('is rejected with the missing rules, in the words of a real server', () => {
    const { userClient } = createAccess([{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }])
    const rules: PolicyRule[] = [
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['get', 'delete'] },
      { nonResourceURLs: ['/metrics'], verbs: ['get'] },
    ]
    expect(() => userClient.create(clusterRoles, { metadata: { name: 'x' }, rules })).toThrow(
      [
        'clusterroles.rbac.authorization.k8s.io "x" is forbidden: user "u" (groups=["g" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:',
        '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}',
        '{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}',
        '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
      ].join('\n'),
    )
  })

  it('is allowed if the user holds the rules, even through wildcards', () => {
    const { userClient } = createAccess([{ apiGroups: ['*'], resources: ['*'], verbs: ['get'] }])
    userClient.create(roles, { metadata: { name: 'x', namespace: 'default' }, rules: [getDeployments] })
    expect(userClient.get(roles, 'default', 'x')?.rules).toEqual([getDeployments])
  })

  it('is allowed through a subresource wildcard, but a rule with names covers only those objects', () => {
    const { userClient } = createAccess([
      { apiGroups: ['apps'], resources: ['*/scale'], verbs: ['get'] },
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['a'], verbs: ['get'] },
    ])
    const createRole = (name: string, rule: PolicyRule) =>
      userClient.create(clusterRoles, { metadata: { name }, rules: [rule] })
    createRole('scale', { apiGroups: ['apps'], resources: ['deployments/scale'], verbs: ['get'] })
    createRole('one', { apiGroups: [''], resources: ['secrets'], resourceNames: ['a'], verbs: ['get'] })
    expect(() => createRole('all', { apiGroups: [''], resources: ['secrets'], verbs: ['get'] })).toThrow(
      'not currently held',
    )
  })

  it('is allowed with the verb escalate', () => {
    const { userClient } = createAccess([
      { apiGroups: [RBAC], resources: ['clusterroles'], verbs: ['escalate'] },
    ])
    userClient.create(clusterRoles, { metadata: { name: 'x' }, rules: [getDeployments] })
    expect(userClient.get(clusterRoles, '', 'x')).toBeDefined()
  })

  it('with an aggregation rule requires all permissions', () => {
    const { userClient } = createAccess([getDeployments])
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] }
    expect(() =>
      userClient.create(clusterRoles, { metadata: { name: 'x' }, rules: [], aggregationRule }),
    ).toThrow('must have cluster-admin privileges to use an aggregationRule')
  })
})

describe('creating a binding', () => {
  const bind = (userClient: Client, name: string) =>
    userClient.create(roleBindings, {
      metadata: { name: 'b', namespace: 'default' },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
      subjects: [{ kind: 'User', name: 'v' }],
    })

  it('requires the rules of the role, or the verb bind on it', () => {
    expect(() => bind(createAccess([getDeployments]).userClient, 'cluster-admin')).toThrow(
      'not currently held',
    )
    expect(bind(createAccess([getDeployments]).userClient, 'held').metadata.name).toBe('b')
    const binder: PolicyRule = {
      apiGroups: [RBAC],
      resources: ['clusterroles'],
      resourceNames: ['view'],
      verbs: ['bind'],
    }
    expect(bind(createAccess([binder]).userClient, 'view').metadata.name).toBe('b')
    expect(() => bind(createAccess([binder]).userClient, 'edit')).toThrow('not currently held')
  })

  it('to a missing role is allowed only for system:masters', () => {
    const { userClient, client } = createAccess([getDeployments])
    expect(() => bind(userClient, 'gone')).toThrow('clusterroles.rbac.authorization.k8s.io "gone" not found')
    expect(bind(client, 'gone').metadata.name).toBe('b')
  })
})
