/** The module k8s_json_patch. */
import type { ArgumentSpec } from '../argument-spec.ts'
import { checkArguments } from '../check-arguments.ts'
import { fail, type Module, PythonError, type Result } from '../module.ts'
import { createApiClient, type Json } from './api-client.ts'
import { AUTH_SPEC, checkAccess, WAIT_SPEC } from './common-spec.ts'
import { diffObjects } from './diff-objects.ts'
import { findResource, ResourceNotFound } from './find-resource.ts'
import { ClientError, RequestError } from './request-error.ts'
import { predicateFor, waitFor } from './waiter.ts'

const SPEC: ArgumentSpec = {
  ...AUTH_SPEC,
  ...WAIT_SPEC,
  api_version: { default: 'v1', aliases: ['api', 'version'] },
  kind: { required: true },
  namespace: {},
  name: { required: true },
  patch: { type: 'list', required: true, elements: 'dict' },
}

const findServed = (...args: Parameters<typeof findResource>) => {
  try {
    return findResource(...args)
  } catch (error) {
    if (error instanceof ResourceNotFound)
      throw new PythonError('kubernetes.dynamic.exceptions.ResourceNotFoundError', error.message)
    throw error
  }
}

export const k8sJsonPatch: Module = {
  runsIn: 'kubernetes',
  async run({ args, action, api, discovery, pace, isCheckMode }): Promise<Result> {
    const params = checkArguments(action, SPEC, args)
    checkAccess(params)
    const { kind, name, namespace } = params
    const client = createApiClient(api, pace, isCheckMode)
    const resource = findServed(discovery, kind, params.api_version)
    let existing: Json = {}
    try {
      existing = await client.get(resource, name, namespace)
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      const { status, reason } = error
      fail(`${kind} ${name}: Failed to retrieve requested object: ${error.body}`, {
        error: status,
        status,
        reason,
      })
    }
    let patched: Json = {}
    try {
      patched = await client.patch(resource, 'json', params.patch, { name, namespace })
    } catch (error) {
      if (error instanceof RequestError) {
        const { status, reason } = error
        fail(`Failed to patch existing object: ${error.body}`, { error: status, status, reason })
      }
      if (error instanceof ClientError)
        fail(`Failed to patch existing object: ${error.message}`, {
          error: error.message,
          status: '',
          reason: '',
        })
      throw error
    }
    const result: Result = { result: patched }
    let isReady = true
    if (params.wait && !isCheckMode) {
      const condition = params.wait_condition?.type ? params.wait_condition : undefined
      const { success, instance, duration } = await waitFor(client, pace, {
        resource,
        predicate: predicateFor(resource, 'present', condition),
        timeout: params.wait_timeout,
        sleep: params.wait_sleep,
        name,
        namespace,
      })
      isReady = success
      Object.assign(result, { result: instance, duration })
    }
    result.changed = diffObjects(existing, patched).isChanged
    if (!isReady) fail('Resource update timed out', result)
    return result
  },
}
