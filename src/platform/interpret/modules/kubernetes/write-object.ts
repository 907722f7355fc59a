/** Writes one object as the module k8s does: applies, creates, replaces or patches it. */
import type { PatchKind } from '#spec'
import type { Json } from './api-client.ts'
import { applyDefinition } from './apply-definition.ts'
import { type CoreError, requestFailure } from './core-error.ts'
import type { Definition } from './definitions.ts'
import type { Resource } from './find-resource.ts'
import type { ObjectContext } from './object-context.ts'
import { RequestError } from './request-error.ts'

const createObject = async (
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

const replaceObject = async (
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

const patchObject = async (
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

export const writeObject = async (
  context: ObjectContext,
  resource: Resource,
  definition: Definition,
  existing: Json | undefined,
): Promise<{ method: string; instance: Json }> => {
  const { params } = context
  if (params.apply) return { method: 'apply', instance: await applyDefinition(context, resource, definition) }
  if (existing === undefined)
    return { method: 'create', instance: await createObject(context, resource, definition) }
  if (params.force) return { method: 'replace', instance: await replaceObject(context, resource, definition) }
  return { method: 'update', instance: await patchObject(context, resource, definition) }
}
