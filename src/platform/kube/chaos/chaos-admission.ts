/** Implements the admission webhooks of Chaos Mesh: default namespaces, validation, and an immutable spec. */
import { deepEqual, isPlainObject } from '#kit'
import { ApiError, type FieldError, invalid, invalidObject } from '#platform/kube/meta'
import type { AdmissionPlugin, AdmissionRequest } from '#platform/kube/ports'
import { chaosKinds } from './chaos-kinds.ts'
import { CHAOS_GROUP, type ChaosSpec } from './chaos-object.ts'
import { parseDuration } from './parse-duration.ts'
import { validateChoice } from './validate-choice.ts'

const chaosKindOf = ({ kind, subresource }: AdmissionRequest) =>
  kind.group === CHAOS_GROUP && subresource === undefined
    ? chaosKinds.find((candidate) => candidate.kind === kind.kind)
    : undefined

/** Runs before schema validation, so the draft may have any shape. */
const fillNamespaces = (choice: unknown, namespace: string): void => {
  if (!isPlainObject(choice) || !isPlainObject(choice.selector)) return
  const { namespaces } = choice.selector
  if (namespaces === undefined || (Array.isArray(namespaces) && namespaces.length === 0))
    choice.selector = { ...choice.selector, namespaces: [namespace] }
}

const validateDuration = ({ duration = '' }: ChaosSpec): FieldError[] =>
  duration === '' || parseDuration(duration) !== undefined
    ? []
    : [
        invalid(
          'spec.duration',
          duration,
          `parse duration field error: time: invalid duration ${JSON.stringify(duration)}`,
        ),
      ]

const rejectChange = ({ kind, object, old }: AdmissionRequest): void => {
  if (old === undefined || deepEqual(object?.spec, old.spec)) return
  const webhook = `v${kind.plural}.kb.io`
  throw new ApiError(
    403,
    'Forbidden',
    `admission webhook "${webhook}" denied the request: Cannot update chaos spec`,
  )
}

export const chaosAdmission: AdmissionPlugin = {
  name: 'ChaosMesh',
  admit(request) {
    const { object, namespace } = request
    if (object === undefined || chaosKindOf(request) === undefined || !isPlainObject(object.spec)) return
    fillNamespaces(object.spec, namespace)
    fillNamespaces(object.spec.target, namespace)
  },
  validate(request) {
    const { object, kind, name } = request
    const chaosKind = chaosKindOf(request)
    if (object === undefined || chaosKind === undefined) return
    rejectChange(request)
    const spec = object.spec as ChaosSpec
    const errors = [...validateChoice(spec, 'spec'), ...validateDuration(spec), ...chaosKind.validate(spec)]
    if (errors.length > 0) throw invalidObject(kind.group, kind.kind, name, errors)
  },
}
