/** Changes the number of replicas of one object, or the parallelism of a Job. */
import type { Pace } from '../../run/pace.ts'
import { PythonError, type Result } from '../module.ts'
import type { ApiClient, Json } from './api-client.ts'
import { CoreError, requestFailure } from './core-error.ts'
import { diffObjects } from './diff-objects.ts'
import type { Resource } from './find-resource.ts'
import { predicateFor, waitFor } from './waiter.ts'

export interface ScaleContext {
  readonly client: ApiClient
  readonly pace: Pace
  readonly params: Record<string, any>
  readonly isCheckMode: boolean
  readonly resource: Resource
}

const scaleReplicas = async (context: ScaleContext, object: Json): Promise<Result> => {
  const { client, pace, params, isCheckMode, resource } = context
  const { name, namespace } = object.metadata
  if (!resource.subresources.includes('scale'))
    throw new CoreError(`Cannot perform scale on resource of kind ${resource.kind}`)
  const before = await client.get(resource, name, namespace)
  const result: Result = {}
  if (isCheckMode) {
    result.result = { ...before, spec: { ...before.spec, replicas: params.replicas } }
    if (params.wait) result.duration = 0
  } else {
    const body = { kind: object.kind, metadata: { name, namespace }, spec: { replicas: params.replicas } }
    try {
      await client.patch(resource, 'strategic', body, { name, namespace, subresource: 'scale' })
    } catch (error) {
      throw requestFailure('Scale request failed', error)
    }
    result.result = await client.get(resource, name, namespace)
    if (params.wait) {
      const { success, instance, duration } = await waitFor(client, pace, {
        resource,
        predicate: predicateFor(resource, 'present'),
        timeout: params.wait_timeout,
        sleep: params.wait_sleep,
        name,
        namespace,
      })
      Object.assign(result, { result: instance, duration })
      // The module passes its result to the error in a way that Python rejects.
      if (!success)
        throw new PythonError(
          'TypeError',
          "ResourceTimeout.__init__() got an unexpected keyword argument 'duration'",
        )
    }
  }
  result.changed = diffObjects(before, result.result as Json).isChanged
  return result
}

export const replicasOf = (kind: string, object: Json): unknown =>
  (kind.toLowerCase() === 'job' ? object.spec?.parallelism : object.spec?.replicas) ?? null

const scaleJob = async (
  { client, params, resource, isCheckMode }: ScaleContext,
  object: Json,
): Promise<Result> => {
  const changed = { ...object, spec: { ...object.spec, parallelism: params.replicas } }
  if (isCheckMode) return { changed: true, result: changed }
  const { name, namespace } = object.metadata
  return { changed: true, result: await client.patch(resource, 'strategic', changed, { name, namespace }) }
}

export const scaleObject = async (context: ScaleContext, object: Json, kind: string): Promise<Result> => {
  const { client, params, resource } = context
  const count = replicasOf(kind, object)
  if (count !== params.replicas)
    return kind.toLowerCase() === 'job' ? scaleJob(context, object) : scaleReplicas(context, object)
  const { name, namespace } = object.metadata
  return {
    changed: false,
    result: await client.get(resource, name, namespace),
    ...(params.wait ? { duration: 0 } : {}),
  }
}
