/** JSON Patch (RFC 6902), with the latitude and the refusals of the real API server. */
import { deepEqual } from '../../kit/index.ts'
import { ApiError, badRequest } from '../meta/index.ts'
import { jsonKind } from './go-text.ts'

interface Operation {
  op?: string
  path?: string
  from?: string
  value?: unknown
}

type Container = readonly unknown[] | Readonly<Record<string, unknown>>

const MAX_OPERATIONS = 10_000

/** Whatever makes an operation fail, the real server tells its client no more than this. */
const inapplicable = (): ApiError =>
  new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {})

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null

const undecodable = (value: unknown, into: string): ApiError =>
  badRequest(`error decoding patch: json: cannot unmarshal ${jsonKind(value)} into Go ${into}`)

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

/** What comes before the first slash is ignored, as the real server ignores it. */
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
  return Object.hasOwn(container, token) ? (container as Record<string, unknown>)[token] : undefined
}

const write = (container: Container, token: string, value: unknown): Container => {
  if (deepEqual(read(container, token), value)) return container
  if (Array.isArray(container)) return container.with(parseIndex(token, container.length), value)
  return { ...container, [token]: value }
}

const insert = (container: Container, token: string, value: unknown): Container => {
  if (!Array.isArray(container)) return write(container, token, value)
  if (token === '-') return [...container, value]
  return container.toSpliced(parseIndex(token, container.length + 1), 0, value)
}

const erase = (container: Container, token: string): Container => {
  if (Array.isArray(container)) return container.toSpliced(parseIndex(token, container.length), 1)
  if (!Object.hasOwn(container, token)) throw inapplicable()
  const { [token]: _, ...rest } = container as Record<string, unknown>
  return rest
}

/** The document with `change` made to the container that holds the pointer's last token. */
const alter = (
  node: unknown,
  tokens: readonly string[],
  change: (container: Container, token: string) => Container,
  depth = 0,
): Container => {
  if (!isContainer(node)) throw inapplicable()
  const token = tokens[depth]!
  if (depth === tokens.length - 1) return change(node, token)
  return write(node, token, alter(read(node, token), tokens, change, depth + 1))
}

const find = (document: unknown, pointer: string | null | undefined): unknown => {
  let node = document
  for (const token of parsePointer(pointer)) {
    if (!isContainer(node)) throw inapplicable()
    node = read(node, token)
  }
  return node
}

const add = (document: unknown, pointer: string | null | undefined, value: unknown): unknown =>
  alter(document, parsePointer(pointer), (container, token) => insert(container, token, value))

const remove = (document: unknown, pointer: string | null | undefined): unknown =>
  alter(document, parsePointer(pointer), erase)

const applyOperation = (document: unknown, operation: Operation): unknown => {
  const { path, from } = operation
  const value = operation.value ?? null
  switch (operation.op) {
    case 'add':
      return add(document, path, value)
    case 'remove':
      return remove(document, path)
    case 'replace':
      if (path === '' && isContainer(value)) return value
      return alter(document, parsePointer(path), (container, token) => write(container, token, value))
    case 'move': {
      const moved = find(document, from)
      return add(remove(document, from), path, moved)
    }
    case 'copy':
      return add(document, path, find(document, from) ?? null)
    case 'test':
      if (!deepEqual((path === '' ? document : find(document, path)) ?? null, value)) throw inapplicable()
      return document
    default:
      throw inapplicable()
  }
}

/** The patched document; it shares with the given one whatever the patch left alone. */
export const applyJsonPatch = <T>(document: T, patch: unknown): T => {
  let result: unknown = document
  for (const operation of parseOperations(patch)) result = applyOperation(result, operation ?? {})
  return result as T
}
