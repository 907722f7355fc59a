/** Finds a resource by the names that the dynamic client of Python accepts. */
import type { KubeDiscovery, ServedResource } from '#spec'
import { UnsupportedPlaybook } from '../../unsupported-playbook.ts'

export interface Resource extends ServedResource {
  /** `v1` or `apps/v1`. */
  readonly apiVersion: string
}

/** Thrown if no resource or several resources have the name. */
export class ResourceNotFound extends Error {}

const toResource = (resource: ServedResource): Resource => ({
  ...resource,
  apiVersion: resource.group === '' ? resource.version : `${resource.group}/${resource.version}`,
})

type Match = (resource: Resource, name: string) => boolean

/** Tried in this order. Short names match only resources that have a single one. */
const MATCHES: readonly Match[] = [
  ({ kind }, name) => kind === name,
  ({ plural }, name) => plural === name,
  ({ singular }, name) => singular === name,
  ({ shortNames }, name) => shortNames.length === 1 && shortNames[0] === name,
]

/** Prefers the exact API version, then the resource with the most verbs. */
const pickOne = (found: readonly Resource[], apiVersion: string): Resource | undefined => {
  let results = found
  if (results.length > 1) results = results.filter((each) => each.apiVersion === apiVersion)
  if (results.length > 1) {
    const most = Math.max(...results.map(({ verbs }) => verbs.length))
    const best = results.filter(({ verbs }) => verbs.length === most)
    if (best.length < results.length) results = best.slice(0, 1)
  }
  return results.length === 1 ? results[0] : undefined
}

export const findResource = (discovery: KubeDiscovery, kind: unknown, apiVersion: unknown): Resource => {
  const name = String(kind ?? '')
  const version = String(apiVersion ?? '')
  if (name.endsWith('List')) throw new UnsupportedPlaybook(`the kind ${name}`)
  const resources = discovery.resources().map(toResource)
  const [first = '', second] = version.split('/')
  const inVersion =
    second === undefined
      ? resources.filter((each) => each.version === first)
      : resources.filter((each) => each.group === first && each.version === second)
  const scopes = version === 'v1' ? [inVersion.filter(({ group }) => group === ''), inVersion] : [inVersion]
  for (const scope of scopes)
    for (const matches of MATCHES) {
      const found = pickOne(
        scope.filter((resource) => matches(resource, name)),
        version,
      )
      if (found !== undefined) return found
    }
  throw new ResourceNotFound(
    `Failed to find exact match for ${apiVersion ?? 'None'}.${kind ?? 'None'} by [kind, name, singularName, shortNames]`,
  )
}
