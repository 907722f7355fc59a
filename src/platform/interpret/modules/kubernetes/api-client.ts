/** The dynamic client of Python, on top of the KubeApi port: requests take time, and errors carry the answer of the server. */
import type { ApiObject, DeleteOptions, KubeApi, ObjectRef, PatchKind } from '#spec'
import { PACE, type Pace } from '../../run/pace.ts'
import type { Resource } from './find-resource.ts'
import { ClientError, toRequestError } from './request-error.ts'

/** An object or a list as the server returns it. */
export type Json = Readonly<Record<string, any>>

/** The name under which the client's changes are recorded in managed fields. */
const FIELD_MANAGER = 'OpenAPI-Generator'

export interface ApiClient {
  readonly api: KubeApi
  get(resource: Resource, name: string, namespace?: unknown): Promise<Json>
  list(resource: Resource, namespace: unknown, selectors?: { label?: string; field?: string }): Promise<Json>
  create(resource: Resource, body: Json, namespace: unknown): Promise<Json>
  patch(resource: Resource, kind: PatchKind, body: unknown, options: PatchOptions): Promise<Json>
  replace(resource: Resource, body: Json, name: unknown, namespace: unknown): Promise<Json>
  delete(
    resource: Resource,
    name: string,
    namespace: unknown,
    options: DeleteOptions,
    uid: unknown,
  ): Promise<Json>
  /** Performs one request, which takes time, and converts its errors. */
  request<T>(send: () => Promise<T>): Promise<T>
}

export interface PatchOptions {
  readonly name: unknown
  readonly namespace: unknown
  readonly fieldManager?: string
  readonly force?: boolean
  readonly subresource?: string
}

const namespaceOf = (resource: Resource, namespace: unknown): { namespace?: string } =>
  resource.namespaced && namespace ? { namespace: String(namespace) } : {}

const requireNamespace = (resource: Resource, namespace: unknown, body: Json): void => {
  if (resource.namespaced && !namespace && !body.metadata?.namespace)
    throw new ClientError(`Namespace is required for ${resource.apiVersion}.${resource.kind}`)
}

const requireName = (resource: Resource, name: unknown, action: string): void => {
  if (!name) throw new ClientError(`name is required to ${action} ${resource.apiVersion}.${resource.kind}`)
}

const refOf = (resource: Resource, namespace: unknown) => ({
  apiVersion: resource.apiVersion,
  plural: resource.plural,
  ...namespaceOf(resource, namespace),
})

export type Request = ApiClient['request']

const createReads = (api: KubeApi, request: Request): Pick<ApiClient, 'get' | 'list'> => ({
  get: (resource, name, namespace) => request(() => api.get({ ...refOf(resource, namespace), name })),
  list: (resource, namespace, { label, field } = {}) =>
    request(async () => {
      const { items, resourceVersion } = await api.list(refOf(resource, namespace), {
        ...(label ? { labelSelector: label } : {}),
        ...(field ? { fieldSelector: field } : {}),
      })
      const { apiVersion, kind } = resource
      return {
        kind: `${kind}List`,
        apiVersion,
        metadata: { resourceVersion },
        items: items.map((item: ApiObject) => ({ ...item, apiVersion, kind })),
      }
    }),
})

type Writes = Pick<ApiClient, 'create' | 'patch' | 'replace'>

const createWrites = (api: KubeApi, request: Request, dryRun: { dryRun?: true }): Writes => ({
  create: async (resource, body, namespace) => {
    requireNamespace(resource, namespace, body)
    const ref = refOf(resource, namespace ?? body.metadata?.namespace)
    return request(() => api.create(ref, body, { fieldManager: FIELD_MANAGER, ...dryRun }))
  },
  patch: async (resource, kind, body, { name, namespace, fieldManager = FIELD_MANAGER, ...options }) => {
    requireName(resource, name, 'patch')
    requireNamespace(resource, namespace, Array.isArray(body) ? {} : (body as Json))
    const ref = { ...refOf(resource, namespace), name: String(name) }
    return request(() => api.patch(ref, kind, body, { fieldManager, ...options, ...dryRun }))
  },
  replace: async (resource, body, name, namespace) => {
    requireName(resource, name, 'replace')
    requireNamespace(resource, namespace, body)
    const ref = { ...refOf(resource, namespace), name: String(name) }
    return request(() => api.update(ref, body, { fieldManager: FIELD_MANAGER, ...dryRun }))
  },
})

/** The answer to a deletion: the object if it is not gone yet, and a Status otherwise. */
const deletionAnswer = async (
  api: KubeApi,
  resource: Resource,
  ref: ObjectRef,
  uid: unknown,
): Promise<Json> => {
  const rest = await api.get(ref).catch(() => undefined)
  if (rest !== undefined && rest.metadata.uid === uid) return rest
  const { group, plural } = resource
  const details = { name: ref.name, ...(group === '' ? {} : { group }), kind: plural, uid }
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }
}

export const createApiClient = (api: KubeApi, pace: Pace, isDryRun: boolean): ApiClient => {
  const request = async <T>(send: () => Promise<T>): Promise<T> => {
    await pace.sleep(PACE.requestMs)
    try {
      return await send()
    } catch (error) {
      throw toRequestError(error)
    }
  }
  const dryRun: { dryRun?: true } = isDryRun ? { dryRun: true } : {}
  return {
    api,
    request,
    ...createReads(api, request),
    ...createWrites(api, request, dryRun),
    delete: async (resource, name, namespace, options, uid) => {
      if (resource.namespaced && !namespace)
        throw new ClientError('At least one of namespace|label_selector|field_selector is required')
      const ref = { ...refOf(resource, namespace), name }
      return request(async () => {
        await api.delete(ref, { ...options, ...dryRun })
        return deletionAnswer(api, resource, ref, uid)
      })
    },
  }
}
