/** Deletes one object, or all that the label selectors choose, as the module k8s does with `state: absent`. */
import { defined } from '#kit'
import type { DeleteOptions } from '#spec'
import type { Result } from '../module.ts'
import type { Json } from './api-client.ts'
import { requestFailure } from './core-error.ts'
import type { Definition } from './definitions.ts'
import type { Resource } from './find-resource.ts'
import type { ObjectContext, ObjectParameters } from './object-context.ts'
import { waitForChange, waitTimeout } from './wait-for-change.ts'
import { exists, isList } from './waiter.ts'

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

export const deleteObject = async (
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
  const { success, duration } = await waitForChange(context, resource, definition.metadata)
  const result = {
    changed: isFound,
    method: 'delete',
    ...defined({ duration }),
    result: instance,
  }
  if (!success) throw waitTimeout(definition, definition.metadata.name, result)
  return result
}
