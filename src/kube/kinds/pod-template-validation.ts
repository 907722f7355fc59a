/** Checks of the templates from which workloads make pods, and of the selectors that find them again. */
import type { PodTemplateSpec } from 'kubernetes-types/core/v1.d.ts'
import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts'
import { deepEqual } from '../../kit/index.ts'
import {
  type FieldError,
  forbiddenField,
  goStringMap,
  invalid,
  matcherOf,
  notSupported,
  required,
  validateAnnotations,
  validateLabels,
} from '../meta/index.ts'
import { goSelector } from './go-text.ts'
import { isEmptySelector, validateLabelSelector } from './label-selector-validation.ts'
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

/** Workloads that must keep running make pods that always restart. */
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

/** A selector that every workload of this kind must have and that must choose something. */
export const validateRequiredSelector = (selector: LabelSelector | undefined, kind: string): FieldError[] => {
  if (selector === undefined) return [required('spec.selector')]
  return [
    ...validateLabelSelector(selector, 'spec.selector'),
    ...(isEmptySelector(selector)
      ? [invalid('spec.selector', goSelector(selector), `empty selector is invalid for ${kind}`)]
      : []),
  ]
}

/** A workload that cannot find its own pods would make them for ever. */
export const validateSelectorMatch = (
  selector: LabelSelector | undefined,
  template: PodTemplateSpec,
): FieldError[] => {
  const labels = template.metadata?.labels
  return matcherOf(selector)(labels)
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
