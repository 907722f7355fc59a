/** Tests of createObject: metadata, names, validation, dry run. */
import { beforeEach, describe, expect, it } from 'vitest'
import { configMaps, secrets } from '#platform/kube/kinds'
import { createObject } from './create-object.ts'
import { createTestResources, rejection, type TestResources, USER } from './testing/create-test-resources.ts'

let resources: TestResources['resources']
let client: TestResources['client']
let createConfigMap: TestResources['createConfigMap']
let createDeployment: TestResources['createDeployment']

beforeEach(() => {
  ;({ resources, client, createConfigMap, createDeployment } = createTestResources())
})

describe('creation', () => {
  it('sets uid, version and creation time, and drops server-owned fields', () => {
    const created = client.create(configMaps, {
      metadata: { name: 'a', namespace: 'default', uid: 'mine', generation: 9, deletionTimestamp: 'x' },
    } as never)
    expect(created).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    })
    expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/)
    expect(created.metadata).not.toHaveProperty('deletionTimestamp')
    expect(created.metadata).not.toHaveProperty('generation')
  })

  it('generates names from prefixes, truncated for a suffix of five characters', () => {
    const short = client.create(configMaps, {
      metadata: { generateName: 'x-', namespace: 'default' },
    } as never)
    expect(short.metadata.name).toMatch(/^x-[a-z0-9]{5}$/)
    const long = client.create(configMaps, {
      metadata: { generateName: 'y'.repeat(80), namespace: 'default' },
    } as never)
    expect(long.metadata.name).toMatch(/^y{58}[a-z0-9]{5}$/)
  })

  it('rejects a missing or invalid name, an invalid prefix, a missing namespace, a version and a duplicate', () => {
    expect(rejection(() => createConfigMap(''))).toBe(
      '422 Invalid: ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    )
    expect(rejection(() => createConfigMap('Bad_'))).toContain(
      'metadata.name: Invalid value: "Bad_": a lowercase RFC 1123',
    )
    expect(
      rejection(() =>
        client.create(configMaps, { metadata: { generateName: 'Bad_', namespace: 'default' } } as never),
      ),
    ).toContain('metadata.generateName: Invalid value: "Bad_"')
    expect(rejection(() => client.create(configMaps, { metadata: { name: 'a' } } as never))).toContain(
      'metadata.namespace: Required value',
    )
    expect(
      rejection(() =>
        client.create(configMaps, {
          metadata: { name: 'a', namespace: 'default', resourceVersion: '7' },
        } as never),
      ),
    ).toBe('500 : resourceVersion should not be set on objects to be created')
    const malformed = { metadata: { name: 'b', namespace: 'default', resourceVersion: 'abc' } }
    expect(client.create(configMaps, malformed as never).metadata.resourceVersion).toBe('1')
    createConfigMap()
    expect(rejection(() => createConfigMap())).toBe('409 AlreadyExists: configmaps "a" already exists')
    expect(resources.store.version).toBe(2)
  })

  it('starts generations at one', () => {
    expect(createDeployment().metadata.generation).toBe(1)
  })

  it('stores nothing in a dry run', () => {
    const draft = { metadata: { name: 'a', namespace: 'default' } } as never
    const dryRun = createObject(resources, configMaps, draft, { user: USER, manager: 'm', dryRun: true })
    expect(dryRun.metadata.uid).toBeDefined()
    expect(dryRun.metadata.resourceVersion).toBeUndefined()
    expect(resources.store.version).toBe(0)
  })
})

describe('keys such as __proto__', () => {
  it('are stored as plain keys', () => {
    const data = JSON.parse('{"__proto__":"eA==","constructor":"eA=="}')
    const created = client.create(secrets, { metadata: { name: 's', namespace: 'default' }, data } as never)
    expect(JSON.stringify(created.data)).toBe('{"__proto__":"eA==","constructor":"eA=="}')
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })
})
