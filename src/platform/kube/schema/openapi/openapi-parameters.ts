/** The parameters of each action. */

export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'path'
  readonly type: 'string' | 'integer' | 'boolean'
}

const query = (type: Parameter['type'], ...names: string[]): Parameter[] =>
  names.map((name) => ({ name, in: 'query', type }))

const WRITE = query('string', 'dryRun', 'fieldManager', 'fieldValidation')
const LIST = [
  ...query('boolean', 'allowWatchBookmarks', 'sendInitialEvents', 'watch'),
  ...query('string', 'continue', 'fieldSelector', 'labelSelector', 'resourceVersion', 'resourceVersionMatch'),
  ...query('integer', 'limit', 'timeoutSeconds'),
]
const DELETE = [
  ...query('string', 'dryRun', 'propagationPolicy'),
  ...query('integer', 'gracePeriodSeconds'),
  ...query('boolean', 'ignoreStoreReadErrorWithClusterBreakingPotential', 'orphanDependents'),
]

/** Keyed by the values of `x-kubernetes-action`. */
const ACTIONS: Readonly<Record<string, readonly Parameter[]>> = {
  list: LIST,
  watch: LIST,
  watchlist: LIST,
  post: WRITE,
  put: WRITE,
  patch: [...WRITE, ...query('boolean', 'force')],
  delete: DELETE,
  deletecollection: [
    ...LIST.filter(({ name }) => name !== 'watch' && name !== 'allowWatchBookmarks'),
    ...DELETE,
  ],
}

const STREAMS = query('boolean', 'stderr', 'stdin', 'stdout', 'tty')

/** The parameters of the subresources that access a running pod or Service, by name. */
const SUBRESOURCES: Readonly<Record<string, readonly Parameter[]>> = {
  log: [
    ...query('string', 'container', 'stream'),
    ...query('boolean', 'follow', 'insecureSkipTLSVerifyBackend', 'previous', 'timestamps'),
    ...query('integer', 'limitBytes', 'sinceSeconds', 'tailLines'),
  ],
  attach: [...query('string', 'container'), ...STREAMS],
  exec: [...query('string', 'command', 'container'), ...STREAMS],
  portforward: query('integer', 'ports'),
  proxy: query('string', 'path'),
}

const PRETTY = query('string', 'pretty')

/** Returns path and query parameters, sorted by name. */
export const parametersFor = (action: string, path: string, subresource: string | undefined): Parameter[] => {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(
    ([, name]): Parameter => ({ name: name!, in: 'path', type: 'string' }),
  )
  const ownParameters =
    (subresource === undefined ? undefined : SUBRESOURCES[subresource]) ?? ACTIONS[action] ?? []
  const pretty = action === 'connect' ? [] : PRETTY
  return [...inPath, ...ownParameters, ...pretty].sort((a, b) =>
    a.name === b.name ? 0 : a.name < b.name ? -1 : 1,
  )
}
