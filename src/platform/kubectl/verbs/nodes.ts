/** kubectl cordon, uncordon, drain and taint. */
import { type ApiObject, UnsupportedCommand } from '#spec'
import { type FlagDefinitions, parseFlags } from '../client/flags.ts'
import {
  createKubectlCall,
  type Found,
  findObjects,
  type KubectlCall,
  nameOf,
  objectRef,
  waitForObject,
} from '../client/kubectl-call.ts'
import { isNotFound, isStatusError, KubectlError } from '../client/kubectl-error.ts'
import { planDrain } from './plan-drain.ts'
import { OUTPUT, SELECTION, type Verb } from './verb.ts'

const CORDON_FLAGS: FlagDefinitions = { ...SELECTION, 'dry-run': { type: 'string', bare: 'unchanged' } }

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

const openNodes = (
  verb: string,
  program: Parameters<Verb>[0],
  args: readonly string[],
  flags: FlagDefinitions,
): KubectlCall => {
  const parsed = parseFlags(verb, args, flags)
  if (parsed.has('dry-run')) throw new UnsupportedCommand(`kubectl ${verb} --dry-run`)
  if (parsed.args.length === 0 && !parsed.has('selector'))
    throw new KubectlError(
      `error: USAGE: ${verb} NODE [flags]\nSee 'kubectl ${verb} -h' for help and examples`,
    )
  const names = parsed.args.map((arg) => (/^nodes?\//.test(arg) ? arg : `node/${arg}`))
  return createKubectlCall(program, { ...parsed, args: names.length === 0 ? ['nodes'] : names })
}

const setSchedulable = async (call: KubectlCall, found: Found, isCordon: boolean): Promise<void> => {
  const word = isCordon ? 'cordoned' : 'uncordoned'
  const isCordoned = (found.object.spec as { unschedulable?: boolean }).unschedulable === true
  if (isCordoned === isCordon) return call.out(`${nameOf(found)} already ${word}`)
  await call.program.api.patch(
    objectRef(found),
    'strategic',
    { spec: { unschedulable: isCordon ? true : null } },
    { fieldManager: isCordon ? 'kubectl-cordon' : 'kubectl-uncordon' },
  )
  call.out(`${nameOf(found)} ${word}`)
}

const createCordon =
  (isCordon: boolean): Verb =>
  async (program, args) => {
    const call = openNodes(isCordon ? 'cordon' : 'uncordon', program, args, CORDON_FLAGS)
    for (const found of await findObjects(call)) await setSchedulable(call, found, isCordon)
    return 0
  }

export const cordon = createCordon(true)
export const uncordon = createCordon(false)

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

const TAINT_FLAGS: FlagDefinitions = {
  ...SELECTION,
  ...OUTPUT,
  overwrite: { type: 'bool' },
  'dry-run': { type: 'string', bare: 'unchanged' },
  'field-manager': { type: 'string' },
}

interface Taint {
  readonly key: string
  readonly value?: string
  readonly effect?: string
}

const TAINT_HELP = "\nSee 'kubectl taint -h' for help and examples"

const EFFECTS = new Set(['NoSchedule', 'PreferNoSchedule', 'NoExecute'])

/** Parses `key=value:Effect`, `key:Effect`, `key:Effect-` and `key-`. */
const parseTaint = (text: string): { taint: Taint; isRemoved: boolean } => {
  const isRemoved = text.endsWith('-')
  const body = isRemoved ? text.slice(0, -1) : text
  const [, key = '', value, effect] = /^([^=:]+)(?:=([^:]*))?(?::(.+))?$/.exec(body) ?? []
  if (key === '' || (effect !== undefined && !EFFECTS.has(effect)) || (!isRemoved && effect === undefined))
    throw new KubectlError(
      effect !== undefined && !EFFECTS.has(effect)
        ? `error: invalid taint effect: ${effect}, unsupported taint effect${TAINT_HELP}`
        : `error: invalid taint spec: ${text}${TAINT_HELP}`,
    )
  return {
    taint: { key, ...(value ? { value } : {}), ...(effect === undefined ? {} : { effect }) },
    isRemoved,
  }
}

const taintNode = async (
  call: KubectlCall,
  found: Found,
  changes: readonly ReturnType<typeof parseTaint>[],
): Promise<void> => {
  const existing = ((found.object.spec as { taints?: Taint[] }).taints ?? []) as Taint[]
  const added = changes.filter(({ isRemoved }) => !isRemoved).map(({ taint }) => taint)
  const removed = changes.filter(({ isRemoved }) => isRemoved).map(({ taint }) => taint)
  const isSame = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect
  for (const taint of added)
    if (!call.flags.bool('overwrite') && existing.some((each) => isSame(each, taint)))
      throw new KubectlError(
        `error: node ${found.object.metadata.name} already has ${taint.key} taint(s) with same effect(s) and --overwrite is false`,
      )
  const isGone = (each: Taint): boolean =>
    removed.some(
      (taint) => each.key === taint.key && (taint.effect === undefined || each.effect === taint.effect),
    )
  for (const taint of removed)
    if (
      !existing.some(
        (each) => each.key === taint.key && (taint.effect === undefined || each.effect === taint.effect),
      )
    )
      throw new KubectlError(
        `error: taint "${taint.key}${taint.effect === undefined ? '' : `:${taint.effect}`}" not found`,
      )
  const kept = existing.filter((each) => !isGone(each) && !added.some((taint) => isSame(each, taint)))
  await call.program.api.patch(
    objectRef(found),
    'strategic',
    { spec: { taints: added.length + kept.length === 0 ? null : [...added, ...kept] } },
    { fieldManager: 'kubectl-taint' },
  )
  const word =
    added.length > 0 && removed.length > 0 ? 'modified' : removed.length > 0 ? 'untainted' : 'tainted'
  call.out(`${nameOf(found)} ${word}`)
}

export const taint: Verb = async (program, args) => {
  const flags = parseFlags('taint', args, TAINT_FLAGS)
  if (flags.has('dry-run') || flags.has('output'))
    throw new UnsupportedCommand('kubectl taint --dry-run or -o')
  const isTaint = (arg: string): boolean => /[=:]/.test(arg) || arg.endsWith('-')
  const call = createKubectlCall(program, { ...flags, args: flags.args.filter((arg) => !isTaint(arg)) })
  const changes = flags.args.filter(isTaint).map(parseTaint)
  if (changes.length === 0) throw new KubectlError('error: at least one taint update is required')
  for (const found of await findObjects(call)) await taintNode(call, found, changes)
  return 0
}
