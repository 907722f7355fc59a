/** Generates the selector of a Job from its name and uid, unless `manualSelector` is set. */
import type { Job } from 'kubernetes-types/batch/v1.d.ts'
import {
  type FieldError,
  goStringMap,
  invalid,
  required,
  type Stored,
  toLabelMatcher,
} from '#platform/kube/meta'
import { goSelector } from '../validation/go-text.ts'

const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid'

/** Each label is set with a prefix and, for older clients, without one. */
const generatedLabels = ({ metadata }: Stored<Job>): Record<string, string> => ({
  [CONTROLLER_UID]: metadata.uid,
  'batch.kubernetes.io/job-name': metadata.name,
  'controller-uid': metadata.uid,
  'job-name': metadata.name,
})

/** Sets the generated labels and selector. Keeps labels of the client; validation rejects wrong values. */
export const generateSelector = (job: Stored<Job>): void => {
  const { spec, metadata } = job
  if (spec.manualSelector === true) return
  const labels = { ...generatedLabels(job), ...spec.template.metadata?.labels }
  spec.template.metadata = { ...spec.template.metadata, labels }
  const matchLabels = { [CONTROLLER_UID]: metadata.uid, ...spec.selector?.matchLabels }
  spec.selector = { ...spec.selector, matchLabels }
  if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels }
}

export const validateGeneratedSelector = (job: Stored<Job>): FieldError[] => {
  const { spec } = job
  if (spec.manualSelector === true || spec.selector === undefined) return []
  const labels = spec.template.metadata?.labels
  const expected = generatedLabels(job)
  const errors = Object.entries(expected).flatMap(([key, value]) => {
    const field = `spec.template.metadata.labels[${key}]`
    const actual = labels?.[key]
    if (actual === undefined) return [required(field, `must be '${value}'`)]
    return actual === value ? [] : [invalid(field, goStringMap(labels), `must be '${value}'`)]
  })
  if (!toLabelMatcher(spec.selector)(expected))
    errors.push(invalid('spec.selector', goSelector(spec.selector), '`selector` not auto-generated'))
  return errors
}
