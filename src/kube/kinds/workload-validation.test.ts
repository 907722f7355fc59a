/** Tests of the checks of workloads, autoscalers and budgets. */
import { describe, expect, it } from 'vitest'
import { cloneJson, deepFreeze } from '../../kit/index.ts'
import { invalidObject, type KubeObject, validateMetadata } from '../meta/index.ts'
import { cronJobs } from './cron-job.ts'
import { daemonSets } from './daemon-set.ts'
import type { Kind } from './define-kind.ts'
import { deployments } from './deployment.ts'
import { horizontalPodAutoscalers } from './horizontal-pod-autoscaler.ts'
import { jobs } from './job.ts'
import { podDisruptionBudgets } from './pod-disruption-budget.ts'
import { replicaSets } from './replica-set.ts'
import { replicationControllers } from './replication-controller.ts'
import { statefulSets } from './stateful-set.ts'

const POD = { containers: [{ name: 'c', image: 'busybox:1' }] }
const TEMPLATE = { metadata: { labels: { app: 'web' } }, spec: POD }
const SELECTOR = { matchLabels: { app: 'web' } }

const made = (kind: Kind, spec: object, name = 'web'): KubeObject => {
  const draft = cloneJson({
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, namespace: 'default', uid: 'u-1' },
    spec,
  }) as unknown as KubeObject
  kind.defaults?.(draft)
  kind.prepareCreate?.(draft, { now: 0 })
  return draft
}

const findings = (kind: Kind, object: KubeObject, old?: KubeObject): string[] =>
  kind.validate!(deepFreeze(object), old).map(({ field, message }) => `${field}: ${message}`)

const refused = (kind: Kind, spec: object): string[] => findings(kind, made(kind, spec))

const changed = (kind: Kind, spec: object, change: object): string[] => {
  const old = deepFreeze(made(kind, spec))
  const draft = cloneJson(old)
  Object.assign(draft.spec, cloneJson(change))
  kind.defaults?.(draft)
  kind.prepareUpdate?.(draft, old, { now: 0 })
  return findings(kind, draft, old)
}

describe('Deployment', () => {
  const good = { selector: SELECTOR, template: TEMPLATE }

  it('is refused in the words of the recorded answer on creation', () => {
    const object = made(
      deployments,
      {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'c' } }, spec: { containers: [{ name: 'c' }] } },
      },
      'Bad_Name',
    )
    const errors = [
      ...validateMetadata(object.metadata, deployments),
      ...deployments.validate!(object as never, undefined),
    ]
    expect(invalidObject('apps', 'Deployment', 'Bad_Name', errors).message).toBe(
      'Deployment.apps "Bad_Name" is invalid: [metadata.name: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, \'-\' or \'.\', and must start and end with an alphanumeric character (e.g. \'example.com\', regex used for validation is \'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\'), spec.template.metadata.labels: Invalid value: map[string]string{"a":"c"}: `selector` does not match template `labels`, spec.template.spec.containers[0].image: Required value]',
    )
  })

  it('keeps its selector, in the words of the recorded answer', () => {
    expect(changed(deployments, good, { selector: { matchLabels: { app: 'web', zz: 'y' } } })).toEqual([
      'spec.template.metadata.labels: Invalid value: map[string]string{"app":"web"}: `selector` does not match template `labels`',
      'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"web", "zz":"y"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable',
    ])
  })

  it('needs a selector that matches', () => {
    expect(refused(deployments, { template: TEMPLATE })).toEqual([
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: map[string]string{"app":"web"}: `selector` does not match template `labels`',
    ])
    expect(refused(deployments, { selector: {}, template: TEMPLATE })).toEqual([
      'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for deployment',
    ])
  })

  it('must be able to move', () => {
    const strategy = (strategy: object) => refused(deployments, { ...good, strategy })
    expect(strategy({ rollingUpdate: { maxUnavailable: 0, maxSurge: '0%' } })).toEqual([
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:0, IntVal:0, StrVal:""}: may not be 0 when `maxSurge` is 0',
    ])
    expect(strategy({ type: 'Recreate', rollingUpdate: {} })).toEqual([
      "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    ])
    expect(strategy({ type: 'Slow' })).toEqual([
      'spec.strategy.type: Unsupported value: "Slow": supported values: "Recreate", "RollingUpdate"',
    ])
    expect(strategy({ rollingUpdate: { maxUnavailable: '101%' } })).toEqual([
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"101%"}: must not be greater than 100%',
    ])
  })

  it('has sensible numbers and restarts its pods', () => {
    expect(
      refused(deployments, {
        ...good,
        replicas: -1,
        progressDeadlineSeconds: 5,
        minReadySeconds: 5,
        template: { ...TEMPLATE, spec: { ...POD, restartPolicy: 'Never' } },
      }),
    ).toEqual([
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      'spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds',
    ])
  })
})

describe('ReplicaSet and ReplicationController', () => {
  it('need a selector, which the older one takes from its template', () => {
    expect(refused(replicaSets, { template: TEMPLATE })[0]).toBe('spec.selector: Required value')
    const controller = made(replicationControllers, { template: TEMPLATE })
    expect(controller.spec.selector).toEqual({ app: 'web' })
    expect(controller.metadata.labels).toEqual({ app: 'web' })
    expect(findings(replicationControllers, controller)).toEqual([])
    expect(refused(replicationControllers, {})).toEqual([
      'spec.selector: Required value',
      'spec.template: Required value',
    ])
  })
})

describe('StatefulSet', () => {
  const good = { selector: SELECTOR, template: TEMPLATE, serviceName: 'web' }

  it('changes only in part', () => {
    expect(changed(statefulSets, good, { replicas: 3, minReadySeconds: 2 })).toEqual([])
    expect(changed(statefulSets, good, { serviceName: 'other' })).toEqual([
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ])
  })

  it('completes its claims', () => {
    const claim = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } },
    }
    expect(made(statefulSets, { ...good, volumeClaimTemplates: [claim] }).spec.volumeClaimTemplates).toEqual([
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { creationTimestamp: null, name: 'data' },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          volumeMode: 'Filesystem',
        },
        status: { phase: 'Pending' },
      },
    ])
  })

  it('has known policies', () => {
    expect(refused(statefulSets, { ...good, podManagementPolicy: 'Any', selector: {} })).toEqual([
      "spec.podManagementPolicy: Invalid value: \"Any\": must be 'OrderedReady' or 'Parallel'",
      'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for statefulset',
    ])
  })
})

describe('DaemonSet', () => {
  const good = { selector: SELECTOR, template: TEMPLATE }

  it('counts its templates', () => {
    const old = deepFreeze(made(daemonSets, good))
    expect(old.metadata.annotations).toEqual({ 'deprecated.daemonset.template.generation': '1' })
    const draft = cloneJson(old)
    draft.spec.template.spec.containers[0].image = 'busybox:2'
    daemonSets.prepareUpdate!(draft as never, old as never, { now: 0 })
    expect(draft.metadata.annotations).toEqual({ 'deprecated.daemonset.template.generation': '2' })
  })

  it('either surges or goes without', () => {
    const strategy = (rollingUpdate: object) =>
      refused(daemonSets, { ...good, updateStrategy: { type: 'RollingUpdate', rollingUpdate } })
    expect(strategy({ maxSurge: 1 })).toEqual([
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: intstr.IntOrString{Type:0, IntVal:1, StrVal:""}: may not be set when maxUnavailable is non-zero',
    ])
    expect(strategy({ maxUnavailable: 0 })).toEqual([
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0',
    ])
  })
})

describe('Job', () => {
  const good = { template: { spec: { ...POD, restartPolicy: 'Never' } } }

  it('makes the labels by which it finds its pods', () => {
    const job = made(jobs, good)
    const labels = {
      'batch.kubernetes.io/controller-uid': 'u-1',
      'batch.kubernetes.io/job-name': 'web',
      'controller-uid': 'u-1',
      'job-name': 'web',
    }
    expect(job.spec.template.metadata).toEqual({ creationTimestamp: null, labels })
    expect(job.metadata.labels).toEqual(labels)
    expect(job.spec.selector).toEqual({ matchLabels: { 'batch.kubernetes.io/controller-uid': 'u-1' } })
  })

  it('must end', () => {
    expect(refused(jobs, { template: { spec: POD } })).toEqual([
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ])
    expect(refused(jobs, { ...good, backoffLimit: -1, completionMode: 'Indexed', parallelism: 2 })).toEqual([
      'spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0',
      'spec.completions: Required value: when completion mode is Indexed',
    ])
  })

  it('refuses foreign labels and a manual selector that matches nothing', () => {
    const template = { ...good.template, metadata: { labels: { 'job-name': 'other' } } }
    expect(refused(jobs, { template })).toEqual([
      'spec.template.metadata.labels[job-name]: Invalid value: map[string]string{"batch.kubernetes.io/controller-uid":"u-1", "batch.kubernetes.io/job-name":"web", "controller-uid":"u-1", "job-name":"other"}: must be \'web\'',
    ])
    expect(refused(jobs, { ...good, manualSelector: true })).toEqual([
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: map[string]string(nil): `selector` does not match template `labels`',
    ])
  })

  it('keeps completions and template', () => {
    expect(changed(jobs, good, { parallelism: 3, backoffLimit: 1, suspend: true })).toEqual([])
    expect(changed(jobs, good, { completions: 3 })).toEqual([
      'spec.completions: Invalid value: 3: field is immutable',
    ])
    const template = cloneJson(made(jobs, good).spec.template)
    template.spec.containers[0].image = 'busybox:2'
    expect(changed(jobs, good, { template })[0]).toMatch(
      /^spec\.template: Invalid value: core\.PodTemplateSpec\{.*\}: field is immutable$/,
    )
    const elastic = { ...good, completionMode: 'Indexed', completions: 2, parallelism: 2 }
    expect(changed(jobs, elastic, { completions: 3, parallelism: 3 })).toEqual([])
    expect(changed(jobs, elastic, { completions: 3 })).toEqual([
      'spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism',
    ])
  })
})

describe('CronJob', () => {
  const jobTemplate = { spec: { template: { spec: { ...POD, restartPolicy: 'OnFailure' } } } }
  const scheduled = (schedule: string, more: object = {}) =>
    refused(cronJobs, { schedule, jobTemplate, ...more })

  it('knows a good schedule', () => {
    for (const good of ['*/5 * * * *', '0 0 1,15 * mon-fri', '@hourly', '@every 1h30m', '5/10 0-6 ? JAN *'])
      expect(scheduled(good), good).toEqual([])
  })

  it.each([
    ['', 'Required value'],
    ['* * * *', 'Invalid value: "* * * *": expected exactly 5 fields, found 4: [* * * *]'],
    ['60 * * * *', 'Invalid value: "60 * * * *": end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'Invalid value: "* * 0 * *": beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'Invalid value: "5-1 * * * *": beginning of range (5) beyond end of range (1): 5-1'],
    [
      'x * * * *',
      'Invalid value: "x * * * *": failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax',
    ],
    ['*/0 * * * *', 'Invalid value: "*/0 * * * *": step of range should be a positive number: */0'],
    ['@never', 'Invalid value: "@never": unrecognized descriptor: @never'],
  ])('%s', (schedule, message) => {
    expect(scheduled(schedule)).toEqual([`spec.schedule: ${message}`])
  })

  it('has its zone in its own field', () => {
    expect(scheduled('TZ=UTC * * * * *')).toEqual([
      'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ])
    expect(scheduled('* * * * *', { timeZone: 'Europe/Berlin' })).toEqual([])
    expect(scheduled('* * * * *', { timeZone: 'Mars/Base' })).toEqual([
      'spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base',
    ])
  })

  it('has a short name and a known policy', () => {
    const name = 'a'.repeat(53)
    const object = made(cronJobs, { schedule: '* * * * *', jobTemplate, concurrencyPolicy: 'Some' }, name)
    expect(findings(cronJobs, object)).toEqual([
      'spec.concurrencyPolicy: Unsupported value: "Some": supported values: "Allow", "Forbid", "Replace"',
      `metadata.name: Invalid value: "${name}": must be no more than 52 characters`,
    ])
  })
})

describe('HorizontalPodAutoscaler', () => {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }

  it('wants more at most than at least', () => {
    expect(refused(horizontalPodAutoscalers, { scaleTargetRef, minReplicas: 3, maxReplicas: 2 })).toEqual([
      'spec.maxReplicas: Invalid value: 2: must be greater than or equal to `minReplicas`',
    ])
    expect(refused(horizontalPodAutoscalers, { minReplicas: 0 })).toEqual([
      'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
      'spec.maxReplicas: Invalid value: 0: must be greater than 0',
      'spec.scaleTargetRef.kind: Required value',
      'spec.scaleTargetRef.name: Required value',
    ])
  })

  it('wants a target for what it measures', () => {
    const metrics = [
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } },
      { type: 'Pods' },
    ]
    expect(refused(horizontalPodAutoscalers, { scaleTargetRef, maxReplicas: 2, metrics })).toEqual([
      'spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
      'spec.metrics[1].pods: Required value: must populate information for the given metric source',
    ])
  })

  it('completes the rules by which it moves', () => {
    const { behavior } = made(horizontalPodAutoscalers, {
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

describe('HorizontalPodAutoscaler in its older version', () => {
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

  it('says what it can in fields and the rest in annotations', () => {
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

  it('comes back unchanged', () => {
    expect(v1!.fromServed(v1!.toServed(stored))).toEqual(stored)
  })
})

describe('PodDisruptionBudget', () => {
  it('says either what stays or what may go', () => {
    expect(refused(podDisruptionBudgets, { minAvailable: 1, maxUnavailable: 1 })).toEqual([
      'spec: Invalid value: policy.PodDisruptionBudgetSpec{MinAvailable:1, MaxUnavailable:1}: minAvailable and maxUnavailable cannot be both set',
    ])
    expect(refused(podDisruptionBudgets, { minAvailable: 'half' })[0]).toMatch(
      /^spec\.minAvailable: Invalid value: intstr.*: a valid percent string must be a numeric string followed by an ending '%'/,
    )
    expect(refused(podDisruptionBudgets, { maxUnavailable: '50%' })).toEqual([])
  })
})
