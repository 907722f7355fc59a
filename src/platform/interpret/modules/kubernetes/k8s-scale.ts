/** The module k8s_scale. */
import { pythonString } from '../../python/python-text.ts'
import type { ArgumentSpec } from '../argument-spec.ts'
import { checkArguments } from '../check-arguments.ts'
import { fail, type Module, ModuleEnded, PythonError, type Result } from '../module.ts'
import { createApiClient, type Json } from './api-client.ts'
import { AUTH_SPEC, checkAccess, DEFINITION_SPEC, NAME_SPEC } from './common-spec.ts'
import { CoreError, reportCoreError, requestFailure } from './core-error.ts'
import { createDefinitions, DefinitionError } from './definitions.ts'
import { findResource, ResourceNotFound } from './find-resource.ts'
import { RequestError } from './request-error.ts'
import { replicasOf, type ScaleContext, scaleObject } from './scale-object.ts'
import { isList } from './waiter.ts'

const SPEC: ArgumentSpec = {
  replicas: { type: 'int', required: true },
  current_replicas: { type: 'int' },
  resource_version: {},
  wait: { type: 'bool', default: true },
  wait_timeout: { type: 'int', default: 20 },
  wait_sleep: { type: 'int', default: 5 },
  ...DEFINITION_SPEC,
  ...NAME_SPEC,
  ...AUTH_SPEC,
  label_selectors: { type: 'list', elements: 'str', default: [] },
  continue_on_error: { type: 'bool', default: false },
}

const retrieve = async ({ client, params, resource }: ScaleContext, metadata: Json): Promise<Json> => {
  try {
    if (metadata.name) return await client.get(resource, String(metadata.name), metadata.namespace)
    return await client.list(resource, metadata.namespace, { label: params.label_selectors.join(',') })
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    if (error.status === 404) throw requestFailure('Failed to retrieve requested object', error)
    throw new PythonError(
      `kubernetes.dynamic.exceptions.${error.reason.replaceAll(' ', '')}Error`,
      error.message,
    )
  }
}

const mismatch = (params: Record<string, any>, object: Json, count: unknown): string | undefined => {
  const { kind, metadata } = object
  const described = `for object kind=${kind} name=${metadata.name} namespace=${pythonString(metadata.namespace ?? null)}.`
  if (params.resource_version && params.resource_version !== metadata.resourceVersion)
    return `expected resource version ${params.resource_version} does not match with actual ${metadata.resourceVersion} ${described}`
  if (params.current_replicas !== null && count !== params.current_replicas)
    return `current replicas ${params.current_replicas} does not match with actual ${pythonString(count)} ${described}`
  return undefined
}

const scaleAll = async (context: ScaleContext, objects: readonly Json[], kind: string): Promise<Result> => {
  const { params } = context
  const isSeveral = objects.length > 1
  const summary: Result = isSeveral
    ? { results: [] }
    : { result: {}, ...(params.wait ? { duration: 0 } : {}) }
  const results = (summary.results ?? []) as Result[]
  let isChanged = false
  for (const object of objects) {
    const count = replicasOf(kind, object)
    if (count === null) {
      const { metadata } = object
      const error = `Failed to retrieve the available count for object kind=${object.kind} name=${metadata.name} namespace=${pythonString(metadata.namespace ?? null)}.`
      if (!isSeveral || !params.continue_on_error) fail(error, summary)
      summary.errors = [...((summary.errors as Result[] | undefined) ?? []), { error, failed: true }]
      continue
    }
    const warning = mismatch(params, object, count)
    if (warning !== undefined) {
      if (!isSeveral) throw new ModuleEnded({ warning, ...summary })
      results.push({ warning, changed: false })
      continue
    }
    let result: Result
    try {
      result = await scaleObject(context, object, kind)
    } catch (error) {
      if (error instanceof CoreError) fail(error.message)
      throw error
    }
    if (!isSeveral) return result
    isChanged ||= result.changed === true
    results.push(result)
  }
  return { changed: isChanged, ...summary }
}

export const k8sScale: Module = {
  runsIn: 'kubernetes',
  async run({ args, action, api, discovery, pace, isCheckMode }): Promise<Result> {
    const params = checkArguments(action, SPEC, args, [['resource_definition', 'src']])
    checkAccess(params)
    const client = createApiClient(api, pace, false)
    try {
      const [definition] = createDefinitions(params)
      if (definition === undefined) throw new PythonError('IndexError', 'list index out of range')
      const kind = String(definition.kind ?? 'None')
      const resource = findResource(discovery, definition.kind, definition.apiVersion)
      const context: ScaleContext = { client, pace, params, isCheckMode, resource }
      const existing = await retrieve(context, definition.metadata)
      return await scaleAll(context, isList(existing) ? existing.items : [existing], kind)
    } catch (error) {
      if (error instanceof ResourceNotFound)
        throw new PythonError('kubernetes.dynamic.exceptions.ResourceNotFoundError', error.message)
      if (error instanceof DefinitionError) throw new PythonError('AttributeError', error.message)
      return reportCoreError(error)
    }
  },
}
