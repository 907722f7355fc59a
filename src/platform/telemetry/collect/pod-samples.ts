/** Converts the state of pods to metrics with the names of kube-state-metrics. */
import type { MetricSample } from '#spec'
import type { PodState } from './pod-index.ts'

export const podSamples = (pod: PodState, time: number): MetricSample[] => {
  const { namespace, service, name, node } = pod
  const labels = { namespace, service, pod: name }
  return [
    {
      time,
      name: 'kube_pod_status_ready',
      labels: { ...labels, condition: 'true' },
      value: pod.ready ? 1 : 0,
    },
    { time, name: 'kube_pod_status_phase', labels: { ...labels, phase: pod.phase }, value: 1 },
    { time, name: 'kube_pod_info', labels: { ...labels, node }, value: 1 },
    ...pod.containers.flatMap((container): MetricSample[] => {
      const containerLabels = { ...labels, container: container.name }
      const reasons = [
        ['kube_pod_container_status_waiting_reason', container.waitingReason],
        ['kube_pod_container_status_last_terminated_reason', container.endedReason],
      ] as const
      return [
        {
          time,
          name: 'kube_pod_container_status_restarts_total',
          labels: containerLabels,
          value: container.restarts,
        },
        ...reasons.flatMap(([metric, reason]) =>
          reason === undefined
            ? []
            : [{ time, name: metric, labels: { ...containerLabels, reason }, value: 1 }],
        ),
      ]
    }),
  ]
}
