/** Which rules apply to a user in a namespace, kept ready until a role or a binding changes. */
import type {
  ClusterRoleBinding,
  PolicyRule,
  RoleBinding,
  RoleRef,
  Subject,
} from 'kubernetes-types/rbac/v1.d.ts'
import { clusterRoleBindings, clusterRoles, type Kind, roleBindings, roles } from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'
import type { Client, User } from '../ports/index.ts'
import { serviceAccountUsername } from './service-account-user.ts'

type Binding = Stored<ClusterRoleBinding> | Stored<RoleBinding>

/** The rules that one binding gives to one of its subjects. */
export interface Grant {
  rules: readonly PolicyRule[]
  /** `ClusterRoleBinding "x" of ClusterRole "y" to Group "z"` */
  description: string
}

export interface Grants {
  grants: readonly Grant[]
  /** Roles that bindings name and that are not there. */
  problems: readonly string[]
}

export interface RbacIndex {
  /** What `user` holds in the whole cluster, and in `namespace` where one is given. */
  grantsOf(user: User, namespace: string): Grants
  /** The rules of the role, or undefined when there is no such role. */
  rulesOf(role: RoleRef, namespace: string): readonly PolicyRule[] | undefined
  /** Stops to follow changes, and from then on keeps nothing ready. */
  close(): void
}

interface Entry {
  binding: Binding
  subject: Subject
  /** Where the binding stands among all, for a stable order. */
  order: number
}

type BySubject = Map<string, Entry[]>

/** More users than this have hardly all come back: what is known of them is forgotten at once. */
const REMEMBERED = 1000

const subjectKey = ({ kind, name, namespace }: Subject, bindingNamespace: string): string =>
  kind === 'ServiceAccount'
    ? `User:${serviceAccountUsername(namespace || bindingNamespace, name)}`
    : `${kind}:${name}`

const describeSubject = ({ kind, name, namespace }: Subject, bindingNamespace: string): string =>
  kind === 'ServiceAccount' ? `${kind} "${name}/${namespace || bindingNamespace}"` : `${kind} "${name}"`

const describe = ({ binding, subject }: Entry): string => {
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
  const known = new Map<string, Grants>()
  const forget = (): void => {
    clusterWide = undefined
    byNamespace.clear()
    known.clear()
  }
  const watches = ([roles, clusterRoles, roleBindings, clusterRoleBindings] as Kind[]).map((kind) =>
    client.watch(kind, forget),
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

  const collect = (user: User, namespace: string): Grants => {
    clusterWide ??= indexBindings(client.list(clusterRoleBindings))
    const entries = entriesFor(clusterWide, user)
    if (namespace !== '') entries.push(...entriesFor(bindingsOf(namespace), user))
    const grants: Grant[] = []
    const problems: string[] = []
    for (const entry of entries) {
      const { roleRef, metadata } = entry.binding
      const rules = rulesOf(roleRef, metadata.namespace ?? '')
      if (rules !== undefined) grants.push({ rules, description: describe(entry) })
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
      if (closed) forget()
      const key = `${namespace}\n${user.username}\n${user.groups.join('\n')}`
      let grants = known.get(key)
      if (grants === undefined) {
        grants = collect(user, namespace)
        if (known.size >= REMEMBERED) known.clear()
        known.set(key, grants)
      }
      return grants
    },
  }
}
