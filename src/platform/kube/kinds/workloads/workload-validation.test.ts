/** Tests of the defaults and validation of workloads that run permanently. */
import { describe, expect, it } from 'vitest'
import { cloneJson, deepFreeze } from '#kit'
import { invalidObject, validateMetadata } from '#platform/kube/meta'
import { createObject, errorsOf, errorsOnCreate, errorsOnUpdate } from '../testing/kind-errors.ts'
import { daemonSets } from './daemon-set.ts'
import { deployments } from './deployment.ts'
import { replicaSets } from './replica-set.ts'
import { replicationControllers } from './replication-controller.ts'
import { statefulSets } from './stateful-set.ts'

const POD = { containers: [{ name: 'c', image: 'busybox:1' }] }
const TEMPLATE = { metadata: { labels: { app: 'web' } }, spec: POD }
const SELECTOR = { matchLabels: { app: 'web' } }

describe('Deployment', () => {
  const validSpec = { selector: SELECTOR, template: TEMPLATE }

  it('rejects an invalid object with the recorded message', () => {
    const object = createObject(
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

  it('rejects a change to the selector with the recorded message', () => {
    const selector = { matchLabels: { app: 'web', zz: 'y' } }
    expect(errorsOnUpdate(deployments, validSpec, { selector })).toEqual([
      'spec.template.metadata.labels: Invalid value: map[string]string{"app":"web"}: `selector` does not match template `labels`',
      'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"web", "zz":"y"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable',
    ])
  })

  it('requires a selector that matches the template', () => {
    expect(errorsOnCreate(deployments, { template: TEMPLATE })).toEqual([
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: map[string]string{"app":"web"}: `selector` does not match template `labels`',
    ])
    expect(errorsOnCreate(deployments, { selector: {}, template: TEMPLATE })).toEqual([
      'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for deployment',
    ])
  })

  it('rejects invalid strategies', () => {
    const errorsForStrategy = (strategy: object) => errorsOnCreate(deployments, { ...validSpec, strategy })
    expect(errorsForStrategy({ rollingUpdate: { maxUnavailable: 0, maxSurge: '0%' } })).toEqual([
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:0, IntVal:0, StrVal:""}: may not be 0 when `maxSurge` is 0',
    ])
    expect(errorsForStrategy({ type: 'Recreate', rollingUpdate: {} })).toEqual([
      "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    ])
    expect(errorsForStrategy({ type: 'Slow' })).toEqual([
      'spec.strategy.type: Unsupported value: "Slow": supported values: "Recreate", "RollingUpdate"',
    ])
    expect(errorsForStrategy({ rollingUpdate: { maxUnavailable: '101%' } })).toEqual([
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"101%"}: must not be greater than 100%',
    ])
  })

  it('rejects invalid counts and restart policies', () => {
    expect(
      errorsOnCreate(deployments, {
        ...validSpec,
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
  it('require a selector, which ReplicationController defaults to the template labels', () => {
    expect(errorsOnCreate(replicaSets, { template: TEMPLATE })[0]).toBe('spec.selector: Required value')
    const controller = createObject(replicationControllers, { template: TEMPLATE })
    expect(controller.spec.selector).toEqual({ app: 'web' })
    expect(controller.metadata.labels).toEqual({ app: 'web' })
    expect(errorsOf(replicationControllers, controller)).toEqual([])
    expect(errorsOnCreate(replicationControllers, {})).toEqual([
      'spec.selector: Required value',
      'spec.template: Required value',
    ])
  })
})

describe('StatefulSet', () => {
  const validSpec = { selector: SELECTOR, template: TEMPLATE, serviceName: 'web' }

  it('rejects changes to immutable fields', () => {
    expect(errorsOnUpdate(statefulSets, validSpec, { replicas: 3, minReadySeconds: 2 })).toEqual([])
    expect(errorsOnUpdate(statefulSets, validSpec, { serviceName: 'other' })).toEqual([
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ])
  })

  it('sets defaults of volume claim templates', () => {
    const claim = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } },
    }
    expect(
      createObject(statefulSets, { ...validSpec, volumeClaimTemplates: [claim] }).spec.volumeClaimTemplates,
    ).toEqual([
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

  it('rejects an unknown policy and an empty selector', () => {
    expect(errorsOnCreate(statefulSets, { ...validSpec, podManagementPolicy: 'Any', selector: {} })).toEqual([
      "spec.podManagementPolicy: Invalid value: \"Any\": must be 'OrderedReady' or 'Parallel'",
      'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for statefulset',
    ])
  })
})

describe('DaemonSet', () => {
  const validSpec = { selector: SELECTOR, template: TEMPLATE }

  it('counts template changes', () => {
    const old = deepFreeze(createObject(daemonSets, validSpec))
    expect(old.metadata.annotations).toEqual({ 'deprecated.daemonset.template.generation': '1' })
    const draft = cloneJson(old)
    draft.spec.template.spec.containers[0].image = 'busybox:2'
    daemonSets.prepareUpdate!(draft as never, old as never, { now: 0 })
    expect(draft.metadata.annotations).toEqual({ 'deprecated.daemonset.template.generation': '2' })
  })

  it('requires that exactly one of maxSurge and maxUnavailable is not zero', () => {
    const errorsForStrategy = (rollingUpdate: object) =>
      errorsOnCreate(daemonSets, { ...validSpec, updateStrategy: { type: 'RollingUpdate', rollingUpdate } })
    expect(errorsForStrategy({ maxSurge: 1 })).toEqual([
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: intstr.IntOrString{Type:0, IntVal:1, StrVal:""}: may not be set when maxUnavailable is non-zero',
    ])
    expect(errorsForStrategy({ maxUnavailable: 0 })).toEqual([
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0',
    ])
  })
})
