/** The Pod kind. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { forbiddenField, type Stored } from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { podColumns, podRow, podRowConditions } from './pod-columns.ts'
import { isPodTerminal } from './pod-condition.ts'
import { qosClassOf } from './pod-resources.ts'
import { defaultPod, mirrorServiceAccount } from './pod-spec-defaults.ts'
import { validateOnlyInPod, validatePodSpec } from './pod-spec-validation.ts'
import { rejectEphemeralChange, validatePodChange, validatePodStatusChange } from './pod-update-validation.ts'

const initialStatus = (pod: Stored<Pod>): Stored<Pod>['status'] => ({
  phase: 'Pending',
  ...(pod.spec.schedulingGates?.length
    ? {
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            // The API returns null for times that are not set yet.
            lastProbeTime: null as unknown as string,
            lastTransitionTime: null as unknown as string,
            reason: 'SchedulingGated',
            message: 'Scheduling is blocked due to non-empty scheduling gates',
          },
        ],
      }
    : {}),
  qosClass: qosClassOf(pod),
})

const validateCreation = (pod: Stored<Pod>) => [
  ...(pod.spec.ephemeralContainers?.length
    ? [forbiddenField('spec.ephemeralContainers', 'cannot be set on create')]
    : []),
  ...(pod.spec.nodeName && pod.spec.schedulingGates?.length
    ? [forbiddenField('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')]
    : []),
]

export const pods = defineKind<Pod>({
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  singular: 'pod',
  shortNames: ['po'],
  categories: ['all'],
  namespaced: true,
  hasStatus: true,
  returnsDeleted: true,
  gracefulDeletion(pod, requested) {
    if (!pod.spec.nodeName || isPodTerminal(pod)) return 0
    const seconds = requested ?? pod.spec.terminationGracePeriodSeconds ?? 0
    return seconds < 0 ? 1 : seconds
  },
  defaults(pod) {
    pod.spec ??= { containers: [] }
    defaultPod(pod.spec)
  },
  prepareCreate(pod) {
    mirrorServiceAccount(pod.spec)
    pod.status = initialStatus(pod)
  },
  prepareUpdate(pod, old) {
    mirrorServiceAccount(pod.spec)
    rejectEphemeralChange(pod, old)
  },
  validate: (pod, old) => [
    ...validatePodSpec(pod.spec, true, 'spec'),
    ...validateOnlyInPod(pod.spec),
    ...(old === undefined ? validateCreation(pod) : validatePodChange(pod.spec, old.spec)),
  ],
  validateStatus: validatePodStatusChange,
  columns: podColumns,
  row: podRow,
  rowConditions: podRowConditions,
  selectableFields: ({ spec, status }) => ({
    'spec.nodeName': spec.nodeName ?? '',
    'spec.restartPolicy': spec.restartPolicy ?? '',
    'spec.schedulerName': spec.schedulerName ?? '',
    'spec.serviceAccountName': spec.serviceAccountName ?? '',
    'spec.hostNetwork': String(spec.hostNetwork ?? false),
    'status.phase': status.phase ?? '',
    'status.podIP': status.podIPs?.[0]?.ip ?? '',
    'status.nominatedNodeName': status.nominatedNodeName ?? '',
  }),
})
