/** Parses the path of a resource request. */

export interface ResourcePath {
  group: string
  version: string
  /** Empty for cluster-scoped resources and for lists over all namespaces. */
  namespace: string
  plural: string
  name: string
  subresource: string
  /** The path after the subresource, as in `services/x/proxy/some/path`. */
  rest: string
  /** Whether the path has the deprecated `/watch/` prefix. */
  watch: boolean
}

/** Subresources of namespaces; any other third part is a resource in the namespace. */
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize'])

/** Returns the resource of a decoded path; undefined for paths such as `/version` and `/apis/apps/v1`. */
export const parsePath = (path: string): ResourcePath | undefined => {
  const parts = path.split('/').filter((part) => part !== '')
  const root = parts.shift()
  if (root !== 'api' && root !== 'apis') return undefined
  const group = root === 'apis' ? (parts.shift() ?? '') : ''
  const version = parts.shift()
  if (version === undefined || parts.length === 0) return undefined
  const watch = parts[0] === 'watch'
  if (watch) parts.shift()
  let namespace = ''
  if (parts[0] === 'namespaces' && parts.length >= 3 && !NAMESPACE_SUBRESOURCES.has(parts[2]!)) {
    namespace = parts[1]!
    parts.splice(0, 2)
  }
  const [plural = '', name = '', subresource = '', ...rest] = parts
  if (plural === '') return undefined
  return { group, version, namespace, plural, name, subresource, rest: rest.join('/'), watch }
}
