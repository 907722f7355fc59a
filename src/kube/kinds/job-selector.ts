/** The labels by which a Job finds its pods, made from its name and uid unless the client chose its own. */
import type { Job } from 'kubernetes-types/batch/v1.d.ts'
import { type FieldError, goStringMap, invalid, matcherOf, required, type Stored } from '../meta/index.ts'
import { goSelector } from './go-text.ts'

const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid'

/** Each is written with and without its prefix, for readers of either age. */
const generatedLabels = ({ metadata }: Stored<Job>): Record<string, string> => ({
  [CONTROLLER_UID]: metadata.uid,
  'batch.kubernetes.io/job-name': metadata.name,
  'controller-uid': metadata.uid,
  'job-name': metadata.name,
})

/** Labels the client gave are left for validation to refuse. */
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
  if (!matcherOf(spec.selector)(expected))
    errors.push(invalid('spec.selector', goSelector(spec.selector), '`selector` not auto-generated'))
  return errors
}
