/** Finds, creates and validates owner references. */
import { type FieldError, invalid } from './field-error.ts'
import type { KubeObject, OwnerReference } from './object.ts'

type Owned = { metadata: { ownerReferences?: OwnerReference[] } }
type Owner = Pick<KubeObject, 'apiVersion' | 'kind'> & { metadata: { name: string; uid: string } }

/** Returns the reference to the controlling owner. */
export const controllerOf = (object: Owned): OwnerReference | undefined =>
  object.metadata.ownerReferences?.find((reference) => reference.controller === true)

/** Returns the reference that a controller sets on the objects it creates. */
export const controlledBy = (owner: Owner): OwnerReference => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  controller: true,
  blockOwnerDeletion: true,
})

/** Go prints the address of the pointer. It varies, so a fixed address is used. */
const goPointer = (flag: boolean | undefined): string =>
  flag === undefined ? '(*bool)(nil)' : '(*bool)(0xc000000000)'

const goReference = (reference: OwnerReference): string => {
  const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = reference
  const texts = Object.entries({ APIVersion: apiVersion, Kind: kind, Name: name, UID: uid })
    .map(([field, text]) => `${field}:${JSON.stringify(text)}`)
    .join(', ')
  return `v1.OwnerReference{${texts}, Controller:${goPointer(controller)}, BlockOwnerDeletion:${goPointer(blockOwnerDeletion)}}`
}

const validateReference = (reference: OwnerReference, field: string): FieldError[] => {
  const { apiVersion = '', kind = '', name = '', uid = '' } = reference
  const errors: FieldError[] = []
  if (apiVersion === '') errors.push(invalid(`${field}.apiVersion`, apiVersion, 'version must not be empty'))
  for (const [member, text] of Object.entries({ kind, name, uid }))
    if (text === '') errors.push(invalid(`${field}.${member}`, text, 'must not be empty'))
  if (apiVersion === 'v1' && kind === 'Event')
    errors.push(
      invalid(field, { go: goReference(reference) }, '/v1, Kind=Event is disallowed from being an owner'),
    )
  return errors
}

/** Validates owner references. At most one may be the controller. */
export const validateOwnerReferences = (
  references: readonly OwnerReference[] | undefined,
  field: string,
): FieldError[] => {
  let controller: string | undefined
  return (references ?? []).flatMap((reference) => {
    const errors = validateReference(reference, field)
    if (reference.controller !== true) return errors
    const ownerText = `${reference.kind}/${reference.name}`
    if (controller === undefined) {
      controller = ownerText
      return errors
    }
    const all = { go: `[]v1.OwnerReference{${references!.map(goReference).join(', ')}}` }
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${ownerText}`
    return [...errors, invalid(field, all, detail)]
  })
}
