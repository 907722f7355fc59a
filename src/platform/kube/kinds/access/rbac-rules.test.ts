/** Tests roles and role bindings. */
import type { ClusterRoleBinding, PolicyRule, Role } from 'kubernetes-types/rbac/v1.d.ts'
import { describe, expect, it } from 'vitest'
import type { Stored } from '#platform/kube/meta'
import { errorTexts } from '../testing/kind-errors.ts'
import { clusterRoleBindings } from './cluster-role-binding.ts'
import { roles } from './role.ts'

const metadata = { name: 'x', uid: '1', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
const base = { apiVersion: '', kind: '', metadata }

describe('RBAC', () => {
  const role = (rules: PolicyRule[]): Stored<Role> => ({ ...base, rules })

  it('rejects incomplete rules, and non-resource URLs in namespaced rules', () => {
    expect(errorTexts(roles.validate!(role([{ verbs: [] }]), undefined))).toEqual([
      'rules[0].verbs: Required value: verbs must contain at least one value',
      'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
      'rules[0].resources: Required value: resource rules must supply at least one resource',
    ])
    expect(
      errorTexts(roles.validate!(role([{ verbs: ['get'], nonResourceURLs: ['/a'] }]), undefined)),
    ).toEqual([
      'rules[0].nonResourceURLs: Invalid value: []string{"/a"}: namespaced rules cannot apply to non-resource URLs',
    ])
  })

  it('rejects a change of roleRef, and a service account without namespace', () => {
    const binding = (name: string): Stored<ClusterRoleBinding> => {
      const draft: Stored<ClusterRoleBinding> = {
        ...base,
        roleRef: { kind: 'ClusterRole', name } as never,
        subjects: [{ kind: 'User', name: 'me' }],
      }
      clusterRoleBindings.defaults!(draft)
      return draft
    }
    expect(binding('view').subjects![0]!.apiGroup).toBe('rbac.authorization.k8s.io')
    expect(errorTexts(clusterRoleBindings.validate!(binding('edit'), binding('view')))).toEqual([
      'roleRef: Invalid value: rbac.RoleRef{APIGroup:"rbac.authorization.k8s.io", Kind:"ClusterRole", Name:"edit"}: cannot change roleRef',
    ])
    expect(clusterRoleBindings.row(binding('view'), { now: 0 }).slice(0, 2)).toEqual([
      'x',
      'ClusterRole/view',
    ])
    const account = { ...binding('view'), subjects: [{ kind: 'ServiceAccount', name: 'a' }] }
    expect(errorTexts(clusterRoleBindings.validate!(account, undefined))).toEqual([
      'subjects[0].namespace: Required value',
    ])
  })
})
