/** Tests volumes whose files come from API objects. */
import type { Volume } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { configMaps, secrets } from '#platform/kube/kinds'
import { createTestNode } from '../testing/create-test-node.ts'
import { resolveVolumes } from './pod-volumes.ts'

const location = { nodeName: 'node1', hostIP: '10.244.0.1', podIP: '10.244.0.9', allocatable: {} }

const setUp = (data: Record<string, string>) => {
  const { client, run, pod } = createTestNode()
  client.create(configMaps, { metadata: { name: 'settings', namespace: 'default' }, data })
  client.create(secrets, { metadata: { name: 'login', namespace: 'default' }, data })
  run('p', {})
  return (volume: Omit<Volume, 'name'>): Record<string, string>[] => {
    const bound = { ...pod('p'), spec: { ...pod('p').spec, volumes: [{ name: 'v', ...volume }] } }
    const { files } = resolveVolumes({ client, issueToken: () => '' }, bound, location)
    return files[0]!.files.map(({ path, content }) => ({ path, text: new TextDecoder().decode(content()) }))
  }
}

describe('keys that every object inherits', () => {
  it.each(['constructor', '__proto__'])('%s does not exist unless the data holds it', (key) => {
    const resolveFiles = setUp({})
    const items = [{ key, path: 'a' }]
    expect(() => resolveFiles({ configMap: { name: 'settings', items } })).toThrow(
      `MountVolume.SetUp failed for volume "v" : references non-existent config key: ${key}`,
    )
    expect(() => resolveFiles({ secret: { secretName: 'login', items } })).toThrow(
      `MountVolume.SetUp failed for volume "v" : references non-existent secret key: ${key}`,
    )
  })

  it('become files if the data holds them', () => {
    const text = Buffer.from('text').toString('base64')
    const resolveFiles = setUp(JSON.parse(`{"__proto__": "${text}", "constructor": "${text}"}`))
    expect(resolveFiles({ configMap: { name: 'settings' } }).map(({ path }) => path)).toEqual([
      '__proto__',
      'constructor',
    ])
    const items = [{ key: '__proto__', path: 'a' }]
    expect(resolveFiles({ secret: { secretName: 'login', items } })).toEqual([{ path: 'a', text: 'text' }])
  })
})
