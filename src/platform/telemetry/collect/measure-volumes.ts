/** Measures the volumes of pods periodically. */
import type { Clock, Timer } from '#kit'
import { type MetricSample, type VolumeReading, type VolumeStatistics, viewAs } from '#spec'
import type { PodIndex, PodState } from './pod-index.ts'

const PERIOD_MS = 15_000

export interface PodVolume {
  readonly pod: PodState
  readonly reading: VolumeReading
}

export interface MeasureVolumesOptions {
  readonly pods: Pick<PodIndex, 'all'>
  readonly volumes: VolumeStatistics
  readonly namespace: string
  readonly clock: Clock
  onVolumes(volumes: readonly PodVolume[]): void
  onError(error: Error): void
}

const claimsOf = ({ object }: PodState): readonly string[] =>
  (viewAs('Pod', object).spec?.volumes ?? []).flatMap(
    ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [],
  )

/** Metrics with the names of the kubelet. */
export const volumeSamples = ({ pod, reading }: PodVolume, time: number): MetricSample[] => {
  const { namespace, service, name } = pod
  const { claim, usedBytes, capacityBytes } = reading
  const labels = { namespace, service, pod: name, persistentvolumeclaim: claim }
  return [
    { time, name: 'kubelet_volume_stats_used_bytes', labels, value: usedBytes },
    { time, name: 'kubelet_volume_stats_capacity_bytes', labels, value: capacityBytes },
    {
      time,
      name: 'kubelet_volume_stats_available_bytes',
      labels,
      value: Math.max(0, capacityBytes - usedBytes),
    },
  ]
}

/** The period starts at the end of a measurement, because a volume with very many files takes long to measure. */
export const measureVolumes = (options: MeasureVolumesOptions): { close(): void } => {
  const { pods, volumes, namespace, clock, onVolumes, onError } = options
  let closed = false
  let timer: Timer

  const measure = async (): Promise<void> => {
    try {
      const readings = new Map((await volumes.read(namespace)).map((reading) => [reading.claim, reading]))
      if (closed) return
      const podVolumes = pods.all().flatMap((pod) =>
        claimsOf(pod).flatMap((claim) => {
          const reading = readings.get(claim)
          return reading === undefined ? [] : [{ pod, reading }]
        }),
      )
      onVolumes(podVolumes)
    } catch (error) {
      if (!closed) onError(new Error('volumes cannot be measured', { cause: error }))
    }
    if (!closed) schedule()
  }
  const schedule = (): void => {
    timer = clock.after(PERIOD_MS, () => void measure())
  }
  schedule()
  return {
    close() {
      closed = true
      timer.cancel()
    },
  }
}
