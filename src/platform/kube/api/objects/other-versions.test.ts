/** Tests of kinds that are served in several versions: tables, selectors, validation, warnings and apply. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineKind } from '#platform/kube/kinds'
import { createTestApi, type TestApi } from '../testing/create-test-api.ts'

const CORE_EVENTS = '/api/v1/namespaces/default/events'
const GROUP_EVENTS = '/apis/events.k8s.io/v1/namespaces/default/events'
const TABLE = { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' }

let api: TestApi

const post = (path: string, body: object) => api.send(path, { method: 'POST', body })

beforeAll(async () => {
  api = await createTestApi()
  await post(CORE_EVENTS, {
    metadata: { name: 'old' },
    involvedObject: { kind: 'Pod', name: 'web', namespace: 'default' },
    reason: 'Pulled',
    message: 'Image pulled',
    type: 'Normal',
    source: { component: 'kubelet', host: 'node1' },
    count: 3,
  })
})
afterAll(async () => {
  expect(api.unexpected).toEqual([])
  await api.close()
})

const firstFrame = async (path: string): Promise<any> => {
  const response = await api.open(`${path}?watch=true`, { headers: TABLE })
  let text = ''
  response.setEncoding('utf8')
  for await (const chunk of response) {
    text += chunk
    if (text.includes('\n')) break
  }
  return JSON.parse(text.split('\n')[0]!).object
}

describe('tables', () => {
  const cells = ['Normal', 'Pulled', 'pod/web', '', 'kubelet, node1', 'Image pulled', 3, 'old']
  const tableCells = (table: any): unknown[] => {
    const [, type, reason, object, subobject, source, message, , count, name] = table.rows[0].cells
    return [type, reason, object, subobject, source, message, count, name]
  }

  it.each([CORE_EVENTS, GROUP_EVENTS])('of events at %s have the same cells', async (path) => {
    const list = (await api.send(path, { headers: TABLE })).json
    expect(list.columnDefinitions.map(({ name }: { name: string }) => name)).toContain('Subobject')
    expect(tableCells(list)).toEqual(cells)
    expect(tableCells((await api.send(`${path}/old`, { headers: TABLE })).json)).toEqual(cells)
    expect(tableCells(await firstFrame(path))).toEqual(cells)
  })

  it('of autoscalers are the same in both versions', async () => {
    const pathOf = (version: string) =>
      `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`
    const spec = {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      maxReplicas: 4,
      targetCPUUtilizationPercentage: 60,
    }
    await post(pathOf('v1'), { metadata: { name: 'web' }, spec })
    const cellsOf = async (version: string) =>
      (await api.send(pathOf(version), { headers: TABLE })).json.rows[0].cells
    expect(await cellsOf('v1')).toEqual(await cellsOf('v2'))
    expect(await cellsOf('v1')).toContain('cpu: <unknown>/60%')
  })
})

describe('field selectors', () => {
  it.each([
    [CORE_EVENTS, 'involvedObject.name%3Dweb,reportingComponent%3D'],
    [GROUP_EVENTS, 'regarding.name%3Dweb,reportingController%3D,metadata.namespace%3Ddefault'],
  ])('at %s accept %s', async (path, selector) => {
    const { items } = (await api.send(`${path}?fieldSelector=${selector}`)).json
    expect(items).toHaveLength(1)
  })

  it.each([
    [CORE_EVENTS, 'regarding.name'],
    [GROUP_EVENTS, 'involvedObject.name'],
  ])('at %s reject %s', async (path, field) => {
    const { message } = (await api.send(`${path}?fieldSelector=${field}%3Dweb`)).json
    expect(message).toBe(`field label not supported: ${field}`)
  })
})

describe('events.k8s.io validates more than core', () => {
  const event = {
    metadata: { name: 'new' },
    regarding: { kind: 'Pod', name: 'web', namespace: 'default' },
    eventTime: '2026-01-02T03:04:05.000000Z',
    reportingController: 'example.com/agent',
    reportingInstance: 'agent-1',
    action: 'Look',
    reason: 'Looked',
    type: 'Normal',
  }

  it.each([
    [{ eventTime: undefined }, 'eventTime: Required value'],
    [{ type: 'Odd' }, 'type: Invalid value: "": has invalid value: Odd'],
    [
      { reportingController: undefined },
      /^\[reportingController: Required value, reportingController: Invalid value: "": name part must be non-empty, /,
    ],
    [
      { reportingInstance: '', action: 'x'.repeat(129), reason: '' },
      '[reportingInstance: Required value, action: Invalid value: "": can have at most 128 characters, reason: Required value]',
    ],
    [{ deprecatedCount: 1 }, 'count: Invalid value: "": needs to be unset'],
    [{ deprecatedSource: { component: 'x' } }, 'source: Invalid value: "": needs to be unset'],
    [
      { series: { count: 1, lastObservedTime: event.eventTime } },
      'series.count: Invalid value: "": should be at least 2',
    ],
  ])('and rejects %j', async (change, finding) => {
    const { code, json } = await post(GROUP_EVENTS, { ...event, ...change })
    expect(code).toBe(422)
    const findings = json.message.replace('Event "new" is invalid: ', '')
    if (typeof finding === 'string') expect(findings).toBe(finding)
    else expect(findings).toMatch(finding)
  })

  it('and allows updates only of the series', async () => {
    expect((await post(GROUP_EVENTS, event)).code).toBe(201)
    const patch = (body: object, path = GROUP_EVENTS) =>
      api.send(`${path}/new`, {
        method: 'PATCH',
        body,
        headers: { 'Content-Type': 'application/merge-patch+json' },
      })
    expect((await patch({ series: { count: 2, lastObservedTime: event.eventTime } })).code).toBe(200)
    const rejected = await patch({ note: 'x', regarding: { name: 'db' } })
    expect(rejected.json.message).toBe(
      'Event "new" is invalid: [involvedObject: Invalid value: core.ObjectReference{Kind:"Pod", Namespace:"default", Name:"db", UID:"", APIVersion:"", ResourceVersion:"", FieldPath:""}: field is immutable, message: Invalid value: "x": field is immutable]',
    )
    const later = await patch({ eventTime: '2026-01-02T03:04:05.120000Z' })
    expect(later.json.message).toBe(
      'Event "new" is invalid: eventTime: Invalid value: 2026-01-02 03:04:05.12 +0000 UTC: field is immutable',
    )
    expect((await patch({ message: 'x' }, CORE_EVENTS)).code).toBe(200)
  })
})

describe('a version with a warning', () => {
  const widgets = defineKind<any>({
    group: 'example.com',
    version: 'v1',
    kind: 'Widget',
    plural: 'widgets',
    singular: 'widget',
    namespaced: true,
    hasStatus: false,
    otherVersions: [
      {
        group: 'example.com',
        version: 'v1beta1',
        toServed: (object) => ({ ...object, apiVersion: 'example.com/v1beta1' }),
        fromServed: (object) => ({ ...object, apiVersion: 'example.com/v1' }),
        warning: 'example.com/v1beta1 Widget is deprecated',
      },
    ],
    columns: [],
    row: () => [],
  })
  const pathOf = (version: string, rest = '') =>
    `/apis/example.com/${version}/namespaces/default/widgets${rest}`
  const warning = '299 - "example.com/v1beta1 Widget is deprecated"'

  it('sends the warning with every answer', async () => {
    api.resources.directory.register('test', [widgets])
    const created = await post(pathOf('v1beta1'), { metadata: { name: 'a' } })
    expect([created.code, created.headers.warning]).toEqual([201, warning])
    expect((await api.send(pathOf('v1beta1'))).headers.warning).toBe(warning)
    expect((await api.send(pathOf('v1'))).headers.warning).toBeUndefined()
    const missing = await api.send(pathOf('v1beta1', '/missing'))
    expect([missing.code, missing.headers.warning]).toEqual([404, warning])
    const watch = await api.open(`${pathOf('v1beta1')}?watch=true`)
    expect(watch.headers.warning).toBe(warning)
    watch.destroy()
  })
})

describe('server-side apply', () => {
  it('through an older version owns the fields of the stored version', async () => {
    const path = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers/applied'
    const apply = (maxReplicas: number) =>
      api.send(`${path}?fieldManager=me`, {
        method: 'PATCH',
        headers: { 'Content-Type': 'application/apply-patch+yaml' },
        body: {
          apiVersion: 'autoscaling/v1',
          kind: 'HorizontalPodAutoscaler',
          metadata: { name: 'applied' },
          spec: {
            maxReplicas,
            targetCPUUtilizationPercentage: 50,
            scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
          },
        },
      })
    expect((await apply(3)).code).toBe(201)
    const { code, json } = await apply(4)
    expect(code).toBe(200)
    expect(json.spec).toMatchObject({ maxReplicas: 4, targetCPUUtilizationPercentage: 50 })
    expect(json.metadata.managedFields).toMatchObject([
      {
        manager: 'me',
        operation: 'Apply',
        apiVersion: 'autoscaling/v2',
        fieldsV1: { 'f:spec': { 'f:metrics': {} } },
      },
    ])
  })
})
