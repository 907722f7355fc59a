/** Tests of creation: identity, names, refusals, and trying without doing. */
import { beforeEach, describe, expect, it } from 'vitest'
import { configMaps, secrets } from '../kinds/index.ts'
import { createObject } from './create-object.ts'
import { createTestResources, refusal, type TestResources, USER } from './testing/create-test-resources.ts'

let resources: TestResources['resources']
let client: TestResources['client']
let configMap: TestResources['configMap']
let deployment: TestResources['deployment']

beforeEach(() => {
  ;({ resources, client, configMap, deployment } = createTestResources())
})

describe('creation', () => {
  it('gives identity, version and time, and drops what only the server sets', () => {
    const made = client.create(configMaps, {
      metadata: { name: 'a', namespace: 'default', uid: 'mine', generation: 9, deletionTimestamp: 'x' },
    } as never)
    expect(made).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    })
    expect(made.metadata.uid).toMatch(/^[0-9a-f-]{36}$/)
    expect(made.metadata).not.toHaveProperty('deletionTimestamp')
    expect(made.metadata).not.toHaveProperty('generation')
  })

  it('makes names from prefixes, cut so that five letters fit', () => {
    const short = client.create(configMaps, {
      metadata: { generateName: 'x-', namespace: 'default' },
    } as never)
    expect(short.metadata.name).toMatch(/^x-[a-z0-9]{5}$/)
    const long = client.create(configMaps, {
      metadata: { generateName: 'y'.repeat(80), namespace: 'default' },
    } as never)
    expect(long.metadata.name).toMatch(/^y{58}[a-z0-9]{5}$/)
  })

  it('refuses what has no name, a bad name or prefix, no namespace, a version, or a twin', () => {
    expect(refusal(() => configMap(''))).toBe(
      '422 Invalid: ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    )
    expect(refusal(() => configMap('Bad_'))).toContain(
      'metadata.name: Invalid value: "Bad_": a lowercase RFC 1123',
    )
    expect(
      refusal(() =>
        client.create(configMaps, { metadata: { generateName: 'Bad_', namespace: 'default' } } as never),
      ),
    ).toContain('metadata.generateName: Invalid value: "Bad_"')
    expect(refusal(() => client.create(configMaps, { metadata: { name: 'a' } } as never))).toContain(
      'metadata.namespace: Required value',
    )
    expect(
      refusal(() =>
        client.create(configMaps, {
          metadata: { name: 'a', namespace: 'default', resourceVersion: '7' },
        } as never),
      ),
    ).toBe('400 BadRequest: resourceVersion should not be set on objects to be created')
    configMap()
    expect(refusal(() => configMap())).toBe('409 AlreadyExists: configmaps "a" already exists')
    expect(resources.store.version).toBe(1)
  })

  it('begins generations at one, where a kind has them', () => {
    expect(deployment().metadata.generation).toBe(1)
  })

  it('leaves no trace when it is but tried', () => {
    const draft = { metadata: { name: 'a', namespace: 'default' } } as never
    const tried = createObject(resources, configMaps, draft, { user: USER, manager: 'm', dryRun: true })
    expect(tried.metadata.uid).toBeDefined()
    expect(tried.metadata.resourceVersion).toBeUndefined()
    expect(resources.store.version).toBe(0)
  })
})

describe('keys that look like parts of the language', () => {
  it('are keys like others', () => {
    const data = JSON.parse('{"__proto__":"eA==","constructor":"eA=="}')
    const made = client.create(secrets, { metadata: { name: 's', namespace: 'default' }, data } as never)
    expect(JSON.stringify(made.data)).toBe('{"__proto__":"eA==","constructor":"eA=="}')
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })
})
