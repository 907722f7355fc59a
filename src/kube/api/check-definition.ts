/** What the definition of a custom kind allows at the moment. */
import { customResourceDefinitions } from '../kinds/index.ts'
import { ApiError } from '../meta/index.ts'
import type { Core } from '../resources/index.ts'
import type { ApiCall } from './api-call.ts'

/** Objects are not made any more once their kind is being taken away: it would have to wait for them. */
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
