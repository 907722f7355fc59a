/** Role-based access control over the roles and bindings in the store. */
import type { Attributes, Authorizer, Client, Decision, User } from '#platform/kube/ports'
import { matchRule } from './match-rule.ts'
import { createRbacIndex, type RbacIndex } from './rbac-index.ts'

export interface RbacAuthorizer extends Authorizer {
  /** The granted rules, for the escalation check. */
  index: RbacIndex
}

/** Members of this group may do everything. */
const PRIVILEGED_GROUP = 'system:masters'

export const isPrivileged = ({ groups }: User): boolean => groups.includes(PRIVILEGED_GROUP)

const denialReason = (problems: readonly string[]): string => {
  if (problems.length === 0) return ''
  return problems.length === 1 ? `RBAC: ${problems[0]}` : `RBAC: [${problems.join(', ')}]`
}

type Rules = ReturnType<Authorizer['rulesFor']>

const reviewRules = (index: RbacIndex, user: User, namespace: string): Rules => {
  const resourceRules: Rules['resourceRules'][number][] = []
  const nonResourceRules: Rules['nonResourceRules'][number][] = []
  for (const { rules } of index.grantsOf(user, namespace).grants) {
    for (const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } of rules) {
      if (resources.length > 0)
        resourceRules.push({
          verbs,
          apiGroups,
          resources,
          ...(resourceNames.length > 0 ? { resourceNames } : {}),
        })
      if (nonResourceURLs.length > 0) nonResourceRules.push({ verbs, nonResourceURLs })
    }
  }
  return { resourceRules, nonResourceRules }
}

export const createRbacAuthorizer = (client: Client): RbacAuthorizer => {
  const index = createRbacIndex(client)

  const authorize = (attributes: Attributes): Decision => {
    const { user, resource } = attributes
    if (isPrivileged(user)) return { allowed: true, reason: '' }
    const { grants, problems } = index.grantsOf(user, resource?.namespace ?? '')
    for (const { rules, description } of grants) {
      for (const rule of rules) {
        if (matchRule(rule, attributes)) return { allowed: true, reason: `RBAC: allowed by ${description}` }
      }
    }
    return { allowed: false, reason: denialReason(problems) }
  }

  return { index, authorize, rulesFor: (user, namespace) => reviewRules(index, user, namespace) }
}
