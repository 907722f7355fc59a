/** Runs the defaults and validation of a kind on test objects, and returns the errors as text. */
import { cloneJson, deepFreeze } from '#kit'
import type { FieldError, KubeObject } from '#platform/kube/meta'
import type { Kind } from '../define-kind.ts'

/** Formats errors as `field: message`. */
export const errorTexts = (errors: readonly FieldError[] | undefined): string[] =>
  (errors ?? []).map(({ field, message }) => `${field}: ${message}`)

/** Creates an object with this spec, and sets its defaults and initial status as the API server does. */
export const createObject = (kind: Kind, spec: object, name = 'web'): KubeObject => {
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

/** Returns the errors of an object. */
export const errorsOf = (kind: Kind, object: KubeObject, old?: KubeObject): string[] =>
  errorTexts(kind.validate!(deepFreeze(object), old))

/** Returns the errors of creating an object with this spec. */
export const errorsOnCreate = (kind: Kind, spec: object): string[] => errorsOf(kind, createObject(kind, spec))

/** Returns the errors of creating an object and then changing its spec. */
export const errorsOnUpdate = (kind: Kind, spec: object, change: object): string[] => {
  const old = deepFreeze(createObject(kind, spec))
  const draft = cloneJson(old)
  Object.assign(draft.spec, cloneJson(change))
  kind.defaults?.(draft)
  kind.prepareUpdate?.(draft, old, { now: 0 })
  return errorsOf(kind, draft, old)
}
