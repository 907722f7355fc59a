/** kubectl logs. */
import { type ApiObject, containersOf, isNotFound, type LogOptions, UnsupportedCommand } from '#spec'
import { chooseContainer, findTarget, initContainersOf, podsOf } from '../client/choose-pod.ts'
import { findObjects } from '../client/find-objects.ts'
import type { FlagDefinitions } from '../client/flags.ts'
import type { Found } from '../client/found.ts'
import { createKubectlCall, type KubectlCall } from '../client/kubectl-call.ts'
import { KubectlError } from '../client/kubectl-error.ts'
import { parseFlags } from '../client/parse-flags.ts'
import type { Verb } from './verb.ts'

const FLAGS: FlagDefinitions = {
  container: { short: 'c', type: 'string' },
  selector: { short: 'l', type: 'string' },
  tail: { type: 'int' },
  since: { type: 'duration' },
  'since-time': { type: 'string' },
  previous: { short: 'p', type: 'bool' },
  timestamps: { type: 'bool' },
  'all-containers': { type: 'bool' },
  prefix: { type: 'bool' },
  follow: { short: 'f', type: 'bool' },
  'limit-bytes': { type: 'int' },
  'max-log-requests': { type: 'int' },
  'ignore-errors': { type: 'bool' },
}

/** With a selector, kubectl shows ten lines of each pod by default. */
const SELECTOR_TAIL = 10

const optionsOf = ({ flags }: KubectlCall): LogOptions => {
  const tail = flags.int('tail') ?? (flags.has('selector') ? SELECTOR_TAIL : -1)
  const since = flags.duration('since')
  return {
    ...(tail >= 0 ? { tailLines: tail } : {}),
    ...(since === undefined || since <= 0 ? {} : { sinceSeconds: Math.round(since) }),
    ...(flags.bool('previous') ? { previous: true } : {}),
    ...(flags.bool('timestamps') ? { timestamps: true } : {}),
  }
}

const printLogs = async (call: KubectlCall, pod: ApiObject): Promise<void> => {
  const { program, flags } = call
  const { namespace = '', name } = pod.metadata
  const containers = flags.bool('all-containers')
    ? containersOf(pod).map((container) => container.name)
    : [chooseContainer(call, pod)]
  const known = [...containersOf(pod), ...initContainersOf(pod)].map((container) => container.name)
  for (const container of containers)
    if (!known.includes(container))
      throw new KubectlError(`error: container ${container} is not valid for pod ${name}`)
  for (const container of containers)
    program.out(await program.api.logs({ namespace, name }, { ...optionsOf(call), container }))
}

/** kubectl words the absence of an object differently for logs. */
const findLogTarget = async (call: KubectlCall, target: string): Promise<Found> => {
  try {
    return await findTarget(call, target)
  } catch (error) {
    if (!isNotFound(error)) throw error
    const { message } = error as Error
    throw new KubectlError(`error: error from server (NotFound): ${message} in namespace "${call.namespace}"`)
  }
}

export const logs: Verb = async (program, args) => {
  const call = createKubectlCall(program, parseFlags('logs', args, FLAGS))
  const { flags } = call
  for (const name of ['follow', 'limit-bytes', 'since-time', 'prefix', 'max-log-requests', 'ignore-errors'])
    if (flags.has(name)) throw new UnsupportedCommand(`kubectl logs --${name}`)
  const [target, container, ...others] = flags.args
  if (target === undefined) {
    if (!flags.has('selector'))
      throw new KubectlError(
        "error: expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command\nSee 'kubectl logs -h' for help and examples",
      )
    const pods = await findObjects({ ...call, flags: { ...flags, args: ['pods'] } })
    if (pods.length === 0) call.err(`No resources found in ${call.namespace} namespace.`)
    for (const { object } of pods) await printLogs(call, object)
    return 0
  }
  if (container !== undefined || others.length > 0)
    throw new UnsupportedCommand('kubectl logs with several arguments')
  const found = await findLogTarget(call, target)
  if (found.type.kind === 'Pod') {
    await printLogs(call, found.object)
    return 0
  }
  const pods = await podsOf(call, found)
  const [pod] = pods
  if (pod === undefined) throw new KubectlError(`error: timed out waiting for the condition`)
  if (pods.length > 1) call.err(`Found ${pods.length} pods, using pod/${pod.metadata.name}`)
  await printLogs(call, pod)
  return 0
}
