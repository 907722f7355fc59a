/** What the containers of a pod use, as cAdvisor would tell it. */
import type { ContainerReading, MetricSample, NetworkReading, PodReading } from '../../spec/index.ts'
import type { PodState } from './pod-index.ts'

const ofContainer = (reading: ContainerReading): Readonly<Record<string, number>> => ({
  container_cpu_usage_seconds_total: reading.cpuSeconds,
  container_cpu_cfs_periods_total: reading.cpuPeriods,
  container_cpu_cfs_throttled_periods_total: reading.cpuThrottledPeriods,
  container_cpu_cfs_throttled_seconds_total: reading.cpuThrottledSeconds,
  container_memory_working_set_bytes: reading.memoryWorkingSet,
  ...(reading.memoryLimit === undefined ? {} : { container_spec_memory_limit_bytes: reading.memoryLimit }),
  container_fs_reads_bytes_total: reading.readBytes,
  container_fs_writes_bytes_total: reading.writtenBytes,
})

const ofNetwork = (reading: NetworkReading): Readonly<Record<string, number>> => ({
  container_network_receive_bytes_total: reading.receivedBytes,
  container_network_transmit_bytes_total: reading.sentBytes,
  container_network_receive_packets_dropped_total: reading.receiveDropped,
  container_network_transmit_packets_dropped_total: reading.sendDropped,
})

type Labels = MetricSample['labels']

/** Gives the same object for the same container, by which a store knows a series without comparing labels. */
export const createContainerSamples = () => {
  const known = new Map<string, { pod: Labels; containers: Map<string, Labels> }>()

  const labelsOf = ({ uid, namespace, service, name }: PodState) => {
    const labels = known.get(uid) ?? { pod: { namespace, service, pod: name }, containers: new Map() }
    known.set(uid, labels)
    return labels
  }

  return {
    of(pod: PodState, { containers, network }: PodReading, time: number): MetricSample[] {
      const labels = labelsOf(pod)
      const samples: MetricSample[] = []
      const add = (values: Readonly<Record<string, number>>, own: Labels): void => {
        for (const name of Object.keys(values))
          samples.push({ time, name, labels: own, value: values[name]! })
      }
      for (const [container, reading] of Object.entries(containers)) {
        const own = labels.containers.get(container) ?? { ...labels.pod, container }
        labels.containers.set(container, own)
        add(ofContainer(reading), own)
      }
      if (network !== undefined) add(ofNetwork(network), labels.pod)
      return samples
    },
    /** Forgets the pods that have gone. */
    keepOnly(uids: ReadonlySet<string>): void {
      for (const uid of known.keys()) if (!uids.has(uid)) known.delete(uid)
    },
  }
}
