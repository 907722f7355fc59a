/** Tests that an autoscaler scales up under a simulated load, and down again when the load falls. */
import { expect, it } from 'vitest'
import { deployments, horizontalPodAutoscalers, pods } from '#platform/kube/kinds'
import { conditionTexts, createScenario, webDeployment } from '../testing/create-scenario.ts'

it('an autoscaler scales up and down with the load', () => {
  let load = 0.1
  const countRunningPods = () => client.list(pods).filter(({ status }) => status.phase === 'Running').length
  const { client, advanceSeconds, until, eventsOf } = createScenario({
    images: {
      'web:1': {
        present: true,
        run: () => ({ usage: () => ({ cpu: load / Math.max(1, countRunningPods()), memory: 2 ** 24 }) }),
      },
    },
  })
  client.create(deployments, webDeployment(1, { resources: { requests: { cpu: '200m' } } }))
  client.create(horizontalPodAutoscalers, {
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 1,
      maxReplicas: 5,
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
        },
      ],
    },
  })
  const replicas = (): number => client.get(deployments, 'default', 'web')!.spec.replicas!
  const autoscaler = () => client.get(horizontalPodAutoscalers, 'default', 'web')!
  advanceSeconds(120)
  expect(replicas()).toBe(1)
  expect(conditionTexts(autoscaler())).toEqual([
    'AbleToScale True ReadyForNewScale: recommended size matches current size',
    'ScalingActive True ValidMetricFound: the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)',
    'ScalingLimited False DesiredWithinRange: the desired count is within the acceptable range',
  ])

  load = 0.4
  until(() => replicas() === 4, 120)
  // The first evaluation finds pods that are not ready yet, and warns.
  expect(eventsOf(autoscaler()).filter((event) => event.startsWith('Normal'))).toEqual([
    'Normal SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target',
  ])
  advanceSeconds(60)
  expect(autoscaler().status.currentMetrics).toMatchObject([
    { resource: { current: { averageUtilization: 50, averageValue: '100m' } } },
  ])

  load = 10
  until(() => replicas() === 5, 120)
  advanceSeconds(30)
  expect(conditionTexts(autoscaler()).at(-1)).toBe(
    'ScalingLimited True TooManyReplicas: the desired replica count is more than the maximum replica count',
  )

  load = 0.05
  advanceSeconds(240)
  expect(replicas()).toBe(5)
  expect(conditionTexts(autoscaler())[0]).toBe(
    'AbleToScale True ScaleDownStabilized: recent recommendations were higher than current one, applying the highest recent recommendation',
  )
  until(() => replicas() === 1, 240)
  expect(eventsOf(autoscaler()).at(-1)).toBe(
    'Normal SuccessfulRescale: New size: 1; reason: All metrics below target',
  )
})
