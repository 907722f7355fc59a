/** Applies a definition on the client or on the server, as the module k8s does with `apply: true`. */
import type { ApiClient, Json } from './api-client.ts'
import { applyPatch, withLastApplied } from './apply-object.ts'
import { CoreError, requestFailure } from './core-error.ts'
import type { Definition } from './definitions.ts'
import type { Resource } from './find-resource.ts'
import { MissingMergeKey } from './merge-keys.ts'
import type { ObjectContext } from './object-context.ts'
import { ClientError, RequestError } from './request-error.ts'

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

export const applyDefinition = async (
  context: ObjectContext,
  resource: Resource,
  definition: Definition,
): Promise<Json> => {
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
