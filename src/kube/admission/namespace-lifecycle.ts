/** Nothing is created in a namespace that is not there or is going, and some namespaces never go. */
import { namespaces } from '../kinds/index.ts'
import { ApiError, notFound } from '../meta/index.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../ports/index.ts'
import { refuse, refuseDraft } from './refuse.ts'

const IMMORTAL = new Set(['default', 'kube-system', 'kube-public'])

const terminating = (request: AdmissionRequest): ApiError => {
  const { namespace } = request
  const { code, reason, message, details } = refuseDraft(
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
      if (kind.id === namespaces.id && IMMORTAL.has(name))
        throw refuse(request, 'this namespace may not be deleted')
      return
    }
    if (operation !== 'CREATE' || !kind.namespaced || namespace === '') return
    const home = request.client.get(namespaces, '', namespace)
    if (home === undefined) throw notFound(namespaces, namespace)
    if (home.status.phase === 'Terminating') throw terminating(request)
  },
}
