/** Tests of owner references. */
import { describe, expect, it } from 'vitest'
import { controlledBy, controllerOf, validateOwnerReferences } from './owner.ts'

const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'web', uid: 'u-1' } }
const errorTexts = (references: unknown): string[] =>
  validateOwnerReferences(references as never, 'metadata.ownerReferences').map(
    ({ field, message }) => `${field}: ${message}`,
  )

describe('controllerOf', () => {
  it('returns the controlling reference', () => {
    const reference = controlledBy(owner)
    expect(reference).toEqual({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      name: 'web',
      uid: 'u-1',
      controller: true,
      blockOwnerDeletion: true,
    })
    const otherReference = { ...reference, uid: 'u-0', controller: false }
    expect(controllerOf({ metadata: { ownerReferences: [otherReference, reference] } })).toBe(reference)
    expect(controllerOf({ metadata: { ownerReferences: [otherReference] } })).toBeUndefined()
    expect(controllerOf({ metadata: {} })).toBeUndefined()
  })
})

describe('validateOwnerReferences', () => {
  it('requires all members', () => {
    expect(errorTexts(undefined)).toEqual([])
    expect(errorTexts([controlledBy(owner), { ...controlledBy(owner), controller: false }])).toEqual([])
    expect(errorTexts([{ apiVersion: '', kind: '', name: '', uid: '' }])).toEqual([
      'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
      'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
      'metadata.ownerReferences.name: Invalid value: "": must not be empty',
      'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    ])
  })

  it('rejects an Event as owner', () => {
    expect(errorTexts([{ apiVersion: 'v1', kind: 'Event', name: 'e', uid: 'u' }])).toEqual([
      'metadata.ownerReferences: Invalid value: v1.OwnerReference{APIVersion:"v1", Kind:"Event", Name:"e", UID:"u", Controller:(*bool)(nil), BlockOwnerDeletion:(*bool)(nil)}: /v1, Kind=Event is disallowed from being an owner',
    ])
  })

  it('rejects a second controller', () => {
    const [found, ...others] = errorTexts([controlledBy(owner), { ...controlledBy(owner), name: 'api' }])
    expect(others).toEqual([])
    expect(found).toMatch(/^metadata\.ownerReferences: Invalid value: \[\]v1\.OwnerReference\{v1\.OwnerRef/)
    expect(found).toMatch(
      /: Only one reference can have Controller set to true\. Found "true" in references for ReplicaSet\/web and ReplicaSet\/api$/,
    )
  })
})
