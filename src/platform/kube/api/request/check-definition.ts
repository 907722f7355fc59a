/** Rejects new objects of a custom kind whose definition is terminating. */
import { customResourceDefinitions } from '#platform/kube/kinds'
import { ApiError } from '#platform/kube/meta'
import type { Core } from '#platform/kube/resources'
import type { ApiCall } from './api-call.ts'

/** New objects would prevent the deletion of the definition. */
export const checkDefinition = (core: Core, { verb, served: { kind } }: ApiCall): void => {
  if (verb !== 'create' || kind.schema === undefined) return
  const definition = core.client.get(customResourceDefinitions, '', `${kind.plural}.${kind.group}`)
  const isTerminating = definition?.status.conditions?.some(
    ({ type, status }) => type === 'Terminating' && status === 'True',
  )
  if (isTerminating !== true) return
  throw new ApiError(
    405,
    'MethodNotAllowed',
    `${verb} not allowed while custom resource definition is terminating`,
    { group: kind.group, kind: kind.plural },
  )
}
