/** Tests of measuring volumes. */
import { expect, it } from 'vitest'
import { createVirtualClock } from '#kit'
import type { ApiObject, VolumeReading } from '#spec'
import { fakePod } from '../testing/fake-pod.ts'
import { measureVolumes, type PodVolume, volumeSamples } from './measure-volumes.ts'
import { toPodState } from './pod-index.ts'

const podWithClaim = (name: string, claim: string) => {
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

it('reports the claims of pods, measures sequentially, and continues after a failure', async () => {
  const clock = createVirtualClock()
  const reads: PromiseWithResolvers<VolumeReading[]>[] = []
  const reported: (readonly PodVolume[])[] = []
  const errors: string[] = []
  const measuring = measureVolumes({
    pods: { all: () => [podWithClaim('db-0', 'data-db-0'), podWithClaim('db-1', 'lost')] },
    volumes: {
      read(namespace) {
        expect(namespace).toBe('shop')
        reads.push(Promise.withResolvers())
        return reads.at(-1)!.promise
      },
    },
    namespace: 'shop',
    clock,
    onVolumes: (found) => reported.push(found),
    onError: ({ message }) => errors.push(message),
  })
  clock.advance(100_000)
  expect(reads).toHaveLength(1)
  reads[0]!.reject(new Error('no such folder'))
  await tick()
  expect(errors).toEqual(['volumes cannot be measured'])
  clock.advance(15_000)
  reads[1]!.resolve([
    { claim: 'data-db-0', usedBytes: 700, capacityBytes: 1000 },
    { claim: 'unused', usedBytes: 1, capacityBytes: 2 },
  ])
  await tick()
  const labels = { namespace: 'shop', service: 'db', pod: 'db-0', persistentvolumeclaim: 'data-db-0' }
  expect(reported.flat().flatMap((volume) => volumeSamples(volume, 5))).toEqual([
    { time: 5, name: 'kubelet_volume_stats_used_bytes', labels, value: 700 },
    { time: 5, name: 'kubelet_volume_stats_capacity_bytes', labels, value: 1000 },
    { time: 5, name: 'kubelet_volume_stats_available_bytes', labels, value: 300 },
  ])
  clock.advance(15_000)
  measuring.close()
  reads[2]!.resolve([])
  await tick()
  clock.advance(100_000)
  expect([reads.length, reported.length]).toEqual([3, 1])
})
