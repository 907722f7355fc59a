/** Waits until the server has carried out the change of an object, as the module k8s does with `wait: true`. */
import { pythonString } from '../../python/python-text.ts'
import type { Result } from '../module.ts'
import type { Json } from './api-client.ts'
import { CoreError } from './core-error.ts'
import type { Definition } from './definitions.ts'
import type { Resource } from './find-resource.ts'
import type { ObjectContext } from './object-context.ts'
import { predicateFor, waitFor } from './waiter.ts'

export const waitForChange = async (
  { client, pace, params, isCheckMode }: ObjectContext,
  resource: Resource,
  metadata: Json,
): Promise<{ success: boolean; instance?: Json; duration?: number }> => {
  if (!params.wait || isCheckMode) return { success: true }
  const condition = params.wait_condition?.type ? params.wait_condition : undefined
  return waitFor(client, pace, {
    resource,
    predicate: predicateFor(resource, params.state === 'absent' ? 'absent' : 'present', condition),
    timeout: params.wait_timeout ?? 120,
    sleep: params.wait_sleep ?? 5,
    name: metadata?.name,
    namespace: metadata?.namespace,
    labelSelectors: params.label_selectors,
  })
}

export const waitTimeout = ({ kind }: Definition, name: unknown, result: Result): CoreError =>
  new CoreError(`"${kind}" "${pythonString(name)}": Timed out waiting on resource`, { result })
