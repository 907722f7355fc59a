/** An object that a call of kubectl has found, and its names. */
import type { ApiObject, ObjectRef } from '#spec'
import { type ResourceType, refOf } from './resource-types.ts'

export interface Found {
  readonly type: ResourceType
  readonly object: ApiObject
}

/** `deployment.apps/web` */
export const nameOf = ({ type, object }: Found): string => `${type.label}/${object.metadata.name}`

export const objectRef = ({ type, object }: Found): ObjectRef => ({
  ...refOf(type, object.metadata.namespace),
  name: object.metadata.name,
})
