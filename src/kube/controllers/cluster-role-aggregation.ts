/** The ClusterRole aggregation controller: roles with an aggregation rule get the rules of those it selects. */
import type { ClusterRole, PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { deepEqual } from '../../kit/index.ts'
import { clusterRoles } from '../kinds/index.ts'
import { matcherOf, type Stored } from '../meta/index.ts'
import type { Client } from '../ports/index.ts'
import { type Controller, defineController, watching } from './define-controller.ts'

/** The rules of all selected roles, in the order of their names, each once. */
const gather = (client: Client, role: Stored<ClusterRole>): PolicyRule[] => {
  const all = client.list(clusterRoles)
  const rules: PolicyRule[] = []
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const matches = matcherOf(selector)
    for (const { metadata, rules: more = [] } of all) {
      if (metadata.name === role.metadata.name || !matches(metadata.labels)) continue
      rules.push(...more.filter((rule) => !rules.some((one) => deepEqual(one, rule))))
    }
  }
  return rules
}

const aggregating = (client: Client): string[] =>
  client
    .list(clusterRoles)
    .filter(({ aggregationRule }) => aggregationRule !== undefined)
    .map(({ metadata }) => metadata.name)

export const createClusterRoleAggregation = (): Controller =>
  defineController({
    name: 'clusterrole-aggregation',
    manager: 'clusterrole-aggregation-controller',
    // Any role may be, or have been, a part of any other.
    watches: [watching(clusterRoles, (_, { client }) => aggregating(client))],
    reconcile(name, { client }) {
      const role = client.get(clusterRoles, '', name)
      if (role?.aggregationRule === undefined) return
      const rules = gather(client, role)
      if (!deepEqual(rules, role.rules ?? [])) client.update(clusterRoles, { ...role, rules })
    },
  })
