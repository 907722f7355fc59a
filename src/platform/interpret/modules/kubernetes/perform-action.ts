/** Creates, changes and deletes one object, as the module k8s does for each definition. */
import { pythonString } from '../../python/python-text.ts'
import { UnsupportedPlaybook } from '../../unsupported-playbook.ts'
import type { Result } from '../module.ts'
import type { Json } from './api-client.ts'
import { requestFailure } from './core-error.ts'
import type { Definition } from './definitions.ts'
import { deleteObject } from './delete-object.ts'
import { diffObjects } from './diff-objects.ts'
import type { Resource } from './find-resource.ts'
import { matchesLabels } from './label-filter.ts'
import type { ObjectContext } from './object-context.ts'
import { RequestError } from './request-error.ts'
import { waitForChange, waitTimeout } from './wait-for-change.ts'
import { writeObject } from './write-object.ts'

const retrieve = async (
  { client, params }: ObjectContext,
  resource: Resource,
  { metadata }: Definition,
): Promise<Json | undefined> => {
  const selectors = params.label_selectors ?? []
  try {
    if (metadata.name) return await client.get(resource, String(metadata.name), metadata.namespace)
    if (selectors.length > 0)
      return await client.list(resource, metadata.namespace, { label: selectors.join(',') })
    return undefined
  } catch (error) {
    if (error instanceof RequestError && (error.status === 404 || error.status === 405)) return undefined
    throw requestFailure('Failed to retrieve requested object', error)
  }
}

const MEANINGLESS =
  'No meaningful diff was generated, but the API may not be idempotent (only metadata.generation or metadata.resourceVersion were changed)'

/** `definition` has its kind and API version from the resource. Throws a CoreError if the server refuses. */
export const performAction = async (
  context: ObjectContext,
  resource: Resource,
  definition: Definition,
  writtenKind: unknown,
): Promise<Result> => {
  const { params } = context
  const { name, namespace } = definition.metadata
  const existing = await retrieve(context, resource, definition)
  if (params.state === 'absent') return deleteObject(context, resource, definition, existing)
  const selectors = params.label_selectors ?? []
  const described = `resource 'kind=${pythonString(writtenKind)},name=${pythonString(name ?? null)}`
  if (selectors.length > 0 && !matchesLabels(definition, selectors))
    return {
      changed: false,
      result: {},
      msg: `${described},namespace=${pythonString(namespace ?? null)}' filtered by label_selectors.`,
    }
  if (!params.apply && existing === undefined && params.state === 'patched')
    return {
      changed: false,
      result: {},
      warnings: [
        `${described}' was not found but will not be created as 'state' parameter has been set to 'patched'`,
      ],
    }
  const { method, instance: written } = await writeObject(context, resource, definition, existing)
  if (params.wait && !context.isCheckMode && written.metadata === undefined)
    throw new UnsupportedPlaybook('wait for an object whose creation was a conflict')
  const { success, instance = written, duration } = await waitForChange(context, resource, written.metadata)
  const result: Result = { changed: method === 'create', method, result: instance }
  if (duration !== undefined) result.duration = duration
  if (method !== 'create') {
    const { isChanged, isMeaningless } = diffObjects(existing ?? {}, instance)
    if (isMeaningless) result.warnings = [MEANINGLESS]
    result.changed = isChanged
  }
  if (!success) throw waitTimeout(definition, name, result)
  return result
}
