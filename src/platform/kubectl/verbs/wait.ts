/** kubectl wait. */
import { type ApiObject, isNotFound, UnsupportedCommand } from '#spec'
import { findObjects } from '../client/find-objects.ts'
import type { FlagDefinitions } from '../client/flags.ts'
import { type Found, objectRef } from '../client/found.ts'
import { createKubectlCall } from '../client/kubectl-call.ts'
import { KubectlError } from '../client/kubectl-error.ts'
import { parseFlags } from '../client/parse-flags.ts'
import { waitForObject } from '../client/wait-for-object.ts'
import { valuesAt, valueText } from '../print/json-path.ts'
import { OUTPUT, SELECTION, type Verb } from './verb.ts'

const FLAGS: FlagDefinitions = {
  ...SELECTION,
  ...OUTPUT,
  for: { type: 'string' },
  timeout: { type: 'duration' },
  'ignore-not-found': { type: 'bool' },
  filename: { short: 'f', type: 'list' },
}

const DEFAULT_TIMEOUT = 30
/** kubectl treats a negative timeout as a week. */
const UNLIMITED_TIMEOUT = 7 * 24 * 3600

type Predicate = (object: ApiObject | undefined) => boolean

interface Condition {
  readonly type: string
  readonly status: string
}

const conditionPredicate = (text: string): Predicate => {
  const [name = '', value = 'true'] = text.split('=')
  return (object) => {
    const status = object?.status as { conditions?: Condition[]; observedGeneration?: number } | undefined
    const generation = object?.metadata.generation as number | undefined
    if (
      status?.observedGeneration !== undefined &&
      generation !== undefined &&
      status.observedGeneration < generation
    )
      return false
    return (status?.conditions ?? []).some(
      (condition) =>
        condition.type.toLowerCase() === name.toLowerCase() &&
        condition.status.toLowerCase() === value.toLowerCase(),
    )
  }
}

const jsonPathPredicate = (text: string): Predicate => {
  const [, path, value] = /^(\{.*?\}|[^=]*)(?:=(.*))?$/s.exec(text) ?? []
  if (path === undefined || value === undefined)
    throw new UnsupportedCommand(`kubectl wait --for=jsonpath=${text}`)
  const wanted = value.replace(/^(["'])(.*)\1$/, '$2')
  return (object) => {
    if (object === undefined) return false
    const values = valuesAt(path, object)
    return values.length === 1 && valueText(values[0]) === wanted
  }
}

const parseFor = (text: string): { predicate: Predicate; isDelete: boolean } => {
  if (text === 'delete') return { predicate: (object) => object === undefined, isDelete: true }
  if (text.startsWith('condition='))
    return { predicate: conditionPredicate(text.slice('condition='.length)), isDelete: false }
  if (text.startsWith('jsonpath='))
    return { predicate: jsonPathPredicate(text.slice('jsonpath='.length)), isDelete: false }
  throw new KubectlError(`error: unrecognized condition: "${text}"`)
}

/** An object that does not exist has been deleted. */
const ignoreMissing = (error: unknown): void => {
  if (!isNotFound(error)) throw error
}

export const wait: Verb = async (program, args) => {
  const call = createKubectlCall(program, parseFlags('wait', args, FLAGS))
  const { flags } = call
  if (flags.has('filename') || flags.has('output')) throw new UnsupportedCommand('kubectl wait -f or -o')
  const text = flags.text('for')
  if (text === undefined) throw new UnsupportedCommand('kubectl wait without --for')
  const { predicate, isDelete } = parseFor(text)
  const given = flags.duration('timeout') ?? DEFAULT_TIMEOUT
  const timeout = given < 0 ? UNLIMITED_TIMEOUT : given
  const found: Found[] = await findObjects(call, isDelete ? { onError: ignoreMissing } : {})
  if (found.length === 0) {
    if (isDelete) return 0
    call.err('error: no matching resources found')
    return 1
  }
  const deadline = program.clock.now() + timeout * 1000
  let code = 0
  for (const each of found) {
    const { uid, name } = each.object.metadata
    const isMet: Predicate = isDelete
      ? (object) => object === undefined || object.metadata.uid !== uid
      : predicate
    const left = Math.max(0, (deadline - program.clock.now()) / 1000)
    if (await waitForObject(call, objectRef(each), isMet, left))
      call.out(`${each.type.label}/${name} condition met`)
    else {
      call.err(`error: timed out waiting for the condition on ${each.type.plural}/${name}`)
      code = 1
    }
  }
  return code
}
