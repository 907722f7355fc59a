/** Tests that mounted volumes follow their API objects. */
import type { PodSpec, Volume } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { configMaps, pods, secrets, serviceAccounts } from '#platform/kube/kinds'
import type { FileVolume, Reply, TokenIssuer } from '#platform/kube/ports'
import { createTestNode, type TestNodeOverrides } from '../testing/create-test-node.ts'

type FileTexts = Record<string, Record<string, string>>

const textOf = (volumes: readonly FileVolume[]): FileTexts =>
  Object.fromEntries(
    volumes.map(({ name, files }) => [
      name,
      Object.fromEntries(files.map(({ path, content }) => [path, new TextDecoder().decode(content())])),
    ]),
  )

const setUp = (
  volumes: Volume[],
  { options, ...spec }: Partial<PodSpec> & Pick<TestNodeOverrides, 'options'> = {},
) => {
  const refreshes: FileTexts[] = []
  const failures: Error[] = []
  const node = createTestNode(
    {},
    {
      ...(options === undefined ? {} : { options }),
      runtime: (original) => ({
        createSandbox(pod, podVolumes, reply) {
          textOf(podVolumes.files)
          original.createSandbox(pod, podVolumes, reply)
        },
        refreshVolumes(_sandbox, files, reply: Reply<void>) {
          refreshes.push(textOf(files))
          const error = failures.shift()
          node.clock.defer(() =>
            reply(error === undefined ? { ok: true, value: undefined } : { ok: false, error }),
          )
        },
      }),
    },
  )
  const { client } = node
  const metadata = { name: 'settings', namespace: 'default' }
  client.create(configMaps, { metadata, data: { colour: 'red' } })
  client.create(secrets, { metadata: { ...metadata, name: 'login' }, data: { user: btoa('ann') } })
  const setConfigMap = (data: Record<string, string>, labels: Record<string, string> = {}): void => {
    const current = client.get(configMaps, 'default', 'settings')!
    client.update(configMaps, { ...current, metadata: { ...current.metadata, labels }, data })
  }
  node.run('p', { volumes, ...spec }, { labels: { tier: 'front' } })
  node.clock.advance(2000)
  return { ...node, refreshes, failures, setConfigMap }
}

const MAP: Volume = { name: 'm', configMap: { name: 'settings' } }
const SECRET: Volume = { name: 's', secret: { secretName: 'login' } }

describe('the content of a volume', () => {
  it('follows its config map after a second; several changes cause one update', () => {
    const { clock, refreshes, setConfigMap } = setUp([MAP, SECRET])
    setConfigMap({ colour: 'blue' })
    setConfigMap({ colour: 'green', size: 'large' })
    clock.advance(900)
    expect(refreshes).toEqual([])
    clock.advance(200)
    expect(refreshes).toEqual([{ m: { colour: 'green', size: 'large' } }])
    clock.advance(3_600_000)
    expect(refreshes).toHaveLength(1)
  })

  it('follows its secret, also in a projected volume', () => {
    const projected = { sources: [{ secret: { name: 'login' } }, { configMap: { name: 'settings' } }] }
    const { client, clock, refreshes } = setUp([SECRET, { name: 'all', projected }])
    const secret = client.get(secrets, 'default', 'login')!
    client.update(secrets, { ...secret, data: { user: btoa('bob') } })
    clock.advance(1500)
    expect(refreshes).toEqual([{ s: { user: 'bob' }, all: { user: 'bob', colour: 'red' } }])
  })

  it('follows the labels of the pod', () => {
    const items = [
      { path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } },
      { path: 'name', fieldRef: { fieldPath: 'metadata.name' } },
    ]
    const { client, clock, pod, refreshes } = setUp([{ name: 'd', downwardAPI: { items } }])
    const labels = { tier: 'back' }
    client.update(pods, { ...pod('p'), metadata: { ...pod('p').metadata, labels } })
    clock.advance(1500)
    expect(refreshes).toEqual([{ d: { labels: 'tier="back"', name: 'p' } }])
  })

  it('is not rewritten if it has not changed', () => {
    const { client, clock, pod, refreshes, setConfigMap } = setUp([MAP])
    setConfigMap({ colour: 'red' }, { other: 'label' })
    client.create(configMaps, { metadata: { name: 'unrelated', namespace: 'default' } })
    client.update(pods, { ...pod('p'), metadata: { ...pod('p').metadata, labels: { tier: 'back' } } })
    clock.advance(60_000)
    expect(refreshes).toEqual([])
  })

  it('appears and disappears with an optional object', () => {
    const { client, clock, refreshes } = setUp([{ name: 'o', configMap: { name: 'later', optional: true } }])
    client.create(configMaps, { metadata: { name: 'later', namespace: 'default' }, data: { a: '1' } })
    clock.advance(1500)
    client.delete(configMaps, 'default', 'later')
    clock.advance(1500)
    expect(refreshes).toEqual([{ o: { a: '1' } }, { o: {} }])
  })

  it('remains when a required object is deleted, with an event', () => {
    const { client, clock, refreshes, eventsOf, pod } = setUp([MAP, SECRET])
    client.delete(configMaps, 'default', 'settings')
    clock.advance(1500)
    expect(refreshes).toEqual([])
    expect(eventsOf('p')).toContain(
      'Warning FailedMount MountVolume.SetUp failed for volume "m" : configmap "settings" not found',
    )
    expect(pod('p').status.phase).toBe('Running')
    client.create(configMaps, {
      metadata: { name: 'settings', namespace: 'default' },
      data: { colour: 'white' },
    })
    clock.advance(1500)
    expect(refreshes).toEqual([{ m: { colour: 'white' } }])
  })
})

describe('a refresh', () => {
  it('is retried after a failure', () => {
    const { clock, refreshes, failures, setConfigMap, errors } = setUp([MAP])
    failures.push(new Error('disk is full'))
    setConfigMap({ colour: 'blue' })
    clock.advance(1500)
    expect(errors).toEqual(['kubelet node1, pod default/p: Error: disk is full'])
    clock.advance(16_000)
    expect(refreshes).toEqual([{ m: { colour: 'blue' } }, { m: { colour: 'blue' } }])
  })

  it('waits until the kubelet is healthy and the sandbox exists', () => {
    const { clock, kubelet, refreshes, setConfigMap, run } = setUp([MAP])
    kubelet.setHealthy(false)
    setConfigMap({ colour: 'blue' })
    clock.advance(60_000)
    expect(refreshes).toEqual([])
    kubelet.setHealthy(true)
    clock.advance(100)
    expect(refreshes).toEqual([{ m: { colour: 'blue' } }])
    run('q', { volumes: [MAP] })
    clock.advance(10)
    setConfigMap({ colour: 'grey' })
    clock.advance(5000)
    expect(refreshes.slice(1)).toEqual([{ m: { colour: 'grey' } }, { m: { colour: 'grey' } }])
  })

  it('is skipped for a pod that is being deleted', () => {
    const { client, clock, refreshes, setConfigMap } = setUp([MAP])
    client.delete(pods, 'default', 'p')
    setConfigMap({ colour: 'blue' })
    clock.advance(60_000)
    expect(refreshes).toEqual([])
  })
})

describe('tokens', () => {
  it('are renewed after 80% of their lifetime', () => {
    const issued: number[] = []
    const tokens: TokenIssuer = {
      issue({ expirationSeconds }) {
        issued.push(expirationSeconds)
        return { token: `token ${issued.length}`, expiresAt: 0 }
      },
      review: () => undefined,
      audienceProblem: () => undefined,
      publicKeys: () => [],
    }
    const serviceAccountToken = { path: 'token', expirationSeconds: 1000 }
    const { client, clock, refreshes, setConfigMap } = setUp(
      [{ name: 't', projected: { sources: [{ serviceAccountToken }, { configMap: { name: 'settings' } }] } }],
      { options: { tokens }, serviceAccountName: 'default' },
    )
    expect(issued).toEqual([])
    client.create(serviceAccounts, { metadata: { name: 'default', namespace: 'default' } })
    setConfigMap({ colour: 'blue' })
    clock.advance(1500)
    expect(refreshes).toEqual([{ t: { token: 'token 1', colour: 'blue' } }])
    setConfigMap({ colour: 'green' })
    clock.advance(790_000)
    expect(refreshes.slice(1)).toEqual([{ t: { token: 'token 1', colour: 'green' } }])
    clock.advance(12_000)
    expect(refreshes.slice(2)).toEqual([{ t: { token: 'token 2', colour: 'green' } }])
    client.delete(pods, 'default', 'p')
    clock.advance(3_600_000)
    expect(issued).toEqual([1000, 1000])
  })
})
