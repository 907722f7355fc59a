/** Converts resource usage of containers to metrics with the names of cAdvisor. */
import { defined } from '#kit'
import type { ContainerReading, MetricSample, NetworkReading, PodReading } from '#spec'
import type { PodState } from './pod-index.ts'

const containerMetrics = (reading: ContainerReading): Readonly<Record<string, number>> => ({
  container_cpu_usage_seconds_total: reading.cpuSeconds,
  container_cpu_cfs_periods_total: reading.cpuPeriods,
  container_cpu_cfs_throttled_periods_total: reading.cpuThrottledPeriods,
  container_cpu_cfs_throttled_seconds_total: reading.cpuThrottledSeconds,
  container_memory_working_set_bytes: reading.memoryWorkingSet,
  ...defined({ container_spec_memory_limit_bytes: reading.memoryLimit }),
  container_fs_reads_bytes_total: reading.readBytes,
  container_fs_writes_bytes_total: reading.writtenBytes,
})

const networkMetrics = (reading: NetworkReading): Readonly<Record<string, number>> => ({
  container_network_receive_bytes_total: reading.receivedBytes,
  container_network_transmit_bytes_total: reading.sentBytes,
  container_network_receive_packets_dropped_total: reading.receiveDropped,
  container_network_transmit_packets_dropped_total: reading.sendDropped,
})

type Labels = MetricSample['labels']

/**
 * Uses one labels object for all samples of a container, so that a store can identify a series without comparing
 * labels.
 */
export const createContainerSamples = () => {
  const labelsByPod = new Map<string, { pod: Labels; containers: Map<string, Labels> }>()

  const labelsOf = ({ uid, namespace, service, name }: PodState) => {
    const labels = labelsByPod.get(uid) ?? { pod: { namespace, service, pod: name }, containers: new Map() }
    labelsByPod.set(uid, labels)
    return labels
  }

  return {
    samplesOf(pod: PodState, { containers, network }: PodReading, time: number): MetricSample[] {
      const labels = labelsOf(pod)
      const samples: MetricSample[] = []
      const add = (values: Readonly<Record<string, number>>, ownLabels: Labels): void => {
        for (const name of Object.keys(values))
          samples.push({ time, name, labels: ownLabels, value: values[name]! })
      }
      for (const [container, reading] of Object.entries(containers)) {
        const containerLabels = labels.containers.get(container) ?? { ...labels.pod, container }
        labels.containers.set(container, containerLabels)
        add(containerMetrics(reading), containerLabels)
      }
      if (network !== undefined) add(networkMetrics(network), labels.pod)
      return samples
    },
    /** Drops the labels of all other pods. */
    keepOnly(uids: ReadonlySet<string>): void {
      for (const uid of labelsByPod.keys()) if (!uids.has(uid)) labelsByPod.delete(uid)
    },
  }
}
