/** Tests the defaults and the validation of HorizontalPodAutoscalers, and their conversion to autoscaling/v1. */
import { describe, expect, it } from 'vitest'
import { deepFreeze } from '#kit'
import type { KubeObject } from '#platform/kube/meta'
import { createObject, errorsOnCreate } from '../testing/kind-errors.ts'
import { horizontalPodAutoscalers } from './horizontal-pod-autoscaler.ts'

describe('HorizontalPodAutoscaler', () => {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }

  it('rejects invalid replica limits and a missing scale target', () => {
    expect(
      errorsOnCreate(horizontalPodAutoscalers, { scaleTargetRef, minReplicas: 3, maxReplicas: 2 }),
    ).toEqual(['spec.maxReplicas: Invalid value: 2: must be greater than or equal to `minReplicas`'])
    expect(errorsOnCreate(horizontalPodAutoscalers, { minReplicas: 0 })).toEqual([
      'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
      'spec.maxReplicas: Invalid value: 0: must be greater than 0',
      'spec.scaleTargetRef.kind: Required value',
      'spec.scaleTargetRef.name: Required value',
    ])
  })

  it('requires a target for each metric', () => {
    const metrics = [
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } },
      { type: 'Pods' },
    ]
    expect(errorsOnCreate(horizontalPodAutoscalers, { scaleTargetRef, maxReplicas: 2, metrics })).toEqual([
      'spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
      'spec.metrics[1].pods: Required value: must populate information for the given metric source',
    ])
  })

  it('sets default scaling rules', () => {
    const { behavior } = createObject(horizontalPodAutoscalers, {
      scaleTargetRef,
      maxReplicas: 2,
      behavior: { scaleUp: { stabilizationWindowSeconds: 30 } },
    }).spec
    expect(behavior.scaleUp).toEqual({
      stabilizationWindowSeconds: 30,
      selectPolicy: 'Max',
      policies: [
        { type: 'Pods', value: 4, periodSeconds: 15 },
        { type: 'Percent', value: 100, periodSeconds: 15 },
      ],
    })
    expect(behavior.scaleDown).toEqual({
      selectPolicy: 'Max',
      policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
    })
  })
})

describe('HorizontalPodAutoscaler in autoscaling/v1', () => {
  const [v1] = horizontalPodAutoscalers.otherVersions!
  const stored = deepFreeze({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web', annotations: { mine: 'x' } },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 1,
      maxReplicas: 3,
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
        },
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
        },
      ],
      behavior: { scaleUp: { selectPolicy: 'Max' } },
    },
  }) as unknown as KubeObject

  it('writes values that v1 has no field for to annotations', () => {
    const served = v1!.toServed(stored)
    expect(served.spec).toEqual({
      scaleTargetRef: stored.spec.scaleTargetRef,
      minReplicas: 1,
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 80,
    })
    expect(served.metadata.annotations).toEqual({
      mine: 'x',
      'autoscaling.alpha.kubernetes.io/metrics':
        '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}}]',
      'autoscaling.alpha.kubernetes.io/behavior': '{"ScaleUp":{"SelectPolicy":"Max"}}',
    })
  })

  it('converts back without loss', () => {
    expect(v1!.fromServed(v1!.toServed(stored))).toEqual(stored)
  })
})
