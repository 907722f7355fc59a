/** The types of API objects as the store holds them. */
import type { OwnerReference, ObjectMeta as PublishedMeta } from 'kubernetes-types/meta/v1.d.ts'

export type { OwnerReference }

/** One entry of `metadata.managedFields`. */
export interface ManagedFields {
  manager?: string
  operation: 'Apply' | 'Update'
  apiVersion: string
  time?: string
  fieldsType: 'FieldsV1'
  fieldsV1: FieldSet
  subresource?: string
}

/** A set of fields in the FieldsV1 notation: `f:name`, `k:{"key":"value"}`, `v:value`, `.` for the node itself. */
export interface FieldSet {
  [member: string]: FieldSet
}

type Mutable<T> = { -readonly [Member in keyof T]: T[Member] }

export interface ObjectMeta
  extends Mutable<
    Omit<PublishedMeta, 'name' | 'uid' | 'resourceVersion' | 'managedFields' | 'creationTimestamp'>
  > {
  name: string
  uid: string
  resourceVersion: string
  creationTimestamp: string
  managedFields?: ManagedFields[]
}

/** Any stored object. Stored objects are immutable: a change creates a new object. */
export interface KubeObject {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
  [field: string]: any
}

/**
 * A type of `kubernetes-types` as stored: metadata is complete, defaults are set, and `spec` and `status` exist
 * if the kind has them.
 */
export type Stored<T> = Omit<T, 'apiVersion' | 'kind' | 'metadata' | 'spec' | 'status'> & {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
} & (T extends { spec?: infer S } ? { spec: NonNullable<S> } : unknown) &
  (T extends { status?: infer S } ? { status: NonNullable<S> } : unknown)

/** An object as a client sends it. Any member may be missing. */
export type Draft<T> = Omit<Partial<T>, 'metadata'> & { metadata?: Partial<ObjectMeta> }
