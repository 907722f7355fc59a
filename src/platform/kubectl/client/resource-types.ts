/** Finds resources by the names that kubectl accepts: `deploy`, `deployments`, `deployments.apps`, `deployments.v1.apps`. */
import type { KubeDiscovery, ResourceRef, ServedResource } from '#spec'
import { KubectlError } from './kubectl-error.ts'

export interface ResourceType extends ServedResource {
  /** `v1` or `apps/v1`. */
  readonly apiVersion: string
  /** `deployment.apps`, as kubectl writes it before the names of objects. */
  readonly label: string
}

const toType = (resource: ServedResource): ResourceType => ({
  ...resource,
  apiVersion: resource.group === '' ? resource.version : `${resource.group}/${resource.version}`,
  label: `${resource.singular || resource.kind.toLowerCase()}${resource.group === '' ? '' : `.${resource.group}`}`,
})

const isNamed = ({ plural, singular, shortNames, kind }: ServedResource, name: string): boolean =>
  plural === name || singular === name || shortNames.includes(name) || kind.toLowerCase() === name

/** If several groups have the resource, uses the first in the order of discovery, as kubectl does. */
const findNamed = (types: readonly ResourceType[], written: string): ResourceType | undefined => {
  const name = written.toLowerCase()
  const usable = types.filter(({ verbs }) => verbs.includes('get') || verbs.includes('list'))
  const direct =
    usable.find((type) => type.isPreferred && isNamed(type, name)) ??
    usable.find((type) => isNamed(type, name))
  if (direct !== undefined) return direct
  const [resource = '', ...parts] = name.split('.')
  const group = parts.join('.')
  const versioned = parts.slice(1).join('.')
  return (
    usable.find((type) => isNamed(type, resource) && type.group === group && type.isPreferred) ??
    usable.find((type) => isNamed(type, resource) && type.group === group) ??
    usable.find((type) => isNamed(type, resource) && type.version === parts[0] && type.group === versioned)
  )
}

/** The resources of `all`, in the order of kubectl. */
const ALL = [
  ...[
    'pods',
    'replicationcontrollers',
    'services',
    'daemonsets',
    'deployments',
    'replicasets',
    'statefulsets',
  ],
  ...['horizontalpodautoscalers', 'cronjobs', 'jobs'],
]

export interface ResourceTypes {
  /** Throws kubectl's error if there is no such resource. */
  find(name: string): ResourceType
  /** Several names with commas, and `all`. */
  findAll(names: string): ResourceType[]
  byKind(apiVersion: string, kind: string): ResourceType | undefined
}

export const createResourceTypes = (discovery: KubeDiscovery): ResourceTypes => {
  const types = discovery.resources().map(toType)
  const find = (name: string): ResourceType => {
    const found = findNamed(types, name)
    if (found === undefined)
      throw new KubectlError(`error: the server doesn't have a resource type "${name}"`)
    return found
  }
  return {
    find,
    findAll: (names) =>
      names
        .split(',')
        .flatMap((name) =>
          name === 'all' ? ALL.flatMap((plural) => findNamed(types, plural) ?? []) : [find(name)],
        ),
    byKind: (apiVersion, kind) => types.find((type) => type.apiVersion === apiVersion && type.kind === kind),
  }
}

export const refOf = (
  { apiVersion, plural, namespaced }: ResourceType,
  namespace: string | undefined,
): ResourceRef => ({
  apiVersion,
  plural,
  ...(namespaced && namespace !== undefined ? { namespace } : {}),
})
