/** What Chaos Mesh's webhooks do: the namespace that goes without saying, checks, and no change of a running spec. */
import { deepEqual } from '../../kit/index.ts'
import { ApiError, type FieldError, invalid, invalidObject } from '../meta/index.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../ports/index.ts'
import { chaosKinds } from './chaos-kinds.ts'
import { CHAOS_GROUP, type ChaosSpec } from './chaos-object.ts'
import { parseDuration } from './parse-duration.ts'
import { validateChoice } from './validate-choice.ts'

const isObject = (value: unknown): value is Record<string, any> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const chaosKindOf = ({ kind, subresource }: AdmissionRequest) =>
  kind.group === CHAOS_GROUP && subresource === undefined
    ? chaosKinds.find((one) => one.kind === kind.kind)
    : undefined

/** The draft has not met its schema yet. */
const fillNamespaces = (choice: unknown, namespace: string): void => {
  if (!isObject(choice) || !isObject(choice.selector)) return
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

const refuseChange = ({ kind, object, old }: AdmissionRequest): void => {
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
    if (object === undefined || chaosKindOf(request) === undefined || !isObject(object.spec)) return
    fillNamespaces(object.spec, namespace)
    fillNamespaces(object.spec.target, namespace)
  },
  validate(request) {
    const { object, kind, name } = request
    const chaosKind = chaosKindOf(request)
    if (object === undefined || chaosKind === undefined) return
    refuseChange(request)
    const spec = object.spec as ChaosSpec
    const errors = [...validateChoice(spec, 'spec'), ...validateDuration(spec), ...chaosKind.validate(spec)]
    if (errors.length > 0) throw invalidObject(kind.group, kind.kind, name, errors)
  },
}
