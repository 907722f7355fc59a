/** Generates names, objects and bodies for requests: valid, almost valid and malformed. */
import fc from 'fast-check'
import type { ObjectTemplate } from './object-templates.ts'

const NAMES = [
  'a',
  'b',
  'web',
  'x-1',
  'kubernetes',
  'Bad_Name',
  'a'.repeat(64),
  '..',
  'a%2Fb',
  '%00',
  '__proto__',
  '',
]
const NAMESPACES = ['default', 'one', 'two', 'kube-system', 'missing', 'Bad']

export const name = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('a', 'b', 'web', 'x-1') },
  fc.constantFrom(...NAMES),
)
export const namespace = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('default', 'one', 'two') },
  fc.constantFrom(...NAMESPACES),
)

/** Values of unexpected types and forms. */
export const unexpectedValue = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    0,
    -1,
    2 ** 31,
    2 ** 53,
    1.5,
    1e300,
    true,
    [],
    {},
    [null],
    [[]],
    { '': '' },
    '1e999999999',
    '9'.repeat(200),
    '100%',
    '0.5',
    '2026-01-01T00:00:00Z',
    '../../etc',
    'a'.repeat(300),
    '\u0000',
    '\ud800',
    'ÿ😀',
    JSON.parse('{"__proto__":{"polluted":"yes"}}'),
    { constructor: { prototype: { polluted: 'yes' } } },
    { $patch: 'delete' },
    { $patch: 'replace' },
    { matchExpressions: [{ key: 'a', operator: 'In' }] },
  ),
  fc.jsonValue({ maxDepth: 2 }),
)

type Json = unknown

/** Returns the paths of a value and of all values inside it. */
const pathsIn = (value: Json, path: (string | number)[] = []): (string | number)[][] => {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, member]) => pathsIn(member, [...path, key]))]
}

/** Replaces or removes the member at a path. */
const withChange = (
  value: Json,
  [step, ...rest]: (string | number)[],
  replacement: Json,
  remove: boolean,
): Json => {
  if (step === undefined) return replacement
  if (Array.isArray(value))
    return value.flatMap((item, index) => {
      if (String(index) !== String(step)) return [item]
      return remove && rest.length === 0 ? [] : [withChange(item, rest, replacement, remove)]
    })
  const copy: Record<string, unknown> = { ...(value as object) }
  if (remove && rest.length === 0) delete copy[step]
  else copy[step] = withChange(copy[step], rest, replacement, remove)
  return copy
}

const metadata = fc.record(
  {
    name,
    namespace,
    generateName: fc.constantFrom('gen-', 'Bad_', 'a'.repeat(70)),
    labels: fc.constantFrom<unknown>({ app: 'web' }, { app: 'db', tier: '1' }, { 'bad key': 'x' }, 5, null),
    annotations: fc.constantFrom<unknown>({ note: 'x' }, { 'k/': '' }, []),
    finalizers: fc.constantFrom<unknown>(['example.com/hold'], [], ['no-slash'], 'x', ['foregroundDeletion']),
    resourceVersion: fc.constantFrom<unknown>('1', '', '999999999', 'x', 7),
    uid: fc.constantFrom<unknown>('nope', ''),
    ownerReferences: fc.constantFrom<unknown>(
      [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'u', controller: true }],
      [{}],
      {},
    ),
    deletionTimestamp: fc.constantFrom<unknown>('2026-01-01T00:00:00Z', 'x'),
    managedFields: fc.constantFrom<unknown>(
      [],
      [{}],
      [{ manager: 'm', operation: 'Apply', fieldsV1: { 'f:x': 1 } }],
    ),
    foo: fc.constant('unknown'),
  },
  { requiredKeys: ['name'] },
)

/** Generates objects that are mostly valid; in some, one member is replaced or removed. */
export const objectOf = ({ object }: ObjectTemplate) =>
  fc
    .record({
      meta: fc.oneof({ weight: 3, arbitrary: fc.record({ name }) }, metadata),
      pathIndex: fc.nat(),
      change: fc.option(fc.record({ replacement: unexpectedValue, remove: fc.boolean() }), {
        freq: 2,
        nil: undefined,
      }),
    })
    .map(({ meta, pathIndex, change }): Json => {
      const valid = { ...object, metadata: meta }
      if (change === undefined) return valid
      const paths = pathsIn(valid)
      return withChange(valid, paths[pathIndex % paths.length]!, change.replacement, change.remove)
    })

export const malformedBody = fc.oneof(
  fc.constantFrom(
    '',
    '{',
    '[]',
    'null',
    '"x"',
    '{"a":1,"a":2}',
    '{"kind":"Pod"',
    '\u0000',
    'a: [',
    '- - -',
    '&a [*a]',
  ),
  fc.constant('['.repeat(5000)),
  fc.constant(`${'{"spec":'.repeat(700)}1${'}'.repeat(700)}`),
  fc.string({ maxLength: 40 }),
  fc.json({ maxDepth: 3 }),
)
