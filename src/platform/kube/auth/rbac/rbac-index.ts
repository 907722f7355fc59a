/** The rules that apply to a user in a namespace, cached until a role or binding changes. */
import type {
  ClusterRoleBinding,
  PolicyRule,
  RoleBinding,
  RoleRef,
  Subject,
} from 'kubernetes-types/rbac/v1.d.ts'
import { clusterRoleBindings, clusterRoles, type Kind, roleBindings, roles } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { Client, User } from '#platform/kube/ports'
import { serviceAccountUsername } from '../service-account-user.ts'

type Binding = Stored<ClusterRoleBinding> | Stored<RoleBinding>

/** The rules that one binding grants to one of its subjects. */
export interface Grant {
  rules: readonly PolicyRule[]
  /** `ClusterRoleBinding "x" of ClusterRole "y" to Group "z"` */
  description: string
}

export interface Grants {
  grants: readonly Grant[]
  /** Messages about missing roles. */
  problems: readonly string[]
}

export interface RbacIndex {
  /** The grants of `user` in the cluster and, unless it is empty, in `namespace`. */
  grantsOf(user: User, namespace: string): Grants
  /** The rules of the role; undefined if it does not exist. */
  rulesOf(role: RoleRef, namespace: string): readonly PolicyRule[] | undefined
  /** Stops watching; later calls are not cached. */
  close(): void
}

interface Entry {
  binding: Binding
  subject: Subject
  /** The position of the binding in the list, for a stable order. */
  order: number
}

type BySubject = Map<string, Entry[]>

/** The cache is cleared above this size. */
const MAX_CACHED = 1000

const subjectKey = ({ kind, name, namespace }: Subject, bindingNamespace: string): string =>
  kind === 'ServiceAccount'
    ? `User:${serviceAccountUsername(namespace || bindingNamespace, name)}`
    : `${kind}:${name}`

const describeSubject = ({ kind, name, namespace }: Subject, bindingNamespace: string): string =>
  kind === 'ServiceAccount' ? `${kind} "${name}/${namespace || bindingNamespace}"` : `${kind} "${name}"`

const describeGrant = ({ binding, subject }: Entry): string => {
  const { kind, metadata, roleRef } = binding
  const { name, namespace = '' } = metadata
  const title = namespace === '' ? name : `${name}/${namespace}`
  return `${kind} "${title}" of ${roleRef.kind} "${roleRef.name}" to ${describeSubject(subject, namespace)}`
}

const indexBindings = (bindings: readonly Binding[]): BySubject => {
  const entries: BySubject = new Map()
  bindings.forEach((binding, order) => {
    for (const subject of binding.subjects ?? []) {
      const key = subjectKey(subject, binding.metadata.namespace ?? '')
      const known = entries.get(key)
      if (known === undefined) entries.set(key, [{ binding, subject, order }])
      else known.push({ binding, subject, order })
    }
  })
  return entries
}

const entriesFor = (index: BySubject, user: User): Entry[] => {
  const found = [...(index.get(`User:${user.username}`) ?? [])]
  for (const group of user.groups) found.push(...(index.get(`Group:${group}`) ?? []))
  return found.sort((a, b) => a.order - b.order)
}

export const createRbacIndex = (client: Client): RbacIndex => {
  let clusterWide: BySubject | undefined
  const byNamespace = new Map<string, BySubject>()
  const cachedGrants = new Map<string, Grants>()
  const clear = (): void => {
    clusterWide = undefined
    byNamespace.clear()
    cachedGrants.clear()
  }
  const watches = ([roles, clusterRoles, roleBindings, clusterRoleBindings] as Kind[]).map((kind) =>
    client.watch(kind, clear),
  )
  let closed = false

  const rulesOf: RbacIndex['rulesOf'] = (role, namespace) => {
    const found =
      role.kind === 'Role' ? client.get(roles, namespace, role.name) : client.get(clusterRoles, '', role.name)
    return found && (found.rules ?? [])
  }

  const bindingsOf = (namespace: string): BySubject => {
    let index = byNamespace.get(namespace)
    if (index === undefined) {
      index = indexBindings(client.list(roleBindings, namespace))
      byNamespace.set(namespace, index)
    }
    return index
  }

  const collectGrants = (user: User, namespace: string): Grants => {
    clusterWide ??= indexBindings(client.list(clusterRoleBindings))
    const entries = entriesFor(clusterWide, user)
    if (namespace !== '') entries.push(...entriesFor(bindingsOf(namespace), user))
    const grants: Grant[] = []
    const problems: string[] = []
    for (const entry of entries) {
      const { roleRef, metadata } = entry.binding
      const rules = rulesOf(roleRef, metadata.namespace ?? '')
      if (rules !== undefined) grants.push({ rules, description: describeGrant(entry) })
      else
        problems.push(`${roleRef.kind.toLowerCase()}.rbac.authorization.k8s.io "${roleRef.name}" not found`)
    }
    return { grants, problems }
  }

  return {
    rulesOf,
    close() {
      closed = true
      for (const stop of watches) stop()
    },
    grantsOf(user, namespace) {
      if (closed) clear()
      const key = `${namespace}\n${user.username}\n${user.groups.join('\n')}`
      let grants = cachedGrants.get(key)
      if (grants === undefined) {
        grants = collectGrants(user, namespace)
        if (cachedGrants.size >= MAX_CACHED) cachedGrants.clear()
        cachedGrants.set(key, grants)
      }
      return grants
    },
  }
}
