/** The module k8s_log. */
import type { LogOptions } from '#spec'
import { isTrue, pythonString } from '../../python/python-text.ts'
import { UnsupportedPlaybook } from '../../unsupported-playbook.ts'
import type { ArgumentSpec } from '../argument-spec.ts'
import { checkArguments } from '../check-arguments.ts'
import { type Module, type ModuleCall, PythonError, type Result } from '../module.ts'
import { type ApiClient, createApiClient, type Json } from './api-client.ts'
import { AUTH_SPEC, checkAccess, NAME_SPEC } from './common-spec.ts'
import { CoreError, reportCoreError } from './core-error.ts'
import { findResource, type Resource, ResourceNotFound } from './find-resource.ts'
import { RequestError } from './request-error.ts'

const SPEC: ArgumentSpec = {
  ...AUTH_SPEC,
  ...NAME_SPEC,
  kind: { default: 'Pod' },
  container: {},
  since_seconds: {},
  label_selectors: { type: 'list', elements: 'str', default: [] },
  previous: { type: 'bool', default: false },
  tail_lines: { type: 'int' },
  all_containers: { type: 'bool' },
}

const selectorOf = (object: Json): string => {
  const selector = object.spec?.selector
  if (selector === undefined || selector === null)
    throw new UnsupportedPlaybook(`k8s_log of a ${object.kind} without a selector`)
  const { matchLabels, matchExpressions } = selector
  const equal = (labels: Json): string[] => Object.entries(labels).map(([key, value]) => `${key}=${value}`)
  if (!isTrue(matchLabels) && !isTrue(matchExpressions)) return equal(selector).join(',')
  const expressions = (
    (matchExpressions ?? []) as { key: string; operator: string; values?: string[] }[]
  ).map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key
    if (operator === 'DoesNotExist') return `!${key}`
    return `${key} ${operator.toLowerCase()} (${values.join(', ')})`
  })
  return [...equal(matchLabels ?? {}), ...expressions].join(',')
}

const uncaught = (error: unknown): unknown =>
  error instanceof RequestError
    ? new PythonError(`kubernetes.dynamic.exceptions.${error.reason.replaceAll(' ', '')}Error`, error.message)
    : error

/** Finds the pod whose log to read: by name, by selector, or the first pod of a workload. */
const findPod = async (
  client: ApiClient,
  resource: Resource,
  pods: Resource,
  params: Record<string, any>,
): Promise<string | undefined> => {
  const { name, namespace } = params
  let selector = params.label_selectors.join(',')
  if (name && selector !== '') throw new CoreError('Only one of name or label_selectors can be provided')
  try {
    if (!resource.subresources.includes('log')) {
      if (!name)
        throw new CoreError('name must be provided for resources that do not support the log subresource')
      selector = selectorOf(await client.get(resource, name, namespace))
    }
    if (selector === '') return name ?? undefined
    const { items } = await client.list(pods, namespace, { label: selector })
    if (items.length === 0)
      throw new CoreError(`No pods in namespace ${pythonString(namespace)} matched selector ${selector}`)
    return items[0].metadata.name
  } catch (error) {
    throw uncaught(error)
  }
}

const containersOf = async (
  client: ApiClient,
  pods: Resource,
  namespace: string,
  name: string,
): Promise<string[]> => {
  try {
    const { status } = await client.get(pods, name, namespace)
    if (status?.containerStatuses === undefined)
      throw new CoreError("Unable to retrieve log from Pod due to: 'containerStatuses'")
    return status.containerStatuses.map((each: { name: string }) => each.name)
  } catch (error) {
    if (error instanceof RequestError)
      throw new CoreError(`Unable to retrieve log from Pod due to: ${error.detail}`)
    throw error
  }
}

const toLogOptions = ({
  container,
  since_seconds: since,
  previous,
  tail_lines: tail,
}: Record<string, any>): LogOptions => {
  if (since && !/^\d+$/.test(since)) throw new UnsupportedPlaybook(`since_seconds: ${since}`)
  return {
    ...(container ? { container } : {}),
    ...(since ? { sinceSeconds: Number(since) } : {}),
    ...(previous ? { previous: true } : {}),
    ...(tail ? { tailLines: tail } : {}),
  }
}

const readLog = async (call: ModuleCall, params: Record<string, any>): Promise<Result> => {
  const { api, discovery, pace } = call
  const client = createApiClient(api, pace, false)
  const pods = findResource(discovery, 'Pod', 'v1')
  const resource = findResource(discovery, params.kind, params.api_version)
  const name = await findPod(client, resource, pods, params)
  if (name === undefined)
    throw new CoreError('name must be provided for resources that do not support namespaced base url')
  const { namespace } = params
  if (!namespace) throw new UnsupportedPlaybook('k8s_log without a namespace')
  const options = toLogOptions(params)
  const containers = params.all_containers ? await containersOf(client, pods, namespace, name) : [undefined]
  let log = ''
  try {
    for (const container of containers)
      log += await client.request(() =>
        api.logs({ namespace, name }, container === undefined ? options : { ...options, container }),
      )
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    if (error.status === 404) throw new CoreError(`Pod ${namespace}/${name} not found.`)
    throw new CoreError(`Unable to retrieve log from Pod due to: ${error.detail}`)
  }
  return { changed: false, log, log_lines: log.split('\n') }
}

export const k8sLog: Module = {
  runsIn: 'kubernetes',
  async run(call): Promise<Result> {
    const params = checkArguments(call.action, SPEC, call.args, [['container', 'all_containers']])
    checkAccess(params)
    try {
      return await readLog(call, params)
    } catch (error) {
      return reportCoreError(error instanceof ResourceNotFound ? new CoreError(error.message) : error)
    }
  },
}
