/** Converts the state of pods to metrics with the names of kube-state-metrics. */
import type { MetricSample } from '#spec'
import type { PodState } from './pod-index.ts'

type Value = Omit<MetricSample, 'time'>

const valuesOf = (pod: PodState): Value[] => {
  const { namespace, service, name, node } = pod
  const labels = { namespace, service, pod: name }
  return [
    { name: 'kube_pod_status_ready', labels: { ...labels, condition: 'true' }, value: pod.ready ? 1 : 0 },
    { name: 'kube_pod_status_phase', labels: { ...labels, phase: pod.phase }, value: 1 },
    { name: 'kube_pod_info', labels: { ...labels, node }, value: 1 },
    ...pod.containers.flatMap((container): Value[] => {
      const containerLabels = { ...labels, container: container.name }
      const reasons = [
        ['kube_pod_container_status_waiting_reason', container.waitingReason],
        ['kube_pod_container_status_last_terminated_reason', container.endedReason],
      ] as const
      return [
        {
          name: 'kube_pod_container_status_restarts_total',
          labels: containerLabels,
          value: container.restarts,
        },
        ...reasons.flatMap(([metric, reason]) =>
          reason === undefined ? [] : [{ name: metric, labels: { ...containerLabels, reason }, value: 1 }],
        ),
      ]
    }),
  ]
}

/**
 * Returns a function that uses the same labels objects for a pod until its state changes, so that a store can identify a series
 * without comparing labels.
 */
export const createPodSamples = (): ((pod: PodState, time: number) => MetricSample[]) => {
  const valuesByPod = new WeakMap<PodState, readonly Value[]>()
  return (pod, time) => {
    const values = valuesByPod.get(pod) ?? valuesOf(pod)
    valuesByPod.set(pod, values)
    return values.map(({ name, labels, value }) => ({ time, name, labels, value }))
  }
}
