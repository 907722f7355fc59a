/** Tests of decoding JSON into typed objects. */
import { describe, expect, it } from 'vitest'
import { ApiError } from '#platform/kube/meta'
import { schemaOf } from '../definitions.ts'
import type { GroupVersionKind, ObjectSchema, Schema } from '../schema.ts'
import { realObjects } from '../testing/real-fixtures.ts'
import { strictDecodingError } from './decode-error.ts'
import { decodeObject } from './decode-object.ts'
import { fieldWarnings } from './field-warnings.ts'

const DEPLOYMENT = { group: 'apps', version: 'v1', kind: 'Deployment' }
const SECRET = { group: '', version: 'v1', kind: 'Secret' }
const LEASE = { group: 'coordination.k8s.io', version: 'v1', kind: 'Lease' }

const decode = (value: unknown, gvk: GroupVersionKind = DEPLOYMENT, partial = false) =>
  decodeObject(schemaOf(gvk)!, value, gvk, { partial })

const decodeFailure = (value: unknown, gvk: GroupVersionKind = DEPLOYMENT): string => {
  try {
    decode(value, gvk)
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError)
    const { code, message } = error as ApiError
    expect(code).toBe(400)
    const prefix = `${gvk.kind} in version "v1" cannot be handled as a ${gvk.kind}: `
    expect(message.startsWith(prefix)).toBe(true)
    return message.slice(prefix.length)
  }
  throw new Error('decoding did not fail')
}

const gvkOf = (apiVersion: string, kind: string): GroupVersionKind => {
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  return { group, version, kind }
}

/** Raw extensions (`data`) keep their nulls, because they have no type. */
const withoutNulls = (value: unknown, key = ''): unknown => {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item))
  if (typeof value !== 'object' || value === null || key === 'data') return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([name, item]) => [name, withoutNulls(item, name)]),
  )
}

const inContainer = (container: object): object => ({
  spec: { template: { spec: { containers: [container] } } },
})

describe('decodeObject', () => {
  it.each(realObjects().map((object) => [`${object.kind} ${object.metadata.name}`, object] as const))(
    'does not change an object that a real server stored: %s',
    (_, object) => {
      const { object: decoded, unknown } = decode(object, gvkOf(object.apiVersion, object.kind))
      expect(unknown).toEqual([])
      expect(decoded).toEqual(withoutNulls(object))
    },
  )

  it('shares nothing with its input', () => {
    const sent = { metadata: { labels: { a: 'b' } }, spec: { selector: { matchLabels: { a: 'b' } } } }
    const { object } = decode(sent)
    object.metadata.labels.a = 'changed'
    expect(sent.metadata.labels.a).toBe('b')
  })

  it('drops nulls and zero values that Go omits, and adds empty structs that Go writes', () => {
    const { object } = decode({
      metadata: { creationTimestamp: null, labels: {} },
      ...inContainer({ name: 'c', tty: false, env: [], workingDir: '', image: null }),
    })
    expect(object).toEqual({
      metadata: {},
      spec: {
        strategy: {},
        template: { metadata: {}, spec: { containers: [{ name: 'c', resources: {} }] } },
      },
      status: {},
    })
  })

  it('keeps the zero value of a pointer field', () => {
    expect(decode({ spec: { replicas: 0, paused: false } }).object.spec).toMatchObject({ replicas: 0 })
    expect(decode({ spec: { replicas: 0, paused: false } }).object.spec).not.toHaveProperty('paused')
  })

  it('keeps a partial object partial', () => {
    expect(decode({ spec: { paused: false, template: null } }, DEPLOYMENT, true).object).toEqual({
      spec: { paused: false },
    })
  })

  it('drops unknown fields and returns their paths', () => {
    const { object, unknown } = decode({
      spec: { foo: 1, Replicas: 2 },
      ...inContainer({ name: 'c', bar: {} }),
    })
    expect(unknown).toEqual(['spec.template.spec.containers[0].bar'])
    expect(object.spec.template.spec.containers[0]).toEqual({ name: 'c', resources: {} })
    expect(decode({ spec: { foo: 1, Replicas: 2 } }).unknown).toEqual(['spec.foo', 'spec.Replicas'])
  })

  it('rejects unknown fields with the message of kube-apiserver', () => {
    const { unknown } = decode({ spec: { foo: 1 } })
    expect(strictDecodingError(DEPLOYMENT, fieldWarnings(unknown, undefined, false)).toStatus()).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.foo"',
      reason: 'BadRequest',
      code: 400,
    })
  })

  it.each([
    [{ spec: { replicas: 'x' } }, 'string into Go struct field DeploymentSpec.spec.replicas of type int32'],
    [
      { spec: { replicas: 1.5 } },
      'number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      { spec: { replicas: 2 ** 31 } },
      'number 2147483648 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      inContainer({ env: [{ name: true }] }),
      'bool into Go struct field EnvVar.spec.template.spec.containers.env.name of type string',
    ],
    [
      { spec: { template: { spec: { restartPolicy: 1 } } } },
      'number into Go struct field PodSpec.spec.template.spec.restartPolicy of type v1.RestartPolicy',
    ],
    [
      { spec: { template: { spec: { containers: {} } } } },
      'object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container',
    ],
    [{ spec: 'a' }, 'string into Go struct field Deployment.spec of type v1.DeploymentSpec'],
    [
      { metadata: { labels: { a: 1 } } },
      'number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      { metadata: { labels: [] } },
      'array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
    ],
    [
      { metadata: { creationTimestamp: 1 } },
      'number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
    ],
    [
      { spec: { strategy: { rollingUpdate: { maxSurge: true } } } },
      'bool into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
    ],
    [[], 'array into Go value of type v1.Deployment'],
  ])('rejects a wrong type as Go does: %j', (value, message) => {
    expect(decodeFailure(value)).toBe(`json: cannot unmarshal ${message}`)
  })

  it.each([
    ['x', 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
    ['', 'parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"'],
    [
      '2024-12-30 00:00:00Z',
      'parsing time "2024-12-30 00:00:00Z" as "2006-01-02T15:04:05Z07:00": cannot parse " 00:00:00Z" as "T"',
    ],
    ['2024-13-30T00:00:00Z', 'parsing time "2024-13-30T00:00:00Z": month out of range'],
    ['2024-02-30T00:00:00Z', 'parsing time "2024-02-30T00:00:00Z": day out of range'],
    ['2024-02-03T00:00:00Zx', 'parsing time "2024-02-03T00:00:00Zx": extra text: "x"'],
  ])('rejects the time %j', (creationTimestamp, message) => {
    expect(decodeFailure({ metadata: { creationTimestamp } })).toBe(message)
  })

  it('converts times to UTC, with microseconds for MicroTime', () => {
    const decodeTime = (text: string) =>
      decode({ metadata: { creationTimestamp: text } }).object.metadata.creationTimestamp
    expect(decodeTime('2024-01-01T00:30:00.75+02:00')).toBe('2023-12-31T22:30:00Z')
    expect(decodeTime('0001-01-01T00:00:00Z')).toBeUndefined()
    const renewTime = '2024-01-01T00:00:00.123456Z'
    expect(decode({ spec: { renewTime } }, LEASE).object.spec).toEqual({ renewTime })
    expect(decodeFailure({ spec: { renewTime: '2024-01-01T00:00:00Z' } }, LEASE)).toBe(
      'parsing time "2024-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    )
  })

  it.each([
    ['x', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    [true, "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ['1e999999999', "unable to parse quantity's suffix"],
    ['Ei', 'unable to parse numeric part of quantity'],
    ['1mi', "unable to parse quantity's suffix"],
  ])('rejects the quantity %j', (cpu, message) => {
    expect(decodeFailure(inContainer({ resources: { limits: { cpu } } }))).toBe(message)
  })

  it('converts quantities to canonical form', () => {
    const limits = { cpu: 0.5, memory: '1024Mi', pods: '1000m' }
    const { object } = decode(inContainer({ name: 'c', resources: { limits } }))
    expect(object.spec.template.spec.containers[0].resources.limits).toEqual({
      cpu: '500m',
      memory: '1Gi',
      pods: '1',
    })
  })

  it.each([
    ['!!!!', 0],
    ['YWJj!', 4],
    ['YWJ', 0],
    ['YWJjZA=', 7],
    ['YWI=x', 4],
  ])('rejects the base64 %j', (text, position) => {
    expect(decodeFailure({ data: { a: text } }, SECRET)).toBe(`illegal base64 data at input byte ${position}`)
  })

  it('accepts base64 with line breaks, as Go does', () => {
    expect(decode({ data: { a: 'YW\nI=\n' } }, SECRET).object.data).toEqual({ a: 'YWI=' })
  })

  it('handles __proto__ and constructor as keys, and rejects very deep input', () => {
    const hostile = JSON.parse(
      '{"metadata":{"labels":{"__proto__":"x","constructor":"y"}},"__proto__":{"a":1}}',
    )
    const { object, unknown } = decode(hostile)
    expect(unknown).toEqual(['__proto__'])
    expect(Object.entries(object.metadata.labels)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ])
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)
    expect(decodeFailure({ metadata: { managedFields: [{ fieldsV1: deep }] } })).toBe('exceeded max depth')
  })
})

describe('decodeObject of a custom resource', () => {
  const objectSchema = (
    fields: Record<string, Schema>,
    options: Partial<ObjectSchema> = {},
  ): ObjectSchema => ({
    type: 'object',
    fields: new Map(Object.entries(fields)),
    required: [],
    ...options,
  })
  const schema = objectSchema({
    metadata: deploymentMeta(),
    spec: objectSchema({
      count: { type: 'integer' },
      note: { type: 'string', nullable: true },
      free: objectSchema({}, { preserveUnknown: true }),
      child: objectSchema({}, { embedded: true }),
    }),
  })
  const gvk = { group: 'example.com', version: 'v1', kind: 'Thing' }

  it('only prunes, and does not check values', () => {
    const spec = { count: 'three', note: null, free: { a: 1 }, child: { kind: 'X', other: 1 }, extra: 1 }
    const decoded = decodeObject(schema, { spec }, gvk)
    expect(decoded.unknown).toEqual(['spec.child.other', 'spec.extra'])
    expect(decoded.object).toEqual({
      spec: { count: 'three', note: null, free: { a: 1 }, child: { kind: 'X' } },
    })
  })

  it('checks the types of metadata fields', () => {
    expect(() => decodeObject(schema, { metadata: { labels: { a: 1 } } }, gvk)).toThrow(
      'Go struct field ObjectMeta.metadata.labels of type string',
    )
  })
})

function deploymentMeta(): Schema {
  return schemaOf(DEPLOYMENT)!.fields.get('metadata')!
}
