/** The ClusterRole aggregation controller: copies the rules of the selected roles into aggregated roles. */
import type { ClusterRole, PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { deepEqual } from '#kit'
import { clusterRoles } from '#platform/kube/kinds'
import { type Stored, toLabelMatcher } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { type Controller, defineController, watching } from '../define-controller.ts'

/** Returns the distinct rules of all selected roles, in the order of the selectors and of the role names. */
const collectRules = (client: Client, role: Stored<ClusterRole>): PolicyRule[] => {
  const all = client.list(clusterRoles)
  const rules: PolicyRule[] = []
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const matches = toLabelMatcher(selector)
    for (const { metadata, rules: more = [] } of all) {
      if (metadata.name === role.metadata.name || !matches(metadata.labels)) continue
      rules.push(...more.filter((rule) => !rules.some((existing) => deepEqual(existing, rule))))
    }
  }
  return rules
}

const listAggregatingRoles = (client: Client): string[] =>
  client
    .list(clusterRoles)
    .filter(({ aggregationRule }) => aggregationRule !== undefined)
    .map(({ metadata }) => metadata.name)

export const createClusterRoleAggregation = (): Controller =>
  defineController({
    name: 'clusterrole-aggregation',
    manager: 'clusterrole-aggregation-controller',
    // A change of any role can affect any aggregated role.
    watches: [watching(clusterRoles, (_, { client }) => listAggregatingRoles(client))],
    reconcile(name, { client }) {
      const role = client.get(clusterRoles, '', name)
      if (role?.aggregationRule === undefined) return
      const rules = collectRules(client, role)
      if (!deepEqual(rules, role.rules ?? [])) client.update(clusterRoles, { ...role, rules })
    },
  })
