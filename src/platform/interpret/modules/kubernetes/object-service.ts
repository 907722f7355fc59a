/** Creates, changes and deletes one object, as the module k8s does for each definition. */
import type { DeleteOptions, PatchKind } from '#spec'
import { pythonString } from '../../python/python-text.ts'
import type { Pace } from '../../run/pace.ts'
import { UnsupportedPlaybook } from '../../unsupported-playbook.ts'
import type { Result } from '../module.ts'
import { type ApiClient, ClientError, type Json, RequestError } from './api-client.ts'
import { applyPatch, withLastApplied } from './apply-object.ts'
import { CoreError, requestFailure } from './core-error.ts'
import type { Definition } from './definitions.ts'
import { diffObjects } from './diff-objects.ts'
import type { Resource } from './find-resource.ts'
import { matchesLabels } from './label-filter.ts'
import { MissingMergeKey } from './merge-keys.ts'
import { exists, isList, predicateFor, type WaitCondition, waitFor } from './waiter.ts'

export interface ObjectParameters {
  readonly state?: string | null
  readonly apply?: boolean | null
  readonly force?: boolean | null
  readonly merge_type?: readonly string[] | null
  readonly label_selectors?: readonly string[] | null
  readonly delete_options?: Readonly<Record<string, any>> | null
  readonly server_side_apply?: { field_manager: string; force_conflicts: boolean } | null
  readonly wait?: boolean | null
  readonly wait_sleep?: number | null
  readonly wait_timeout?: number | null
  readonly wait_condition?: WaitCondition | null
}

export interface ObjectContext {
  readonly client: ApiClient
  readonly pace: Pace
  readonly params: ObjectParameters
  readonly isCheckMode: boolean
}

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

const create = async (
  { client }: ObjectContext,
  resource: Resource,
  definition: Definition,
): Promise<Json> => {
  try {
    return await client.create(resource, definition, definition.metadata.namespace)
  } catch (error) {
    if (error instanceof RequestError && error.status === 409) return {}
    throw requestFailure('Failed to create object', error)
  }
}

const replace = async (
  { client }: ObjectContext,
  resource: Resource,
  definition: Definition,
): Promise<Json> => {
  const { name, namespace } = definition.metadata
  try {
    return await client.replace(resource, definition, name, namespace)
  } catch (error) {
    throw requestFailure('Failed to replace object', error)
  }
}

const PATCH_KINDS: Readonly<Record<string, PatchKind>> = {
  json: 'json',
  merge: 'merge',
  'strategic-merge': 'strategic',
}

const update = async (
  { client, params }: ObjectContext,
  resource: Resource,
  definition: Definition,
): Promise<Json> => {
  const { name, namespace } = definition.metadata
  const types =
    params.merge_type && params.merge_type.length > 0 ? params.merge_type : ['strategic-merge', 'merge']
  let failure: CoreError | undefined
  for (const type of types)
    try {
      return await client.patch(resource, PATCH_KINDS[type]!, definition, { name, namespace })
    } catch (error) {
      failure = requestFailure('Failed to patch object', error)
    }
  throw failure!
}

const applyOnClient = async (
  client: ApiClient,
  resource: Resource,
  definition: Definition,
): Promise<Json> => {
  const { name, namespace } = definition.metadata
  let actual: Json
  try {
    actual = await client.get(resource, String(name), namespace)
  } catch (error) {
    if (!(error instanceof RequestError) || error.status !== 404) throw error
    return client.create(resource, withLastApplied(definition), namespace)
  }
  const patch = applyPatch(actual, definition)
  if (patch === undefined) return client.get(resource, String(name), namespace)
  return client.patch(resource, 'merge', patch, { name, namespace })
}

const apply = async (context: ObjectContext, resource: Resource, definition: Definition): Promise<Json> => {
  const { client, params } = context
  const { metadata } = definition
  try {
    if (!metadata.name)
      throw new ClientError(`name is required to apply ${resource.apiVersion}.${resource.kind}`)
    if (resource.namespaced && !metadata.namespace)
      throw new ClientError(`Namespace is required for ${resource.apiVersion}.${resource.kind}`)
    const onServer = params.server_side_apply
    if (onServer === null || onServer === undefined) return await applyOnClient(client, resource, definition)
    await client.get(resource, String(metadata.name), metadata.namespace).catch((error: unknown) => {
      if (!(error instanceof RequestError) || error.status !== 404) throw error
    })
    return await client.patch(resource, 'apply', definition, {
      name: metadata.name,
      namespace: metadata.namespace,
      fieldManager: onServer.field_manager,
      force: onServer.force_conflicts,
    })
  } catch (error) {
    if (error instanceof MissingMergeKey)
      throw new CoreError(
        `Failed to apply object: Could not apply strategic merge to ${definition.kind}/${metadata.name}: ${error.message}`,
      )
    throw requestFailure('Failed to apply object', error)
  }
}

const toDeleteOptions = (options: ObjectParameters['delete_options']): DeleteOptions => {
  const { propagationPolicy, gracePeriodSeconds, preconditions } = options ?? {}
  const { uid, resourceVersion } = preconditions ?? {}
  const isSet = (value: unknown): boolean => value !== null && value !== undefined
  return {
    ...(isSet(propagationPolicy) ? { propagationPolicy } : {}),
    ...(isSet(gracePeriodSeconds) ? { gracePeriodSeconds } : {}),
    ...(isSet(uid) || isSet(resourceVersion)
      ? {
          preconditions: {
            ...(isSet(uid) ? { uid } : {}),
            ...(isSet(resourceVersion) ? { resourceVersion } : {}),
          },
        }
      : {}),
  }
}

const remove = async (
  { client, params }: ObjectContext,
  resource: Resource,
  metadata: Json,
  uid: unknown,
): Promise<Json> => {
  try {
    return await client.delete(
      resource,
      String(metadata.name),
      metadata.namespace,
      toDeleteOptions(params.delete_options),
      uid,
    )
  } catch (error) {
    throw requestFailure('Failed to delete object', error)
  }
}

const wait = async (
  { client, pace, params, isCheckMode }: ObjectContext,
  resource: Resource,
  metadata: Json,
): Promise<{ success: boolean; instance?: Json; duration?: number }> => {
  if (!params.wait || isCheckMode) return { success: true }
  const condition = params.wait_condition?.type ? params.wait_condition : undefined
  return waitFor(client, pace, {
    resource,
    predicate: predicateFor(resource, params.state === 'absent' ? 'absent' : 'present', condition),
    timeout: params.wait_timeout ?? 120,
    sleep: params.wait_sleep ?? 5,
    name: metadata?.name,
    namespace: metadata?.namespace,
    labelSelectors: params.label_selectors,
  })
}

const performDelete = async (
  context: ObjectContext,
  resource: Resource,
  definition: Definition,
  existing: Json | undefined,
): Promise<Result> => {
  const isFound = exists(existing)
  let instance: unknown = {}
  if (isFound && isList(existing!)) {
    const answers: Json[] = []
    for (const item of existing!.items)
      answers.push(await remove(context, resource, item.metadata, item.metadata.uid))
    instance = answers
  } else if (isFound) instance = await remove(context, resource, definition.metadata, existing!.metadata.uid)
  const { success, duration } = await wait(context, resource, definition.metadata)
  const result = {
    changed: isFound,
    method: 'delete',
    ...(duration === undefined ? {} : { duration }),
    result: instance,
  }
  if (!success) throw timeout(definition, definition.metadata.name, result)
  return result
}

const timeout = ({ kind }: Definition, name: unknown, result: Result): CoreError =>
  new CoreError(`"${kind}" "${pythonString(name)}": Timed out waiting on resource`, { result })

const write = async (
  context: ObjectContext,
  resource: Resource,
  definition: Definition,
  existing: Json | undefined,
): Promise<{ method: string; instance: Json }> => {
  const { params } = context
  if (params.apply) return { method: 'apply', instance: await apply(context, resource, definition) }
  if (existing === undefined)
    return { method: 'create', instance: await create(context, resource, definition) }
  if (params.force) return { method: 'replace', instance: await replace(context, resource, definition) }
  return { method: 'update', instance: await update(context, resource, definition) }
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
  if (params.state === 'absent') return performDelete(context, resource, definition, existing)
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
  const { method, instance: written } = await write(context, resource, definition, existing)
  if (params.wait && !context.isCheckMode && written.metadata === undefined)
    throw new UnsupportedPlaybook('wait for an object whose creation was a conflict')
  const { success, instance = written, duration } = await wait(context, resource, written.metadata)
  const result: Result = { changed: method === 'create', method, result: instance }
  if (duration !== undefined) result.duration = duration
  if (method !== 'create') {
    const { isChanged, isMeaningless } = diffObjects(existing ?? {}, instance)
    if (isMeaningless) result.warnings = [MEANINGLESS]
    result.changed = isChanged
  }
  if (!success) throw timeout(definition, name, result)
  return result
}
