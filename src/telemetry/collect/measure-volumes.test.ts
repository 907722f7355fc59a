/** Tests of looking how full volumes are. */
import { expect, it } from 'vitest'
import { createVirtualClock } from '../../kit/index.ts'
import type { ApiObject, VolumeReading } from '../../spec/index.ts'
import { fakePod } from '../testing/fake-pod.ts'
import { measureVolumes, type PodVolume, volumeSamples } from './measure-volumes.ts'
import { toPodState } from './pod-index.ts'

const withClaim = (name: string, claim: string) => {
  const pod = fakePod(name, 'db') as ApiObject & { spec: object }
  const volumes = [
    { name: 'data', persistentVolumeClaim: { claimName: claim } },
    { name: 'tmp', emptyDir: {} },
  ]
  return toPodState({
    ...pod,
    metadata: { ...pod.metadata, uid: name },
    spec: { ...pod.spec, volumes },
  } as never)
}
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('tells of the claims of pods, one measurement after another, and goes on after a failure', async () => {
  const clock = createVirtualClock()
  const asked: PromiseWithResolvers<VolumeReading[]>[] = []
  const told: (readonly PodVolume[])[] = []
  const errors: string[] = []
  const measuring = measureVolumes({
    pods: { all: () => [withClaim('db-0', 'data-db-0'), withClaim('db-1', 'lost')].values() },
    volumes: {
      read(namespace) {
        expect(namespace).toBe('shop')
        asked.push(Promise.withResolvers())
        return asked.at(-1)!.promise
      },
    },
    namespace: 'shop',
    clock,
    onVolumes: (found) => told.push(found),
    onError: ({ message }) => errors.push(message),
  })
  clock.advance(100_000)
  expect(asked).toHaveLength(1)
  asked[0]!.reject(new Error('no such folder'))
  await tick()
  expect(errors).toEqual(['volumes cannot be measured'])
  clock.advance(15_000)
  asked[1]!.resolve([
    { claim: 'data-db-0', usedBytes: 700, capacityBytes: 1000 },
    { claim: 'of nobody', usedBytes: 1, capacityBytes: 2 },
  ])
  await tick()
  const labels = { namespace: 'shop', service: 'db', pod: 'db-0', persistentvolumeclaim: 'data-db-0' }
  expect(told.flat().flatMap((one) => volumeSamples(one, 5))).toEqual([
    { time: 5, name: 'kubelet_volume_stats_used_bytes', labels, value: 700 },
    { time: 5, name: 'kubelet_volume_stats_capacity_bytes', labels, value: 1000 },
    { time: 5, name: 'kubelet_volume_stats_available_bytes', labels, value: 300 },
  ])
  clock.advance(15_000)
  measuring.close()
  asked[2]!.resolve([])
  await tick()
  clock.advance(100_000)
  expect([asked.length, told.length]).toEqual([3, 1])
})
