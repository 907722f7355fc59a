/** kubectl taint. */
import { defined } from '#kit'
import { UnsupportedCommand, viewAs } from '#spec'
import { findObjects } from '../client/find-objects.ts'
import type { FlagDefinitions } from '../client/flags.ts'
import { type Found, nameOf, objectRef } from '../client/found.ts'
import { createKubectlCall, type KubectlCall } from '../client/kubectl-call.ts'
import { KubectlError } from '../client/kubectl-error.ts'
import { parseFlags } from '../client/parse-flags.ts'
import { OUTPUT, SELECTION, type Verb } from './verb.ts'

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
    taint: { key, ...(value ? { value } : {}), ...defined({ effect }) },
    isRemoved,
  }
}

const taintNode = async (
  call: KubectlCall,
  found: Found,
  changes: readonly ReturnType<typeof parseTaint>[],
): Promise<void> => {
  const existing = viewAs('Node', found.object).spec?.taints ?? []
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
