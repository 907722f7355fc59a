/** Tests ConfigMaps and Secrets. */
import type { ConfigMap, Secret } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import type { Stored } from '#platform/kube/meta'
import { errorTexts } from '../testing/kind-errors.ts'
import { configMaps } from './config-map.ts'
import { secrets } from './secret.ts'

const metadata = { name: 'x', namespace: 'default', uid: '1', resourceVersion: '1', creationTimestamp: '' }
const configMap = (rest: ConfigMap): Stored<ConfigMap> => ({
  ...rest,
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata,
})
const secret = (rest: Secret): Stored<Secret> => ({
  type: 'Opaque',
  ...rest,
  apiVersion: 'v1',
  kind: 'Secret',
  metadata,
})

describe('ConfigMap', () => {
  it('rejects invalid keys and too much data', () => {
    expect(
      errorTexts(configMaps.validate!(configMap({ data: { 'a b': '' }, binaryData: { ok: '' } }), undefined)),
    ).toEqual([
      "data[a b]: Invalid value: \"a b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    ])
    expect(
      errorTexts(configMaps.validate!(configMap({ data: { a: '' }, binaryData: { a: '' } }), undefined)),
    ).toEqual(['data[a]: Invalid value: "a": duplicate of key present in binaryData'])
    const full = { a: 'x'.repeat(1024 * 1024) }
    expect(configMaps.validate!(configMap({ data: full }), undefined)).toEqual([])
    expect(errorTexts(configMaps.validate!(configMap({ data: { ...full, b: 'y' } }), undefined))).toEqual([
      '[]: Too long: may not be more than 1048576 bytes',
    ])
  })

  it('rejects changes if it is immutable', () => {
    const old = configMap({ immutable: true, data: { a: '1' } })
    expect(configMaps.validate!(old, old)).toEqual([])
    expect(errorTexts(configMaps.validate!(configMap({ data: { a: '2' } }), old))).toEqual([
      'immutable: Forbidden: field is immutable when `immutable` is set',
      'data: Forbidden: field is immutable when `immutable` is set',
    ])
  })
})

describe('Secret', () => {
  it('encodes stringData into data', () => {
    const draft = { ...secret({ data: { a: 'eA==' }, stringData: { a: 'y', b: 'z' } }) }
    delete draft.type
    secrets.defaults!(draft)
    expect(draft).toMatchObject({ type: 'Opaque', data: { a: 'eQ==', b: 'eg==' } })
    expect(draft).not.toHaveProperty('stringData')
  })

  it.each<[string, Record<string, string>, string[]]>([
    ['kubernetes.io/tls', { 'tls.crt': '' }, ['data[tls.key]: Required value']],
    ['kubernetes.io/basic-auth', {}, ['data[username]: Required value', 'data[password]: Required value']],
    ['kubernetes.io/basic-auth', { username: 'eA==' }, []],
    ['kubernetes.io/ssh-auth', {}, ['data[ssh-privatekey]: Required value']],
    ['kubernetes.io/dockerconfigjson', {}, ['data[.dockerconfigjson]: Required value']],
    [
      'kubernetes.io/dockerconfigjson',
      { '.dockerconfigjson': 'eA==' },
      [
        'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": invalid character \'x\' looking for beginning of value',
      ],
    ],
    [
      'kubernetes.io/service-account-token',
      {},
      ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
    ],
  ])('of type %s is validated: %j', (type, data, expected) => {
    expect(errorTexts(secrets.validate!(secret({ type, data }), undefined))).toEqual(expected)
  })

  it('rejects a change of type', () => {
    expect(errorTexts(secrets.validate!(secret({ type: 'b' }), secret({ type: 'a' })))).toEqual([
      'type: Invalid value: "b": field is immutable',
    ])
  })
})
