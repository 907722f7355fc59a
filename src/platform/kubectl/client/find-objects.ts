/** Finds the objects that the arguments and selectors of a call of kubectl select. */
import { defined } from '#kit'
import { isNotFound, type ListOptions } from '#spec'
import type { Found } from './found.ts'
import type { KubectlCall } from './kubectl-call.ts'
import { isStatusError, KubectlError, serverMessage } from './kubectl-error.ts'
import { parseTargets } from './parse-targets.ts'
import { type ResourceType, refOf } from './resource-types.ts'

const NO_NAMES = 'error: resource(s) were provided, but no name was specified'

/** kubectl names the resource that it could not list. */
const listFailure = (
  error: unknown,
  { group, version, plural }: ResourceType,
  selectors: ListOptions,
): unknown => {
  if (!isStatusError(error) || (error.code !== 400 && error.code !== 404)) return error
  const { labelSelector = '', fieldSelector = '' } = selectors
  const resource = `"${group}/${version}, Resource=${plural}"`
  const what =
    labelSelector === '' && fieldSelector === ''
      ? `Unable to list ${resource}`
      : `Unable to find ${resource} that match label selector "${labelSelector}", field selector "${fieldSelector}"`
  return new KubectlError(serverMessage(error, `${what}: `))
}

const listOf = async (
  { program, namespace }: KubectlCall,
  type: ResourceType,
  { isEverywhere, ...selectors }: ListOptions & { isEverywhere: boolean },
): Promise<Found[]> => {
  try {
    const { items } = await program.api.list(refOf(type, isEverywhere ? undefined : namespace), selectors)
    return items.map((object) => ({
      type,
      object: { ...object, apiVersion: type.apiVersion, kind: type.kind },
    }))
  } catch (error) {
    throw listFailure(error, type, selectors)
  }
}

export interface FindOptions {
  /** Whether `--all` or no name at all selects every object. */
  readonly allowsAll?: boolean
  /** Called for each error of an object; by default the first error ends the command. */
  onError?(error: unknown): void
}

/** The objects that the arguments, `-l`, `--field-selector` and `-A` select. */
export const findObjects = async (
  call: KubectlCall,
  { allowsAll = false, onError }: FindOptions = {},
): Promise<Found[]> => {
  const { flags, program, namespace } = call
  const { targets, types } = parseTargets(call, flags.args)
  if (targets.length === 0) {
    const [labelSelector, fieldSelector] = [flags.text('selector'), flags.text('field-selector')]
    if (!allowsAll && !flags.bool('all') && labelSelector === undefined && fieldSelector === undefined)
      throw new KubectlError(NO_NAMES)
    const found: Found[] = []
    for (const type of types)
      found.push(
        ...(await listOf(call, type, {
          ...defined({ labelSelector }),
          ...defined({ fieldSelector }),
          isEverywhere: flags.bool('all-namespaces'),
        })),
      )
    return found
  }
  if (flags.has('selector'))
    throw new KubectlError('error: name cannot be provided when a selector is specified')
  if (flags.bool('all-namespaces'))
    throw new KubectlError('error: a resource cannot be retrieved by name across all namespaces')
  const found: Found[] = []
  for (const { type, name } of targets)
    try {
      found.push({ type, object: await program.api.get({ ...refOf(type, namespace), name }) })
    } catch (error) {
      if (isNotFound(error) && flags.bool('ignore-not-found')) continue
      if (onError === undefined) throw error
      onError(error)
    }
  return found
}
