/** JSON Patch (RFC 6902), with the leniency and the errors of kube-apiserver. */
import { cloneJson, deepEqual, memberOf, setMember } from '#kit'
import { ApiError, badRequest } from '#platform/kube/meta'
import { jsonKind } from './go-text.ts'

interface Operation {
  op?: string
  path?: string
  from?: string
  value?: unknown
}

type Container = readonly unknown[] | Readonly<Record<string, unknown>>

const MAX_OPERATIONS = 10_000
const MAX_COPIED_BYTES = 3 * 1024 * 1024

/** kube-apiserver returns this message for every failed operation. */
const inapplicable = (): ApiError =>
  new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {})

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null

const undecodable = (value: unknown, target: string): ApiError =>
  badRequest(`error decoding patch: json: cannot unmarshal ${jsonKind(value)} into Go ${target}`)

const parseOperations = (patch: unknown): Operation[] => {
  if (patch === null) return []
  if (!Array.isArray(patch)) throw undecodable(patch, 'value of type []handlers.jsonPatchOp')
  for (const operation of patch) {
    if (operation === null) continue
    if (typeof operation !== 'object' || Array.isArray(operation)) {
      throw undecodable(operation, 'value of type handlers.jsonPatchOp')
    }
    for (const field of ['op', 'path', 'from']) {
      const value = operation[field] ?? ''
      if (typeof value !== 'string') {
        throw undecodable(value, `struct field jsonPatchOp.${field} of type string`)
      }
    }
  }
  if (patch.length > MAX_OPERATIONS) {
    throw new ApiError(
      413,
      'RequestEntityTooLarge',
      `Request entity is too large: The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`,
    )
  }
  return patch
}

/** Ignores text before the first slash, as kube-apiserver does. */
const parsePointer = (pointer: string | null | undefined): string[] => {
  const tokens = (pointer ?? '').split('/')
  if (tokens.length < 2) throw inapplicable()
  return tokens.slice(1).map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** A negative index counts from the end. */
const parseIndex = (token: string, length: number): number => {
  if (!/^[+-]?\d+$/.test(token)) throw inapplicable()
  const index = Number(token) < 0 ? Number(token) + length : Number(token)
  if (index < 0 || index >= length) throw inapplicable()
  return index
}

const read = (container: Container, token: string): unknown => {
  if (Array.isArray(container)) return container[parseIndex(token, container.length)]
  return memberOf(container as Record<string, unknown>, token)
}

/** The state of one patch. */
interface PatchState {
  /** Containers that this patch created and can therefore change in place. */
  readonly fresh: WeakSet<object>
  copiedBytes: number
}

/** Returns the container if this patch created it, otherwise a copy. A long patch copies each container once. */
const toWritable = (container: Container, { fresh }: PatchState): unknown[] | Record<string, unknown> => {
  if (fresh.has(container)) return container as unknown[] | Record<string, unknown>
  const copy = Array.isArray(container) ? [...container] : { ...container }
  fresh.add(copy)
  return copy as unknown[] | Record<string, unknown>
}

const write = (container: Container, token: string, value: unknown, state: PatchState): Container => {
  if (deepEqual(read(container, token), value)) return container
  const target = toWritable(container, state)
  if (Array.isArray(target)) target[parseIndex(token, target.length)] = value
  else setMember(target, token, value)
  return target
}

const insert = (container: Container, token: string, value: unknown, state: PatchState): Container => {
  if (!Array.isArray(container)) return write(container, token, value, state)
  const index = token === '-' ? container.length : parseIndex(token, container.length + 1)
  const target = toWritable(container, state) as unknown[]
  target.splice(index, 0, value)
  return target
}

const erase = (container: Container, token: string, state: PatchState): Container => {
  if (Array.isArray(container)) {
    const index = parseIndex(token, container.length)
    const target = toWritable(container, state) as unknown[]
    target.splice(index, 1)
    return target
  }
  if (!Object.hasOwn(container, token)) throw inapplicable()
  const target = toWritable(container, state) as Record<string, unknown>
  delete target[token]
  return target
}

/** Returns the document with `change` applied to the container that holds the pointer's last token. */
const updateAt = (
  document: unknown,
  tokens: readonly string[],
  change: (container: Container, token: string) => Container,
  state: PatchState,
): Container => {
  const update = (node: unknown, depth: number): Container => {
    if (!isContainer(node)) throw inapplicable()
    const token = tokens[depth]!
    if (depth === tokens.length - 1) return change(node, token)
    const before = read(node, token)
    const after = update(before, depth + 1)
    return after === before ? node : write(node, token, after, state)
  }
  return update(document, 0)
}

const find = (document: unknown, pointer: string | null | undefined): unknown => {
  let node = document
  for (const token of parsePointer(pointer)) {
    if (!isContainer(node)) throw inapplicable()
    node = read(node, token)
  }
  return node
}

const add = (
  document: unknown,
  pointer: string | null | undefined,
  value: unknown,
  state: PatchState,
): unknown =>
  updateAt(
    document,
    parsePointer(pointer),
    (container, token) => insert(container, token, value, state),
    state,
  )

const remove = (document: unknown, pointer: string | null | undefined, state: PatchState): unknown =>
  updateAt(document, parsePointer(pointer), (container, token) => erase(container, token, state), state)

/** Copies a value, and limits the size of all copies: repeated copies could grow the object exponentially. */
const copyValue = (value: unknown, state: PatchState): unknown => {
  state.copiedBytes += JSON.stringify(value ?? null).length
  if (state.copiedBytes > MAX_COPIED_BYTES) throw inapplicable()
  return cloneJson(value ?? null)
}

const applyOperation = (document: unknown, operation: Operation, state: PatchState): unknown => {
  const { path, from } = operation
  const value = operation.value ?? null
  switch (operation.op) {
    case 'add':
      return add(document, path, value, state)
    case 'remove':
      return remove(document, path, state)
    case 'replace':
      if (path === '' && isContainer(value)) return value
      return updateAt(
        document,
        parsePointer(path),
        (container, token) => write(container, token, value, state),
        state,
      )
    case 'move': {
      const moved = find(document, from)
      return add(remove(document, from, state), path, moved, state)
    }
    case 'copy':
      return add(document, path, copyValue(find(document, from), state), state)
    case 'test':
      if (!deepEqual((path === '' ? document : find(document, path)) ?? null, value)) throw inapplicable()
      return document
    default:
      throw inapplicable()
  }
}

/** Returns the patched document. It shares unchanged parts with `document`. */
export const applyJsonPatch = <T>(document: T, patch: unknown): T => {
  let result: unknown = document
  const state: PatchState = { fresh: new WeakSet(), copiedBytes: 0 }
  for (const operation of parseOperations(patch)) result = applyOperation(result, operation ?? {}, state)
  return result as T
}
