/** Looks every now and then how full the volumes of pods are. */
import type { Clock, Timer } from '../../kit/index.ts'
import type { MetricSample, VolumeReading, VolumeStatistics } from '../../spec/index.ts'
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

const claimsOf = ({ object }: PodState): string[] =>
  ((object as any).spec?.volumes ?? []).flatMap(
    ({ persistentVolumeClaim }: any) => persistentVolumeClaim?.claimName ?? [],
  )

/** As the kubelet names them. */
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

/** The next time is counted from the end of the last: a volume of very many files takes its time. */
export const measureVolumes = (options: MeasureVolumesOptions): { close(): void } => {
  const { pods, volumes, namespace, clock, onVolumes, onError } = options
  let closed = false
  let timer: Timer

  const measure = async (): Promise<void> => {
    try {
      const readings = new Map((await volumes.read(namespace)).map((one) => [one.claim, one]))
      if (closed) return
      const found = [...pods.all()].flatMap((pod) =>
        claimsOf(pod).flatMap((claim) => {
          const reading = readings.get(claim)
          return reading === undefined ? [] : [{ pod, reading }]
        }),
      )
      onVolumes(found)
    } catch (error) {
      if (!closed) onError(new Error('volumes cannot be measured', { cause: error }))
    }
    if (!closed) later()
  }
  const later = (): void => {
    timer = clock.after(PERIOD_MS, () => void measure())
  }
  later()
  return {
    close() {
      closed = true
      timer.cancel()
    },
  }
}
