/** Tests of the rule that nobody grants what he does not hold. */
import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '../kinds/index.ts'
import type { Client, User } from '../ports/index.ts'
import { createTestAccess, type TestAccess } from './testing/create-test-access.ts'

const RBAC = 'rbac.authorization.k8s.io'
const user: User = { username: 'u', groups: ['g', 'system:authenticated'] }

const holding = (rules: PolicyRule[]): TestAccess & { own: Client } => {
  const access = createTestAccess()
  access.client.create(clusterRoles, { metadata: { name: 'held' }, rules })
  access.client.create(clusterRoleBindings, {
    metadata: { name: 'held' },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'held' },
    subjects: [{ kind: 'Group', name: 'g' }],
  })
  return { ...access, own: access.resources.clientFor(user, 'test') }
}

const getDeployments: PolicyRule = { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'] }

describe('creating a role', () => {
  it('is refused with what is missing, in the words of a real server', () => {
    const { own } = holding([{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }])
    const rules: PolicyRule[] = [
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['get', 'delete'] },
      { nonResourceURLs: ['/metrics'], verbs: ['get'] },
    ]
    expect(() => own.create(clusterRoles, { metadata: { name: 'x' }, rules })).toThrow(
      [
        'clusterroles.rbac.authorization.k8s.io "x" is forbidden: user "u" (groups=["g" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:',
        '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}',
        '{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}',
        '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
      ].join('\n'),
    )
  })

  it('is allowed within what is held, by stars too', () => {
    const { own } = holding([{ apiGroups: ['*'], resources: ['*'], verbs: ['get'] }])
    own.create(roles, { metadata: { name: 'x', namespace: 'default' }, rules: [getDeployments] })
    expect(own.get(roles, 'default', 'x')?.rules).toEqual([getDeployments])
  })

  it('of a subresource is covered by the star for it, not of all objects by a rule for some', () => {
    const { own } = holding([
      { apiGroups: ['apps'], resources: ['*/scale'], verbs: ['get'] },
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['a'], verbs: ['get'] },
    ])
    const create = (name: string, rule: PolicyRule) =>
      own.create(clusterRoles, { metadata: { name }, rules: [rule] })
    create('scale', { apiGroups: ['apps'], resources: ['deployments/scale'], verbs: ['get'] })
    create('one', { apiGroups: [''], resources: ['secrets'], resourceNames: ['a'], verbs: ['get'] })
    expect(() => create('all', { apiGroups: [''], resources: ['secrets'], verbs: ['get'] })).toThrow(
      'not currently held',
    )
  })

  it('is allowed with the verb escalate', () => {
    const { own } = holding([{ apiGroups: [RBAC], resources: ['clusterroles'], verbs: ['escalate'] }])
    own.create(clusterRoles, { metadata: { name: 'x' }, rules: [getDeployments] })
    expect(own.get(clusterRoles, '', 'x')).toBeDefined()
  })

  it('with an aggregation rule needs everything', () => {
    const { own } = holding([getDeployments])
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] }
    expect(() => own.create(clusterRoles, { metadata: { name: 'x' }, rules: [], aggregationRule })).toThrow(
      'must have cluster-admin privileges to use an aggregationRule',
    )
  })
})

describe('creating a binding', () => {
  const bind = (own: Client, name: string) =>
    own.create(roleBindings, {
      metadata: { name: 'b', namespace: 'default' },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
      subjects: [{ kind: 'User', name: 'v' }],
    })

  it('needs what the role holds, or the verb bind on it', () => {
    expect(() => bind(holding([getDeployments]).own, 'cluster-admin')).toThrow('not currently held')
    expect(bind(holding([getDeployments]).own, 'held').metadata.name).toBe('b')
    const binder: PolicyRule = {
      apiGroups: [RBAC],
      resources: ['clusterroles'],
      resourceNames: ['view'],
      verbs: ['bind'],
    }
    expect(bind(holding([binder]).own, 'view').metadata.name).toBe('b')
    expect(() => bind(holding([binder]).own, 'edit')).toThrow('not currently held')
  })

  it('to a role that is not there is refused to all but the masters', () => {
    const { own, client } = holding([getDeployments])
    expect(() => bind(own, 'gone')).toThrow('clusterroles.rbac.authorization.k8s.io "gone" not found')
    expect(bind(client, 'gone').metadata.name).toBe('b')
  })
})
