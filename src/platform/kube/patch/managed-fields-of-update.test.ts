/** Tests of field ownership, against objects recorded from a real server. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { deepFreeze } from '#kit'
import type { FieldSet, KubeObject, ManagedFields } from '#platform/kube/meta'
import { schemaOf } from '#platform/kube/schema'
import { changedFields, UNMANAGED } from './changed-fields.ts'
import { emptyObject } from './empty-object.ts'
import { difference, intersection, listPaths, union } from './field-set.ts'
import { listFields } from './list-fields.ts'
import { type FieldUpdate, managedFieldsOfUpdate } from './managed-fields-of-update.ts'

const recorded: KubeObject[] = deepFreeze(
  JSON.parse(readFileSync(new URL('./testdata/managed-objects.json', import.meta.url), 'utf8')),
)

const schemaFor = ({ apiVersion, kind }: { apiVersion: string; kind: string }) => {
  const [version, group = ''] = apiVersion.split('/').reverse()
  return schemaOf({ group, version: version!, kind })!
}

/** Fields that admission and strategies set after ownership is computed, so they have no owner. */
const UNOWNED =
  /^\.spec\.(nodeName|preemptionPolicy|priority|serviceAccount|serviceAccountName|tolerations|volumes|replicas|clusterIP|clusterIPs|ipFamilies|ipFamilyPolicy|containers\[name="c"\]\.(volumeMounts|resources))|^\.status/

const findRecorded = (kind: string) => recorded.find((object) => object.kind === kind)!

describe('recorded objects', () => {
  it.each(recorded.map((object) => [`${object.kind} ${object.metadata.name}`, object] as const))(
    '%s: all fields have an owner, and all owned fields exist',
    (_, object) => {
      const entries = object.metadata.managedFields!
      const schema = schemaFor(object)
      const owned = entries.reduce<FieldSet>((all, entry) => union(all, entry.fieldsV1), {})
      const set =
        entries[0]!.operation === 'Apply'
          ? listFields(schema, object)
          : changedFields(schema, emptyObject(schema), object)!.changed
      expect(listPaths(difference(owned, set))).toEqual([])
      const unowned = listPaths(difference(difference(set, UNMANAGED), owned)).filter(
        (path) => !UNOWNED.test(path),
      )
      expect(unowned).toEqual([])
      expect(JSON.stringify(intersection(set, owned))).toBe(JSON.stringify(owned))
    },
  )

  it.each(['ControllerRevision', 'EndpointSlice', 'Lease', 'NetworkPolicy', 'CronJob', 'Secret', 'Ingress'])(
    '%s: creation yields the recorded entry',
    (kind) => {
      const object = findRecorded(kind)
      const { managedFields, ...metadata } = object.metadata
      const entry = managedFields![0]!
      const entries = managedFieldsOfUpdate({
        schema: schemaFor(object),
        old: undefined,
        next: { ...object, metadata },
        manager: entry.manager!,
        apiVersion: object.apiVersion,
        time: entry.time!,
      })
      expect(JSON.stringify(entries)).toBe(JSON.stringify(managedFields))
    },
  )
})

const web = findRecorded('Deployment')
const TIME = '2026-12-01T00:00:00Z'

const track = (next: object, overrides: Partial<FieldUpdate> = {}): ManagedFields[] | undefined =>
  managedFieldsOfUpdate({
    schema: schemaFor(web),
    old: web,
    next,
    manager: 'tester',
    apiVersion: 'apps/v1',
    time: TIME,
    ...overrides,
  })

const entryOf = (entries: ManagedFields[] | undefined, manager: string) =>
  entries?.find((entry) => entry.manager === manager)

const LABEL_FIELDS = { 'f:metadata': { 'f:labels': { 'f:q': {} } } }

describe('managedFieldsOfUpdate', () => {
  it('returns the same entries if nothing changes', () => {
    expect(track({ ...web, metadata: { ...web.metadata, resourceVersion: '99' } })).toBe(
      web.metadata.managedFields,
    )
    expect(track(structuredClone(web))).toBe(web.metadata.managedFields)
  })

  it('moves ownership of a changed field to its writer', () => {
    const labels = { ...web.metadata.labels, q: 'other' }
    const entries = track({ ...web, metadata: { ...web.metadata, labels } })
    expect(entryOf(entries, 'tester')).toEqual({
      manager: 'tester',
      operation: 'Update',
      apiVersion: 'apps/v1',
      time: TIME,
      fieldsType: 'FieldsV1',
      fieldsV1: LABEL_FIELDS,
    })
    expect(entryOf(web.metadata.managedFields, 'node-fetch')!.fieldsV1).toEqual(LABEL_FIELDS)
    expect(entryOf(entries, 'node-fetch')).toBeUndefined()
    expect(entryOf(entries, 'kubectl-rollout')).toBe(entryOf(web.metadata.managedFields, 'kubectl-rollout'))
    expect(entries!.at(-1)!.manager).toBe('tester')
  })

  it('extends the existing entry of the writer and updates its time', () => {
    const entries = track({ ...web, spec: { ...web.spec, paused: true } }, { manager: 'node-fetch' })
    expect(entryOf(entries, 'node-fetch')).toMatchObject({
      time: TIME,
      fieldsV1: { ...LABEL_FIELDS, 'f:spec': { 'f:paused': {} } },
    })
  })

  it('drops removed fields from all entries without updating their time', () => {
    const { q: _, ...labels } = web.metadata.labels!
    const entries = track({ ...web, metadata: { ...web.metadata, labels } })
    expect(entryOf(entries, 'node-fetch')).toBeUndefined()
    expect(entryOf(entries, 'tester')).toBeUndefined()
    const { revisionHistoryLimit: __, ...spec } = web.spec
    const trimmed = entryOf(track({ ...web, spec }), 'kubectl-client-side-apply')!
    expect(trimmed.time).toBe(entryOf(web.metadata.managedFields, 'kubectl-client-side-apply')!.time)
    expect(trimmed.fieldsV1['f:spec']).not.toHaveProperty('f:revisionHistoryLimit')
  })

  it('detects the removal of a label named constructor', () => {
    const labelled = { ...web, metadata: { ...web.metadata, labels: { constructor: 'a' } } }
    const bare = { ...web, metadata: { ...web.metadata, labels: {} } }
    const { removed } = changedFields(schemaFor(web), labelled, bare)!
    expect(listPaths(removed)).toEqual(['.metadata.labels.constructor'])
  })

  it('marks entries of a subresource, and ignores managedFields that the client sent there', () => {
    const next = {
      ...web,
      metadata: { ...web.metadata, managedFields: [] },
      status: { ...web.status, replicas: 77 },
    }
    const entries = track(next, { subresource: 'status' })
    expect(entryOf(entries, 'tester')).toMatchObject({
      subresource: 'status',
      fieldsV1: { 'f:status': { 'f:replicas': {} } },
    })
    expect(entryOf(entries, 'kubectl-client-side-apply')).toBeDefined()
  })

  it('ignores fields that the server resets', () => {
    const next = { ...web, status: { ...web.status, replicas: 77 }, spec: { ...web.spec, paused: true } }
    const entries = track(next, { reset: { 'f:status': {} } })
    expect(entryOf(entries, 'tester')!.fieldsV1).toEqual({ 'f:spec': { 'f:paused': {} } })
    expect(entryOf(entries, 'kube-controller-manager')).toBe(
      entryOf(web.metadata.managedFields, 'kube-controller-manager'),
    )
  })

  it('accepts valid entries of a client, ignores invalid ones, and clears them for an empty list', () => {
    const trackWithEntries = (managedFields: unknown) =>
      track({ ...web, metadata: { ...web.metadata, managedFields } })
    const renamed = web.metadata.managedFields!.map((entry, index) =>
      index === 0 ? { ...entry, manager: 'kubectl', operation: 'Apply' } : entry,
    )
    expect(entryOf(trackWithEntries(renamed.toReversed()), 'kubectl')).toMatchObject({ operation: 'Apply' })
    expect(trackWithEntries(renamed.toReversed())![0]!.manager).toBe('kubectl')
    expect(trackWithEntries([{ ...renamed[0], operation: 'Steal' }])).toBe(web.metadata.managedFields)
    expect(trackWithEntries([{ ...renamed[0], fieldsV1: { spec: {} } }])).toBe(web.metadata.managedFields)
    expect(trackWithEntries(undefined)).toBe(web.metadata.managedFields)
    expect(trackWithEntries([])).toBeUndefined()
    expect(trackWithEntries([{}])).toBeUndefined()
  })

  it('merges the oldest entries if more than ten managers made updates', () => {
    let object = findRecorded('Secret')
    for (let index = 0; index < 12; index += 1) {
      const next = {
        ...object,
        metadata: { ...object.metadata, labels: { ...object.metadata.labels, [`l${index}`]: 'x' } },
      }
      const time = `2027-01-01T00:00:${10 + index}Z`
      const entries = managedFieldsOfUpdate({
        schema: schemaFor(object),
        old: object,
        next,
        manager: `m${index}`,
        apiVersion: 'v1',
        time,
      })!
      expect(entries.length).toBeLessThanOrEqual(10)
      object = { ...next, metadata: { ...next.metadata, managedFields: entries } }
    }
    const oldest = object.metadata.managedFields![0]!
    expect(oldest).toMatchObject({
      manager: 'ancient-changes',
      operation: 'Update',
      time: '2027-01-01T00:00:12Z',
    })
    expect(oldest.fieldsV1['f:metadata']!['f:labels']).toEqual({
      '.': {},
      'f:l0': {},
      'f:l1': {},
      'f:l2': {},
    })
    expect(oldest.fieldsV1).toHaveProperty('f:data')
  })

  it('gives the creator of a custom resource the ownership of its spec and all fields below it', () => {
    const schema = { type: 'object' as const, fields: new Map(), required: [], preserveUnknown: true }
    const next = { apiVersion: 'x/v1', kind: 'X', metadata: { name: 'a' }, spec: { size: 1, list: [1] } }
    const [entry] = managedFieldsOfUpdate({
      schema,
      old: undefined,
      next,
      manager: '',
      apiVersion: 'x/v1',
      time: TIME,
    })!
    expect(entry).toMatchObject({
      manager: 'unknown',
      fieldsV1: { 'f:spec': { '.': {}, 'f:list': {}, 'f:size': {} } },
    })
  })
})
