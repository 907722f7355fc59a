/** Rejects objects in missing or terminating namespaces, and the deletion of system namespaces. */
import { namespaces } from '#platform/kube/kinds'
import { ApiError, notFound } from '#platform/kube/meta'
import type { AdmissionPlugin, AdmissionRequest } from '#platform/kube/ports'
import { forbiddenDraftError, forbiddenError } from './forbidden-error.ts'

const PROTECTED_NAMESPACES = new Set(['default', 'kube-system', 'kube-public'])

const terminatingError = (request: AdmissionRequest): ApiError => {
  const { namespace } = request
  const { code, reason, message, details } = forbiddenDraftError(
    request,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  )
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  }
  return new ApiError(code, reason, message, { ...details, causes: [cause] })
}

export const namespaceLifecycle: AdmissionPlugin = {
  name: 'NamespaceLifecycle',
  admit(request) {
    const { operation, kind, namespace, name } = request
    if (operation === 'DELETE') {
      if (kind.id === namespaces.id && PROTECTED_NAMESPACES.has(name))
        throw forbiddenError(request, 'this namespace may not be deleted')
      return
    }
    if (operation !== 'CREATE' || !kind.namespaced || namespace === '') return
    const found = request.client.get(namespaces, '', namespace)
    if (found === undefined) throw notFound(namespaces, namespace)
    if (found.status.phase === 'Terminating') throw terminatingError(request)
  },
}
