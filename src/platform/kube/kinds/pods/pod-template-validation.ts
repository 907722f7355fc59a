/** Validates the pod templates and selectors of workloads. */
import type { PodTemplateSpec } from 'kubernetes-types/core/v1.d.ts'
import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts'
import { deepEqual } from '#kit'
import {
  type FieldError,
  forbiddenField,
  goStringMap,
  invalid,
  notSupported,
  required,
  toLabelMatcher,
  validateAnnotations,
  validateLabels,
} from '#platform/kube/meta'
import { goSelector } from '../validation/go-text.ts'
import { isEmptySelector, validateLabelSelector } from '../validation/label-selector-validation.ts'
import { validatePodSpec } from './pod-spec-validation.ts'

export const validateTemplate = (template: PodTemplateSpec, field: string): FieldError[] => [
  ...validateLabels(template.metadata?.labels, `${field}.labels`),
  ...validateAnnotations(template.metadata?.annotations, `${field}.annotations`),
  ...validatePodSpec(template.spec ?? { containers: [] }, false, `${field}.spec`),
  ...(template.spec?.ephemeralContainers?.length
    ? [
        forbiddenField(
          `${field}.spec.ephemeralContainers`,
          'ephemeral containers not allowed in pod template',
        ),
      ]
    : []),
]

/** Requires `restartPolicy: Always` and no deadline, for workloads that run permanently. */
export const validateAlwaysRestarted = (
  { spec }: PodTemplateSpec,
  kind: string,
  field: string,
): FieldError[] => [
  ...(spec?.restartPolicy === 'Always'
    ? []
    : [notSupported(`${field}.spec.restartPolicy`, spec?.restartPolicy ?? '', ['Always'])]),
  ...(spec?.activeDeadlineSeconds === undefined
    ? []
    : [
        forbiddenField(
          `${field}.spec.activeDeadlineSeconds`,
          `activeDeadlineSeconds in ${kind} is not Supported`,
        ),
      ]),
]

/** Requires a non-empty selector. */
export const validateRequiredSelector = (selector: LabelSelector | undefined, kind: string): FieldError[] => {
  if (selector === undefined) return [required('spec.selector')]
  return [
    ...validateLabelSelector(selector, 'spec.selector'),
    ...(isEmptySelector(selector)
      ? [invalid('spec.selector', goSelector(selector), `empty selector is invalid for ${kind}`)]
      : []),
  ]
}

/** Requires that the selector matches the template. Otherwise the controller would create pods endlessly. */
export const validateSelectorMatch = (
  selector: LabelSelector | undefined,
  template: PodTemplateSpec,
): FieldError[] => {
  const labels = template.metadata?.labels
  return toLabelMatcher(selector)(labels)
    ? []
    : [
        invalid(
          'spec.template.metadata.labels',
          goStringMap(labels),
          '`selector` does not match template `labels`',
        ),
      ]
}

export const validateUnchangedSelector = (
  selector: LabelSelector | undefined,
  old: LabelSelector | undefined,
): FieldError[] =>
  deepEqual(selector, old)
    ? []
    : [invalid('spec.selector', selector === undefined ? null : goSelector(selector), 'field is immutable')]
