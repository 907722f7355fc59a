/** kubectl drain. */
import { type ApiObject, isNotFound, UnsupportedCommand } from '#spec'
import { findObjects } from '../client/find-objects.ts'
import type { FlagDefinitions } from '../client/flags.ts'
import { type Found, nameOf } from '../client/found.ts'
import type { KubectlCall } from '../client/kubectl-call.ts'
import { isStatusError, KubectlError } from '../client/kubectl-error.ts'
import { waitForObject } from '../client/wait-for-object.ts'
import { CORDON_FLAGS, setSchedulable } from './cordon.ts'
import { openNodes } from './open-nodes.ts'
import { planDrain } from './plan-drain.ts'
import type { Verb } from './verb.ts'

const DRAIN_FLAGS: FlagDefinitions = {
  ...CORDON_FLAGS,
  force: { type: 'bool' },
  'ignore-daemonsets': { type: 'bool' },
  'delete-emptydir-data': { type: 'bool' },
  'disable-eviction': { type: 'bool' },
  'grace-period': { type: 'int' },
  timeout: { type: 'duration' },
  'pod-selector': { type: 'string' },
}

/** kubectl tries again after five seconds if a budget forbids the eviction. */
const RETRY_MS = 5000

const evictPod = async (call: KubectlCall, pod: ApiObject): Promise<void> => {
  const { flags, program } = call
  const { namespace = '', name } = pod.metadata
  const grace = flags.int('grace-period') ?? -1
  const options = grace >= 0 ? { gracePeriodSeconds: grace } : undefined
  for (;;)
    try {
      if (flags.bool('disable-eviction'))
        await program.api.delete({ apiVersion: 'v1', plural: 'pods', namespace, name }, options)
      else {
        call.out(`evicting pod ${namespace}/${name}`)
        await program.api.evict({ namespace, name }, options)
      }
      return
    } catch (error) {
      if (isNotFound(error)) return
      if (!isStatusError(error) || error.code !== 429) throw error
      call.err(`error when evicting pods/"${name}" -n "${namespace}" (will retry after 5s): ${error.message}`)
      await program.sleep(RETRY_MS)
    }
}

const drainNode = async (call: KubectlCall, found: Found): Promise<void> => {
  const { flags, program } = call
  const { name: node } = found.object.metadata
  await setSchedulable(call, found, true)
  const selector = flags.text('pod-selector')
  const { items } = await program.api.list(
    { apiVersion: 'v1', plural: 'pods' },
    {
      fieldSelector: `spec.nodeName=${node}`,
      ...(selector === undefined ? {} : { labelSelector: selector }),
    },
  )
  const { chosen, warnings, errors } = planDrain(items, {
    force: flags.bool('force'),
    ignoreDaemonSets: flags.bool('ignore-daemonsets'),
    deleteEmptyDirData: flags.bool('delete-emptydir-data'),
  })
  if (errors.length > 0) {
    const reason = errors.join(', ')
    call.err(
      `error: unable to drain node "${node}" due to error: ${errors.length > 1 ? `[${reason}]` : reason}, continuing command...`,
    )
    call.err('There are pending nodes to be drained:')
    call.err(` ${node}`)
    for (const error of errors) call.err(error)
    throw new KubectlError('', 1)
  }
  if (warnings.length > 0) call.err(`Warning: ${warnings.join('; ')}`)
  const timeout = flags.duration('timeout') ?? 0
  if (timeout > 0) throw new UnsupportedCommand('kubectl drain --timeout')
  for (const pod of chosen) await evictPod(call, pod)
  for (const pod of chosen) {
    const { namespace = '', name, uid } = pod.metadata
    const ref = { apiVersion: 'v1', plural: 'pods', namespace, name }
    await waitForObject(
      call,
      ref,
      (object) => object === undefined || object.metadata.uid !== uid,
      Number.POSITIVE_INFINITY,
    )
    call.out(`pod/${name} evicted`)
  }
  call.out(`${nameOf(found)} drained`)
}

export const drain: Verb = async (program, args) => {
  const call = openNodes('drain', program, args, DRAIN_FLAGS)
  const found = await findObjects(call)
  if (found.length > 1) throw new UnsupportedCommand('kubectl drain of several nodes')
  try {
    for (const each of found) await drainNode(call, each)
  } catch (error) {
    if (error instanceof KubectlError && error.message === '') return error.code
    throw error
  }
  return 0
}
