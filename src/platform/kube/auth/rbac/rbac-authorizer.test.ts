/** Tests of RBAC decisions and their reasons. */
import { describe, expect, it } from 'vitest'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '#platform/kube/kinds'
import type { User } from '#platform/kube/ports'
import { serviceAccountUser } from '../service-account-user.ts'
import { createTestAccess } from '../testing/create-test-access.ts'
import { createRbacIndex } from './rbac-index.ts'

const RBAC = 'rbac.authorization.k8s.io'
const agent = serviceAccountUser('shop', 'agent', 'u-1')
const person: User = { username: 'ann', groups: ['devs', 'system:authenticated'] }
const anonymous: User = { username: 'system:anonymous', groups: ['system:unauthenticated'] }

/** An agent with a role in one namespace. */
const createAccessWithAgent = () => {
  const access = createTestAccess()
  access.client.create(roles, {
    metadata: { name: 'repairer', namespace: 'shop' },
    rules: [
      {
        apiGroups: [''],
        resources: ['pods', 'pods/log', 'configmaps'],
        verbs: ['get', 'list', 'watch', 'delete'],
      },
      { apiGroups: ['apps'], resources: ['deployments', '*/scale'], verbs: ['get', 'patch'] },
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['db'], verbs: ['get'] },
      { apiGroups: [''], resources: ['services/*'], verbs: ['get'] },
    ],
  })
  access.client.create(roleBindings, {
    metadata: { name: 'agent', namespace: 'shop' },
    roleRef: { apiGroup: RBAC, kind: 'Role', name: 'repairer' },
    subjects: [{ kind: 'ServiceAccount', name: 'agent', namespace: 'shop' }],
  })
  return access
}

describe('a closed index', () => {
  it('watches nothing, and still answers correctly', () => {
    const access = createAccessWithAgent()
    const { can, client } = access
    let watchers = 0
    const index = createRbacIndex({
      ...client,
      watch(kind, listener) {
        watchers += 1
        const stop = client.watch(kind, listener)
        return () => {
          watchers -= 1
          stop()
        }
      },
    })
    expect(watchers).toBeGreaterThan(0)
    index.close()
    access.authorizer.index.close()
    expect([watchers, can(agent, 'list', 'pods', 'shop')]).toEqual([0, true])
    client.delete(roleBindings, 'shop', 'agent')
    expect(can(agent, 'list', 'pods', 'shop')).toBe(false)
  })
})

describe('an account with a role in one namespace', () => {
  it('is limited to that namespace', () => {
    const { can } = createAccessWithAgent()
    expect(can(agent, 'list', 'pods', 'shop')).toBe(true)
    expect(can(agent, 'get', 'pods/log', 'shop', 'web')).toBe(true)
    expect(can(agent, 'list', 'pods', 'kube-system')).toBe(false)
    expect(can(agent, 'list', 'pods')).toBe(false)
    expect(can(agent, 'list', 'namespaces')).toBe(false)
    expect(can(agent, 'get', 'nodes')).toBe(false)
    expect(can(serviceAccountUser('other', 'agent', 'u-2'), 'list', 'pods', 'shop')).toBe(false)
  })

  it('is limited to the listed verbs, groups, subresources and names', () => {
    const { can } = createAccessWithAgent()
    expect(can(agent, 'create', 'pods', 'shop')).toBe(false)
    expect(can(agent, 'create', 'pods/exec', 'shop', 'web')).toBe(false)
    expect(can(agent, 'patch', 'deployments.apps', 'shop', 'web')).toBe(true)
    expect(can(agent, 'patch', 'deployments', 'shop', 'web')).toBe(false)
    expect(can(agent, 'patch', 'statefulsets.apps', 'shop', 'db')).toBe(false)
    expect(can(agent, 'patch', 'statefulsets/scale.apps', 'shop', 'db')).toBe(true)
    expect(can(agent, 'get', 'secrets', 'shop', 'db')).toBe(true)
    expect(can(agent, 'get', 'secrets', 'shop', 'other')).toBe(false)
    expect(can(agent, 'list', 'secrets', 'shop')).toBe(false)
  })

  it('is not granted subresources by a wildcard after the slash, as on a real cluster', () => {
    expect(createAccessWithAgent().can(agent, 'get', 'services/proxy', 'shop', 'web')).toBe(false)
  })

  it('gets a reason if a request is allowed, and none if it is denied', () => {
    const { authorizer, attributes } = createAccessWithAgent()
    expect(authorizer.authorize(attributes(agent, 'list', 'pods', 'shop'))).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "agent/shop" of Role "repairer" to ServiceAccount "agent/shop"',
    })
    expect(authorizer.authorize(attributes(agent, 'create', 'pods', 'shop'))).toEqual({
      allowed: false,
      reason: '',
    })
  })
})

describe('bindings', () => {
  it('take effect immediately', () => {
    const { client, can } = createAccessWithAgent()
    expect(can(agent, 'list', 'pods', 'shop')).toBe(true)
    client.delete(roleBindings, 'shop', 'agent')
    expect(can(agent, 'list', 'pods', 'shop')).toBe(false)
  })

  it('of a ClusterRole apply to their namespace, or to all with a ClusterRoleBinding', () => {
    const { client, can } = createTestAccess()
    client.create(roleBindings, {
      metadata: { name: 'editors', namespace: 'shop' },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'edit' },
      subjects: [{ kind: 'Group', name: 'devs' }],
    })
    expect(can(person, 'delete', 'deployments.apps', 'shop', 'web')).toBe(true)
    expect(can(person, 'create', 'pods/exec', 'shop', 'web')).toBe(true)
    expect(can(person, 'list', 'pods.metrics.k8s.io', 'shop')).toBe(true)
    expect(can(person, 'create', 'roles.rbac.authorization.k8s.io', 'shop')).toBe(false)
    expect(can(person, 'delete', 'deployments.apps', 'bank', 'web')).toBe(false)
    client.create(clusterRoleBindings, {
      metadata: { name: 'viewers' },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'User', name: 'ann' }],
    })
    expect(can(person, 'list', 'deployments.apps', 'bank')).toBe(true)
    expect(can(person, 'list', 'pods')).toBe(true)
    expect(can(person, 'get', 'secrets', 'bank', 'x')).toBe(false)
  })

  it('to missing roles are reported in the reason', () => {
    const { client, authorizer, attributes } = createTestAccess()
    client.create(clusterRoleBindings, {
      metadata: { name: 'lost' },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'gone' },
      subjects: [{ kind: 'User', name: 'ann' }],
    })
    expect(authorizer.authorize(attributes(person, 'list', 'pods', 'shop'))).toEqual({
      allowed: false,
      reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
    })
  })
})

describe('the policy of a new cluster', () => {
  it('allows discovery to authenticated users, and the version to anonymous ones', () => {
    const { authorizer, can } = createTestAccess()
    const authorizePath = (user: User, path: string) => authorizer.authorize({ user, verb: 'get', path })
    expect(authorizePath(person, '/apis/apps/v1').allowed).toBe(true)
    expect(authorizePath(person, '/metrics').allowed).toBe(false)
    expect(authorizePath(anonymous, '/version').allowed).toBe(true)
    expect(authorizePath(anonymous, '/apis').allowed).toBe(false)
    expect(can(person, 'create', 'selfsubjectaccessreviews.authorization.k8s.io')).toBe(true)
    expect(can(anonymous, 'list', 'pods')).toBe(false)
  })

  it('allows everything to system:masters', () => {
    const { authorizer, attributes } = createTestAccess()
    const admin: User = { username: 'root', groups: ['system:masters'] }
    expect(authorizer.authorize(attributes(admin, 'impersonate', 'users'))).toEqual({
      allowed: true,
      reason: '',
    })
  })
})

describe('rulesFor', () => {
  it('returns the rules that kubectl auth can-i --list shows', () => {
    const { authorizer } = createAccessWithAgent()
    const { resourceRules, nonResourceRules } = authorizer.rulesFor(agent, 'shop')
    expect(resourceRules).toEqual(
      expect.arrayContaining([
        {
          verbs: ['create'],
          apiGroups: ['authorization.k8s.io'],
          resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
        },
        { verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['db'] },
      ]),
    )
    expect(nonResourceRules.flatMap((rule) => rule.nonResourceURLs)).toContain('/openapi/*')
    expect(authorizer.rulesFor(agent, 'bank').resourceRules).not.toEqual(
      expect.arrayContaining([expect.objectContaining({ resources: ['secrets'] })]),
    )
  })

  it('reflects changes of the role', () => {
    const { client, authorizer } = createAccessWithAgent()
    const role = client.get(roles, 'shop', 'repairer')!
    client.update(roles, { ...role, rules: [] })
    expect(
      authorizer.rulesFor(agent, 'shop').resourceRules.map(({ resources }) => resources),
    ).not.toContainEqual(['secrets'])
    expect(client.get(clusterRoles, '', 'view')).toBeDefined()
  })
})
