/** The module k8s_drain. */
import { type ArgumentSpec, checkArguments } from '../argument-spec.ts'
import { fail, type Module, type ModuleCall, type Result } from '../module.ts'
import { type ApiClient, createApiClient, type Json, RequestError } from './api-client.ts'
import { AUTH_SPEC, checkAccess } from './common-spec.ts'
import { choosePods, type PodName } from './drained-pods.ts'
import { findResource, type Resource } from './find-resource.ts'

const SPEC: ArgumentSpec = {
  ...AUTH_SPEC,
  state: { default: 'drain', choices: ['cordon', 'drain', 'uncordon'] },
  name: { required: true },
  delete_options: {
    type: 'dict',
    default: {},
    options: {
      terminate_grace_period: { type: 'int' },
      force: { type: 'bool', default: false },
      ignore_daemonsets: { type: 'bool', default: false },
      delete_emptydir_data: { type: 'bool', default: false },
      disable_eviction: { type: 'bool', default: false },
      wait_timeout: { type: 'int' },
      wait_sleep: { type: 'int', default: 5 },
    },
  },
}

interface DrainContext {
  readonly call: ModuleCall
  readonly client: ApiClient
  readonly nodes: Resource
  readonly pods: Resource
  readonly name: string
  readonly options: Record<string, any>
  isChanged: boolean
}

const readNode = async ({ client, nodes, name }: DrainContext): Promise<Json> => {
  try {
    return await client.get(nodes, name)
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    if (error.status === 404) return fail(`Node ${name} not found.`)
    return fail(`Failed to retrieve node '${name}' due to: ${error.reason}`, { status: error.status })
  }
}

const patchNode = async ({ client, nodes, name }: DrainContext, unschedulable: boolean): Promise<void> => {
  try {
    await client.patch(nodes, 'strategic', { spec: { unschedulable } }, { name, namespace: undefined })
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    fail(
      `Failed to patch node due to: (${error.status})\nReason: ${error.reason}\nHTTP response body: ${error.body.slice(2, -1)}\n`,
    )
  }
}

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

const drain = async (context: DrainContext, node: Json): Promise<Result> => {
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

const changeSchedulability = async (
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

export const k8sDrain: Module = {
  runsIn: 'kubernetes',
  async run(call): Promise<Result> {
    const { args, action, api, discovery, pace, isCheckMode } = call
    const params = checkArguments(action, SPEC, args)
    if (isCheckMode) return { skipped: true, msg: `remote module (${action}) does not support check mode` }
    checkAccess(params)
    const context: DrainContext = {
      call,
      client: createApiClient(api, pace, false),
      nodes: findResource(discovery, 'Node', 'v1'),
      pods: findResource(discovery, 'Pod', 'v1'),
      name: params.name,
      options: params.delete_options,
      isChanged: false,
    }
    const node = await readNode(context)
    const result =
      params.state === 'drain'
        ? await drain(context, node)
        : await changeSchedulability(context, node, params.state === 'cordon')
    return { changed: context.isChanged, ...result }
  },
}
