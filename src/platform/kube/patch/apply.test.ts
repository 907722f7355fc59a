/** Tests of server-side apply. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cloneJson, deepFreeze } from '#kit'
import { ApiError, type KubeObject } from '#platform/kube/meta'
import { schemaOf } from '#platform/kube/schema'
import { applyServerSide, type ServerSideApply } from './apply.ts'
import { listPaths } from './field-set.ts'
import { managedFieldsOfUpdate } from './managed-fields-of-update.ts'

const schema = schemaOf({ group: 'apps', version: 'v1', kind: 'Deployment' })!

const config = (spec: object, metadata: object = {}): Record<string, any> => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', ...metadata },
  spec,
})

const container = (name: string, image: string) => ({ name, image })
const template = (...containers: object[]) => ({ template: { spec: { containers } } })

const apply = (
  live: KubeObject | undefined,
  applied: object,
  overrides: Partial<ServerSideApply> = {},
): KubeObject =>
  deepFreeze(
    applyServerSide({
      schema,
      live,
      applied: deepFreeze(cloneJson(applied)),
      manager: 'alice',
      force: false,
      apiVersion: 'apps/v1',
      time: '2027-01-01T00:00:00Z',
      ...overrides,
    }),
  )

const update = (live: KubeObject | undefined, next: object, manager = 'updater'): KubeObject => {
  const entries = managedFieldsOfUpdate({
    schema,
    old: live,
    next,
    manager,
    apiVersion: 'apps/v1',
    time: '2027-01-02T00:00:00Z',
  })
  const object = next as KubeObject
  return deepFreeze({ ...object, metadata: { ...object.metadata, managedFields: entries! } })
}

const ownedPaths = (object: KubeObject, manager: string): string[] =>
  listPaths(object.metadata.managedFields?.find((entry) => entry.manager === manager)?.fieldsV1 ?? {})

const expectApiError = (run: () => unknown): ApiError => {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('expected an ApiError')
}

describe('applyServerSide', () => {
  it('creates an object whose applied fields belong to the applier', () => {
    const object = apply(
      undefined,
      config({ replicas: 2, ...template(container('c', 'nginx')) }, { labels: { a: 'b' } }),
    )
    expect(object.spec).toEqual({
      replicas: 2,
      template: { spec: { containers: [{ name: 'c', image: 'nginx' }] } },
    })
    expect(object.metadata.managedFields).toEqual([
      {
        manager: 'alice',
        operation: 'Apply',
        apiVersion: 'apps/v1',
        time: '2027-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { 'f:a': {} } },
          'f:spec': {
            'f:replicas': {},
            'f:template': {
              'f:spec': { 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:image': {}, 'f:name': {} } } },
            },
          },
        },
      },
    ])
  })

  it('changes nothing if the same configuration is applied again', () => {
    const applied = config({ replicas: 2, ...template(container('c', 'nginx')) })
    const object = apply(undefined, applied)
    expect(apply(object, applied, { time: '2028-01-01T00:00:00Z' })).toBe(object)
  })

  it('merges lists by key and shares unchanged elements', () => {
    const live = apply(undefined, config(template(container('a', '1'), container('b', '1'))))
    const next = apply(live, config(template(container('c', '1'), container('a', '2'))), {
      manager: 'bob',
      force: true,
    })
    expect(next.spec.template.spec.containers).toEqual([
      container('c', '1'),
      container('a', '2'),
      container('b', '1'),
    ])
    expect(next.spec.template.spec.containers[2]).toBe(live.spec.template.spec.containers[1])
  })

  it('removes fields that the manager applied before and now omits', () => {
    const live = apply(
      undefined,
      config(
        { replicas: 2, ...template(container('a', '1'), container('b', '1')) },
        { labels: { x: '1', y: '1' } },
      ),
    )
    const next = apply(live, config(template(container('a', '1')), { labels: { x: '1' } }))
    expect(next.spec).toEqual(template(container('a', '1')))
    expect(next.metadata.labels).toEqual({ x: '1' })
    const bare = apply(next, config(template(container('a', '1'))))
    expect(bare.metadata).not.toHaveProperty('labels')
  })

  it('keeps omitted fields that another manager owns, and fields without an owner', () => {
    const first = apply(undefined, config({ replicas: 2, ...template(container('a', '1')) }))
    const second = apply(first, config({ replicas: 2 }), { manager: 'bob' })
    expect(apply(second, config(template(container('a', '1')))).spec.replicas).toBe(2)

    const defaulted = deepFreeze({ ...first, spec: { ...first.spec, revisionHistoryLimit: 10 } })
    expect(apply(defaulted, config(template(container('a', '1')))).spec).toEqual({
      ...template(container('a', '1')),
      revisionHistoryLimit: 10,
    })
  })

  it('lets several managers own the same value', () => {
    const first = apply(undefined, config({ replicas: 2 }))
    const second = apply(first, config({ replicas: 2 }), { manager: 'bob' })
    expect(ownedPaths(second, 'alice')).toEqual(['.spec.replicas'])
    expect(ownedPaths(second, 'bob')).toEqual(['.spec.replicas'])
  })

  it('rejects a change to a field of another manager', () => {
    const live = update(undefined, config({ replicas: 2 }), 'kubectl-client-side-apply')
    const error = expectApiError(() => apply(live, config({ replicas: 3 })))
    expect(error.toStatus()).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using apps/v1: .spec.replicas',
      reason: 'Conflict',
      details: {
        causes: [
          {
            reason: 'FieldManagerConflict',
            message: 'conflict with "kubectl-client-side-apply" using apps/v1',
            field: '.spec.replicas',
          },
        ],
      },
      code: 409,
    })
  })

  it('lists the conflicts with several managers', () => {
    const created = apply(undefined, config(template(container('c', '1'))), { manager: 'bob' })
    const live = update(created, { ...created, spec: { ...created.spec, replicas: 2, paused: true } })
    const error = expectApiError(() =>
      apply(live, config({ replicas: 3, paused: false, ...template(container('c', '2')) })),
    )
    expect(error.message).toBe(
      [
        'Apply failed with 3 conflicts: conflicts with "bob":',
        '- .spec.template.spec.containers[name="c"].image',
        'conflicts with "updater" using apps/v1:',
        '- .spec.paused',
        '- .spec.replicas',
      ].join('\n'),
    )
    expect(error.details?.causes).toHaveLength(3)
  })

  it('takes ownership with force', () => {
    const live = update(undefined, config({ replicas: 2, paused: true }))
    const next = apply(live, config({ replicas: 3 }), { force: true })
    expect(next.spec).toEqual({ replicas: 3, paused: true })
    expect(ownedPaths(next, 'alice')).toEqual(['.spec.replicas'])
    expect(ownedPaths(next, 'updater')).toEqual(['.spec.paused'])
  })

  it('assigns the fields of an object without managedFields to before-first-apply', () => {
    const live = deepFreeze({
      ...config({ replicas: 2 }),
      metadata: { name: 'web', namespace: 'default', uid: 'u' },
    }) as KubeObject
    expect(expectApiError(() => apply(live, config({ replicas: 3 }))).message).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using apps/v1: .spec.replicas',
    )
    expect(ownedPaths(apply(live, config({ replicas: 2 })), 'before-first-apply')).toContain('.spec.replicas')
  })

  it('lets kubectl take over fields of client-side apply, and updates the annotation', () => {
    const name = 'kubectl.kubernetes.io/last-applied-configuration'
    const toAnnotation = (spec: object) => `${JSON.stringify(config(spec, { annotations: {} }))}\n`
    const live = update(
      undefined,
      config({ replicas: 2 }, { annotations: { [name]: toAnnotation({ replicas: 2 }) } }),
      'kubectl-client-side-apply',
    )
    const next = apply(live, config({ replicas: 3 }, { annotations: {} }), { manager: 'kubectl' })
    expect(next.spec.replicas).toBe(3)
    expect(JSON.parse(next.metadata.annotations![name]!)).toEqual(JSON.parse(toAnnotation({ replicas: 3 })))

    const scaled = update(live, { ...live, spec: { replicas: 5 } }, 'scaler')
    const error = expectApiError(() => apply(scaled, config({ replicas: 3 }), { manager: 'kubectl' }))
    expect(error.message).toContain('"scaler"')
  })

  it('keeps separate entries for subresources', () => {
    const live = apply(undefined, config({ replicas: 2 }))
    const applied = { ...config({}), status: { replicas: 1 } }
    const next = apply(live, applied, { subresource: 'status', reset: { 'f:spec': {} } })
    expect(next.metadata.managedFields).toMatchObject([
      { manager: 'alice', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
      { manager: 'alice', subresource: 'status', fieldsV1: { 'f:status': { 'f:replicas': {} } } },
    ])
  })

  it.each([
    [config({}, { managedFields: [] }), 400, 'metadata.managedFields must be nil'],
    [{ ...config({}), apiVersion: 'v1' }, 400, 'invalid object type: /v1, Kind=Deployment'],
    [
      config({ replica: 1 }),
      500,
      'failed to create typed patch object (default/web; apps/v1, Kind=Deployment): .spec.replica: field not declared in schema',
    ],
    [
      config({ replicas: '1' }),
      500,
      'failed to create typed patch object (default/web; apps/v1, Kind=Deployment): .spec.replicas: expected numeric (int or float), got string',
    ],
    [
      config(template(container('c', '1'), container('c', '2'))),
      500,
      'failed to create typed patch object (default/web; apps/v1, Kind=Deployment): .spec.template.spec.containers: duplicate entries for key [name="c"]',
    ],
    [
      config(template({ image: 'x' }, { image: 'y' })),
      500,
      'failed to create typed patch object (default/web; apps/v1, Kind=Deployment): .spec.template.spec.containers: duplicate entries for key [name=""]',
    ],
    [
      config({}, { labels: { a: 1 } }),
      500,
      'failed to create typed patch object (default/web; apps/v1, Kind=Deployment): .metadata.labels.a: expected string, got &value.valueUnstructured{Value:1}',
    ],
  ])('rejects %j', (applied, code, message) => {
    expect(expectApiError(() => apply(undefined, applied))).toMatchObject({ code, message })
  })

  it('is idempotent and yields the applied values', () => {
    const image = fc.constantFrom('1', '2')
    const containers = fc.uniqueArray(fc.record({ name: fc.constantFrom('a', 'b', 'c'), image }), {
      selector: ({ name }) => name,
      minLength: 1,
    })
    const labels = fc.dictionary(fc.constantFrom('x', 'y'), image, { maxKeys: 2 })
    const configs = fc
      .record({ containers, labels, replicas: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }) })
      .map((value) =>
        config(
          {
            ...(value.replicas === undefined ? {} : { replicas: value.replicas }),
            ...template(...value.containers),
          },
          { labels: value.labels },
        ),
      )
    fc.assert(
      fc.property(configs, configs, configs, (a, b, c) => {
        const first = apply(undefined, a)
        const second = apply(first, b, { manager: 'bob', force: true })
        const third = apply(second, c, { force: true })
        expect(apply(third, c, { time: '2029-01-01T00:00:00Z' })).toBe(third)
        expect(third.spec).toMatchObject({ ...c.spec, template: {} })
        const live = new Map(
          third.spec.template.spec.containers.map((container: { name: string }) => [
            container.name,
            container,
          ]),
        )
        for (const container of c.spec.template.spec.containers)
          expect(live.get(container.name)).toEqual(container)
        const expected = apply(apply(undefined, a), c)
        expect(expected.spec).toEqual(apply(undefined, c).spec)
      }),
    )
  })

  it('handles __proto__ and constructor as ordinary keys', () => {
    const annotations = JSON.parse('{"__proto__": "a", "constructor": "b"}')
    const live = apply(undefined, config({}, { annotations: { c: 'd' } }), { manager: 'bob' })
    const merged = apply(live, config({}, { annotations }))
    expect(JSON.stringify(merged.metadata.annotations)).toBe('{"c":"d","__proto__":"a","constructor":"b"}')
    const reduced = apply(merged, config({}, { annotations: JSON.parse('{"__proto__": "a"}') }))
    expect(JSON.stringify(reduced.metadata.annotations)).toBe('{"c":"d","__proto__":"a"}')
  })
})
