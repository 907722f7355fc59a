/** kubectl delete. */
import { type DeleteOptions, isNotFound, UnsupportedCommand } from '#spec'
import { findObjects } from '../client/find-objects.ts'
import type { FlagDefinitions } from '../client/flags.ts'
import { type Found, objectRef } from '../client/found.ts'
import { createKubectlCall, type KubectlCall } from '../client/kubectl-call.ts'
import { errorText, KubectlError } from '../client/kubectl-error.ts'
import { parseFlags } from '../client/parse-flags.ts'
import { parseTargets } from '../client/parse-targets.ts'
import { refOf } from '../client/resource-types.ts'
import { waitForObject } from '../client/wait-for-object.ts'
import { readManifests } from './manifests.ts'
import { OUTPUT, SELECTION, type Verb } from './verb.ts'

const FLAGS: FlagDefinitions = {
  ...SELECTION,
  ...OUTPUT,
  force: { type: 'bool' },
  'grace-period': { type: 'int' },
  now: { type: 'bool' },
  wait: { type: 'bool' },
  timeout: { type: 'duration' },
  'ignore-not-found': { type: 'bool' },
  cascade: { type: 'string', bare: 'background' },
  filename: { short: 'f', type: 'list' },
  'dry-run': { type: 'string', bare: 'unchanged' },
}

const POLICIES: Readonly<Record<string, DeleteOptions['propagationPolicy']>> = {
  background: 'Background',
  true: 'Background',
  foreground: 'Foreground',
  orphan: 'Orphan',
  false: 'Orphan',
}

const FORCE_WARNING =
  'Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.'

interface Plan {
  readonly options: DeleteOptions
  readonly isForced: boolean
  readonly waits: boolean
}

const planOf = ({ flags }: KubectlCall): Plan => {
  const isForced = flags.bool('force')
  let grace = flags.int('grace-period') ?? -1
  if (flags.bool('now')) {
    if (grace !== -1) throw new KubectlError('error: --now and --grace-period cannot be specified together')
    grace = 1
  }
  let waits = flags.bool('wait', true)
  if (grace === 0 && !isForced) grace = 1
  if (isForced && grace < 0) grace = 0
  if (isForced && grace === 0) waits = flags.has('wait') ? waits : false
  const cascade = flags.text('cascade') ?? 'background'
  const propagationPolicy = POLICIES[cascade]
  if (propagationPolicy === undefined)
    throw new KubectlError(
      `error: invalid cascade value (${cascade}). Must be "background", "foreground", or "orphan"`,
    )
  return {
    isForced: isForced && grace === 0,
    waits,
    options: { propagationPolicy, ...(grace >= 0 ? { gracePeriodSeconds: grace } : {}) },
  }
}

const fromManifests = async (call: KubectlCall): Promise<Found[]> => {
  const found: Found[] = []
  for (const { type, object, namespace } of readManifests(call, call.flags.list('filename'))) {
    const { name } = object.metadata
    try {
      found.push({ type, object: await call.program.api.get({ ...refOf(type, namespace), name }) })
    } catch (error) {
      if (!isNotFound(error) || !call.flags.bool('ignore-not-found')) throw error
    }
  }
  return found
}

const selectObjects = async (call: KubectlCall, onError: (error: unknown) => void): Promise<Found[]> => {
  const { flags } = call
  if (flags.has('filename')) return fromManifests(call)
  const { targets } = parseTargets(call, flags.args)
  const isByName = targets.length > 0
  if (!isByName && !flags.bool('all') && !flags.has('selector') && !flags.has('field-selector'))
    throw new KubectlError('error: resource(s) were provided, but no name was specified')
  const found = await findObjects(call, { onError })
  if (!isByName && found.length === 0) call.err('No resources found')
  return found
}

export const deleteObjects: Verb = async (program, args) => {
  const call = createKubectlCall(program, parseFlags('delete', args, FLAGS))
  const { flags } = call
  if (flags.has('dry-run') && flags.text('dry-run') !== 'none')
    throw new UnsupportedCommand('kubectl delete --dry-run')
  const plan = planOf(call)
  let code = 0
  const report = (error: unknown): void => {
    const text = errorText(error)
    if (text === undefined) throw error
    call.err(text)
    code = 1
  }
  if (plan.isForced) call.err(FORCE_WARNING)
  const found = await selectObjects(call, report)
  const deleted: Found[] = []
  for (const each of found)
    try {
      await program.api.delete(objectRef(each), plan.options)
      deleted.push(each)
      const { type, object } = each
      if (flags.text('output') === 'name') call.out(`${type.label}/${object.metadata.name}`)
      else call.out(`${type.label} "${object.metadata.name}" ${plan.isForced ? 'force ' : ''}deleted`)
    } catch (error) {
      report(error)
    }
  if (!plan.waits) return code
  const timeout = flags.duration('timeout') ?? 0
  const deadline = program.clock.now() + (timeout <= 0 ? Number.POSITIVE_INFINITY : timeout * 1000)
  for (const each of deleted) {
    const { uid } = each.object.metadata
    const left = Math.max(0, (deadline - program.clock.now()) / 1000)
    const isGone = await waitForObject(
      call,
      objectRef(each),
      (object) => object === undefined || object.metadata.uid !== uid,
      left,
    )
    if (!isGone) {
      call.err(
        `error: timed out waiting for the condition on ${each.type.plural}/${each.object.metadata.name}`,
      )
      code = 1
    }
  }
  return code
}
