/** Drains a node: makes it unschedulable, evicts its pods, and waits for their deletion. */
import { fail, type Result } from '../module.ts'
import type { Json } from './api-client.ts'
import { patchNode } from './change-schedulability.ts'
import type { DrainContext } from './drain-context.ts'
import { choosePods, type PodName } from './drained-pods.ts'
import { RequestError } from './request-error.ts'

const listPods = async (context: DrainContext): Promise<readonly Json[]> => {
  const { client, pods, name } = context
  try {
    const { items } = await client.list(pods, undefined, { field: `spec.nodeName=${name}` })
    return items
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    if (error.status === 404) return []
    await revert(context)
    return fail(`Failed to list pod from node ${name} due to: ${error.reason}`, { status: error.status })
  }
}

/** Makes the node schedulable again, if this task has changed it. */
const revert = async (context: DrainContext): Promise<void> => {
  if (!context.isChanged) return
  context.isChanged = false
  await patchNode(context, false)
}

const evict = async (context: DrainContext, chosen: readonly PodName[]): Promise<void> => {
  const { client, options, pods, call } = context
  const grace = options.terminate_grace_period
  const deleteOptions = grace ? { gracePeriodSeconds: grace } : undefined
  for (const { namespace, name } of chosen)
    try {
      if (options.disable_eviction)
        await client.request(() =>
          call.api.delete(
            { apiVersion: pods.apiVersion, plural: pods.plural, namespace, name },
            deleteOptions,
          ),
        )
      else await client.request(() => call.api.evict({ namespace, name }, deleteOptions))
      context.isChanged = true
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      if (error.status !== 404) fail(`Failed to delete pod ${namespace}/${name} due to: ${error.reason}`)
    }
}

/** As in the module, the loop ends when the last pod is taken from the list, without waiting for it. */
const waitForDeletion = async (
  context: DrainContext,
  chosen: readonly PodName[],
): Promise<string | undefined> => {
  const { client, pods, options, call } = context
  const { wait_timeout: timeout, wait_sleep: sleep } = options
  const left = [...chosen]
  const start = call.pace.now()
  let pod = left.pop()
  while ((timeout === 0 || Math.floor((call.pace.now() - start) / 1000) < timeout) && left.length > 0) {
    pod ??= left.pop()
    try {
      await client.get(pods, pod!.name, pod!.namespace)
      await call.pace.sleep(sleep * 1000)
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      if (error.status !== 404) fail(`Exception raised: ${error.reason}`)
      pod = undefined
    }
  }
  return left.length === 0 ? undefined : 'timeout reached while pods were still running.'
}

export const drainNode = async (context: DrainContext, node: Json): Promise<Result> => {
  const { name, options } = context
  const texts: string[] = []
  if (node.spec?.unschedulable) texts.push(`node ${name} already marked unschedulable.`)
  else {
    await patchNode(context, true)
    texts.push(`node ${name} marked unschedulable.`)
    context.isChanged = true
  }
  const { chosen, warnings, errors } = choosePods(await listPods(context), options)
  if (errors.length > 0) {
    await revert(context)
    fail(`Pod deletion errors: ${errors.join(' ')}`)
  }
  if (chosen.length > 0) {
    await evict(context, chosen)
    const warning = options.wait_timeout === null ? undefined : await waitForDeletion(context, chosen)
    if (warning !== undefined) warnings.push(warning)
    texts.push(`${chosen.length} Pod(s) deleted from node.`)
  }
  return { result: texts.join(' '), ...(warnings.length > 0 ? { warnings } : {}) }
}
