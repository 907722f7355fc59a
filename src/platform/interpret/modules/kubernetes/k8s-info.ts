/** The module k8s_info, and the search for objects that other modules share. */
import type { KubeDiscovery } from '#spec'
import { pythonRepr, pythonString } from '../../python/python-text.ts'
import type { Pace } from '../../run/pace.ts'
import type { ArgumentSpec } from '../argument-spec.ts'
import { checkArguments } from '../check-arguments.ts'
import type { Module, Result } from '../module.ts'
import { type ApiClient, createApiClient, type Json } from './api-client.ts'
import { AUTH_SPEC, checkAccess, WAIT_SPEC } from './common-spec.ts'
import { CoreError, reportCoreError } from './core-error.ts'
import { findResource, type Resource, ResourceNotFound } from './find-resource.ts'
import { ClientError, RequestError } from './request-error.ts'
import { exists, predicateFor, type WaitCondition, type WaitOptions, waitFor } from './waiter.ts'

const SPEC: ArgumentSpec = {
  ...AUTH_SPEC,
  ...WAIT_SPEC,
  kind: { required: true },
  api_version: { default: 'v1', aliases: ['api', 'version'] },
  name: {},
  namespace: {},
  label_selectors: { type: 'list', elements: 'str', default: [] },
  field_selectors: { type: 'list', elements: 'str', default: [] },
}

export interface FindOptions {
  readonly kind: unknown
  readonly apiVersion: unknown
  readonly name: unknown
  readonly namespace: unknown
  readonly labelSelectors: readonly string[]
  readonly fieldSelectors: readonly string[]
  readonly wait?: boolean
  readonly sleep?: number
  readonly timeout?: number
  readonly condition?: WaitCondition | null
}

export interface Found {
  readonly resources: readonly Json[]
  readonly api_found: boolean
  readonly msg?: string
}

const findServed = (discovery: KubeDiscovery, kind: unknown, apiVersion: unknown): Resource | undefined => {
  try {
    return findResource(discovery, kind, apiVersion)
  } catch (error) {
    if (error instanceof ResourceNotFound) return undefined
    throw error
  }
}

const searchFailure = (error: unknown, options: FindOptions): unknown => {
  if (!(error instanceof RequestError) && !(error instanceof ClientError)) return error
  const { name, namespace, labelSelectors, fieldSelectors } = options
  return new CoreError(
    `Exception '${error.message}' raised while trying to get resource using (name=${pythonString(name)}, namespace=${pythonString(namespace)}, label_selectors=${pythonRepr(labelSelectors)}, field_selectors=${pythonRepr(fieldSelectors)})`,
  )
}

export const findObjects = async (
  client: ApiClient,
  pace: Pace,
  discovery: KubeDiscovery,
  options: FindOptions,
): Promise<Found> => {
  const { kind, apiVersion, name, namespace, labelSelectors, fieldSelectors, wait = false } = options
  const resource = findServed(discovery, kind, apiVersion)
  if (resource === undefined)
    return {
      resources: [],
      msg: `Failed to find API for resource with apiVersion "${pythonString(apiVersion)}" and kind "${pythonString(kind)}"`,
      api_found: false,
    }
  const common: Pick<WaitOptions, 'resource' | 'timeout' | 'sleep'> = {
    resource,
    timeout: wait ? (options.timeout ?? 120) : 0,
    sleep: options.sleep ?? 5,
  }
  let found: Json
  try {
    const first = await waitFor(client, pace, {
      ...common,
      predicate: exists,
      name,
      namespace,
      labelSelectors,
      fieldSelectors,
    })
    found = first.instance
  } catch (error) {
    if (error instanceof RequestError && error.status === 400) return { resources: [], api_found: true }
    throw searchFailure(error, options)
  }
  if (found.kind === undefined || !exists(found)) return { resources: [], api_found: true }
  const instances: readonly Json[] = found.items?.length > 0 ? found.items : [found]
  if (!wait) return { resources: instances, api_found: true }
  const predicate = predicateFor(resource, 'present', options.condition ?? undefined)
  const ready: Json[] = []
  for (const { metadata } of instances) {
    const { success, instance, duration } = await waitFor(client, pace, {
      ...common,
      predicate,
      name: metadata.name,
      namespace: metadata.namespace,
    })
    if (!success)
      throw new CoreError(
        `Failed to gather information about ${pythonString(instance.kind)}(s) even after waiting for ${duration} seconds`,
      )
    ready.push(instance)
  }
  return { resources: ready, api_found: true }
}

export const k8sInfo: Module = {
  runsIn: 'kubernetes',
  async run({ args, action, api, discovery, pace, isCheckMode }): Promise<Result> {
    const params = checkArguments(action, SPEC, args)
    checkAccess(params)
    try {
      const found = await findObjects(createApiClient(api, pace, isCheckMode), pace, discovery, {
        kind: params.kind,
        apiVersion: params.api_version,
        name: params.name,
        namespace: params.namespace,
        labelSelectors: params.label_selectors,
        fieldSelectors: params.field_selectors,
        wait: params.wait,
        sleep: params.wait_sleep,
        timeout: params.wait_timeout,
        condition: params.wait_condition,
      })
      return { changed: false, ...found }
    } catch (error) {
      return reportCoreError(error)
    }
  },
}
