/** Reads a node, and makes it schedulable or unschedulable, with the messages of k8s_drain. */
import { fail, type Result } from '../module.ts'
import type { Json } from './api-client.ts'
import type { DrainContext } from './drain-context.ts'
import { RequestError } from './request-error.ts'

export const readNode = async ({ client, nodes, name }: DrainContext): Promise<Json> => {
  try {
    return await client.get(nodes, name)
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    if (error.status === 404) return fail(`Node ${name} not found.`)
    return fail(`Failed to retrieve node '${name}' due to: ${error.reason}`, { status: error.status })
  }
}

export const patchNode = async (
  { client, nodes, name }: DrainContext,
  unschedulable: boolean,
): Promise<void> => {
  try {
    await client.patch(nodes, 'strategic', { spec: { unschedulable } }, { name, namespace: undefined })
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    fail(
      `Failed to patch node due to: (${error.status})\nReason: ${error.reason}\nHTTP response body: ${error.body.slice(2, -1)}\n`,
    )
  }
}

export const changeSchedulability = async (
  context: DrainContext,
  node: Json,
  isCordon: boolean,
): Promise<Result> => {
  const word = isCordon ? 'unschedulable' : 'schedulable'
  const isCordoned = node.spec?.unschedulable === true
  if (isCordoned === isCordon) return { result: `node ${context.name} already marked ${word}.` }
  await patchNode(context, isCordon)
  context.isChanged = true
  return { result: `node ${context.name} marked ${word}.` }
}
