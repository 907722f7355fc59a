/** Implements the KubeApi methods that read and write objects, in process. */
import { deepFreeze, defined } from '#kit'
import type { User } from '#platform/kube/ports'
import type { ApiObject, KubeApi, ResourceRef, WriteOptions } from '#spec'
import type { ApiService } from '../api-service.ts'
import type { Answer } from '../objects/perform.ts'
import type { Verb } from '../request/api-call.ts'
import { type CallParts, inProcessCall, requestUriOf } from './in-process-call.ts'
import { readVirtual } from './read-virtual.ts'

type ObjectMethods = Omit<KubeApi, 'watch' | 'logs' | 'exec'>

const writeParts = (
  body: unknown,
  { dryRun, fieldManager, fieldValidation, force, subresource }: WriteOptions = {},
): CallParts => ({
  query: { dryRun: dryRun === true ? 'All' : undefined, fieldManager, fieldValidation, force },
  body,
  subresource,
})

/** Returns the stored object itself, frozen so that the caller cannot change the store. */
const objectOf = (answer: Answer): ApiObject => {
  if ('object' in answer) return deepFreeze(answer.object) as unknown as ApiObject
  throw new TypeError('the answer holds no single object')
}

export const createInProcessObjects = (service: ApiService, user: User): ObjectMethods => {
  const perform = (verb: Verb, ref: ResourceRef & { name?: string }, parts?: CallParts): Answer => {
    const call = inProcessCall({ service, user }, verb, ref, parts)
    return service.call(call, requestUriOf(call))
  }

  return {
    async get(ref) {
      const virtual = readVirtual(service, user, 'get', ref)
      return virtual === undefined ? objectOf(perform('get', ref)) : (virtual as ApiObject)
    },
    async list(ref, options = {}) {
      const virtual = readVirtual(service, user, 'list', { ...ref, query: { ...options } })
      if (virtual !== undefined) return { items: virtual.items as ApiObject[], resourceVersion: '' }
      const answer = perform('list', ref, { query: { ...options } })
      if (!('list' in answer)) throw new TypeError('the answer holds no list')
      const { items, resourceVersion, continue: next } = answer.list
      return {
        items: deepFreeze(items) as unknown as ApiObject[],
        resourceVersion,
        ...defined({ continue: next }),
      }
    },
    create: async (ref, object, choices) => objectOf(perform('create', ref, writeParts(object, choices))),
    update: async (ref, object, choices) => objectOf(perform('update', ref, writeParts(object, choices))),
    patch: async (ref, patchType, patch, choices) =>
      objectOf(perform('patch', ref, { ...writeParts(patch, choices), patchType })),
    async delete(ref, { dryRun, ...choices } = {}) {
      perform('delete', ref, { body: { ...choices, ...(dryRun === true ? { dryRun: ['All'] } : {}) } })
    },
    async scale(ref, replicas) {
      perform('patch', ref, { body: { spec: { replicas } }, patchType: 'merge', subresource: 'scale' })
    },
    async evict({ namespace, name }, deleteOptions) {
      const eviction = {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { namespace, name },
        ...defined({ deleteOptions }),
      }
      const ref = { apiVersion: 'v1', plural: 'pods', namespace, name }
      perform('create', ref, { body: eviction, subresource: 'eviction' })
    },
  }
}
