/** kubectl label and kubectl annotate. */
import { UnsupportedCommand } from '#spec'
import { findObjects } from '../client/find-objects.ts'
import type { FlagDefinitions } from '../client/flags.ts'
import { type Found, objectRef } from '../client/found.ts'
import { createKubectlCall, type KubectlCall } from '../client/kubectl-call.ts'
import { KubectlError } from '../client/kubectl-error.ts'
import { parseFlags } from '../client/parse-flags.ts'
import { printChange } from '../print/print-objects.ts'
import { OUTPUT, SELECTION, type Verb } from './verb.ts'

const FLAGS: FlagDefinitions = {
  ...SELECTION,
  ...OUTPUT,
  overwrite: { type: 'bool' },
  list: { type: 'bool' },
  'resource-version': { type: 'string' },
  'dry-run': { type: 'string', bare: 'unchanged' },
  'field-manager': { type: 'string' },
}

interface Changes {
  readonly resources: readonly string[]
  readonly values: Readonly<Record<string, string>>
  readonly removed: readonly string[]
}

/** Everything after the first `key=value` or `key-` is a change. */
const splitChanges = (args: readonly string[], what: string): Changes => {
  const isChange = (arg: string): boolean => arg.includes('=') || arg.endsWith('-')
  const first = args.findIndex(isChange)
  const changes = first < 0 ? [] : args.slice(first)
  const values: Record<string, string> = {}
  const removed: string[] = []
  for (const change of changes) {
    if (change.includes('=')) {
      const at = change.indexOf('=')
      values[change.slice(0, at)] = change.slice(at + 1)
    } else if (change.endsWith('-')) removed.push(change.slice(0, -1))
    else throw new KubectlError(`error: all resources must be specified before ${what} changes: ${change}`)
  }
  if (changes.length === 0) throw new KubectlError(`error: at least one ${what} update is required`)
  const both = removed.find((key) => key in values)
  if (both !== undefined)
    throw new KubectlError(
      `error: can not both modify and remove ${what === 'label' ? 'a label' : 'an annotation'} in the same command`,
    )
  return { resources: args.slice(0, first), values, removed }
}

const openCall = (verb: string, program: Parameters<Verb>[0], args: readonly string[]) => {
  const flags = parseFlags(verb, args, FLAGS)
  for (const name of ['list', 'resource-version', 'dry-run'])
    if (flags.has(name)) throw new UnsupportedCommand(`kubectl ${verb} --${name}`)
  const changes = splitChanges(flags.args, verb === 'label' ? 'label' : 'annotation')
  const call: KubectlCall = createKubectlCall(program, { ...flags, args: changes.resources })
  return { call, changes }
}

const update = async (
  { program }: KubectlCall,
  found: Found,
  field: 'labels' | 'annotations',
  { values, removed }: Changes,
  manager: string,
): Promise<Found> => {
  const existing = (found.object.metadata[field] ?? {}) as Record<string, string>
  const nulls = Object.fromEntries(removed.filter((key) => key in existing).map((key) => [key, null]))
  const changed = Object.fromEntries(Object.entries(values).filter(([key, value]) => existing[key] !== value))
  const body = { metadata: { [field]: { ...changed, ...nulls } } }
  const object = await program.api.patch(objectRef(found), 'merge', body, { fieldManager: manager })
  return { ...found, object }
}

const conflictsOf = (found: Found, field: 'labels' | 'annotations', { values }: Changes): string[] => {
  const existing = (found.object.metadata[field] ?? {}) as Record<string, string>
  return Object.entries(values)
    .filter(([key, value]) => key in existing && existing[key] !== value)
    .map(([key]) => `'${key}' already has a value (${existing[key]})`)
}

/** The word that kubectl prints, from a comparison of the labels before and after. */
const labelWord = (found: Found, { values, removed }: Changes): string => {
  const existing = (found.object.metadata.labels ?? {}) as Record<string, string>
  const isAdded = Object.entries(values).some(([key, value]) => existing[key] !== value)
  const isRemoved = removed.some((key) => key in existing)
  if (isAdded) return 'labeled'
  return isRemoved ? 'unlabeled' : 'not labeled'
}

export const label: Verb = async (program, args) => {
  const { call, changes } = openCall('label', program, args)
  for (const found of await findObjects(call)) {
    const conflicts = call.flags.bool('overwrite') ? [] : conflictsOf(found, 'labels', changes)
    if (conflicts.length > 0) throw new KubectlError(`error: ${conflicts[0]}, and --overwrite is false`)
    const existing = (found.object.metadata.labels ?? {}) as Record<string, string>
    for (const key of changes.removed) if (!(key in existing)) call.out(`label "${key}" not found.`)
    const word = labelWord(found, changes)
    const updated =
      word === 'not labeled' ? found : await update(call, found, 'labels', changes, 'kubectl-label')
    printChange(call, updated, word)
  }
  return 0
}

export const annotate: Verb = async (program, args) => {
  const { call, changes } = openCall('annotate', program, args)
  for (const found of await findObjects(call)) {
    const conflicts = call.flags.bool('overwrite') ? [] : conflictsOf(found, 'annotations', changes)
    if (conflicts.length > 0)
      throw new KubectlError(
        `error: --overwrite is false but found the following declared annotation(s): ${conflicts.join('; ')}`,
      )
    printChange(call, await update(call, found, 'annotations', changes, 'kubectl-annotate'), 'annotated')
  }
  return 0
}
