/** Tests of kinds that are served in more than one version: tables, selectors and refusals in each. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApi, type TestApi } from './testing/create-test-api.ts'

const CORE = '/api/v1/namespaces/default/events'
const GROUP = '/apis/events.k8s.io/v1/namespaces/default/events'
const TABLE = { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' }

let api: TestApi

const post = (path: string, body: object) => api.send(path, { method: 'POST', body })

beforeAll(async () => {
  api = await createTestApi()
  await post(CORE, {
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
  const shown = (table: any): unknown[] => {
    const [, type, reason, object, part, source, message, , count, name] = table.rows[0].cells
    return [type, reason, object, part, source, message, count, name]
  }

  it.each([CORE, GROUP])('of events at %s show the same', async (path) => {
    const list = (await api.send(path, { headers: TABLE })).json
    expect(list.columnDefinitions.map(({ name }: { name: string }) => name)).toContain('Subobject')
    expect(shown(list)).toEqual(cells)
    expect(shown((await api.send(`${path}/old`, { headers: TABLE })).json)).toEqual(cells)
    expect(shown(await firstFrame(path))).toEqual(cells)
  })

  it('of autoscalers show the same in both versions', async () => {
    const path = (version: string) =>
      `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`
    const spec = {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      maxReplicas: 4,
      targetCPUUtilizationPercentage: 60,
    }
    await post(path('v1'), { metadata: { name: 'web' }, spec })
    const cellsOf = async (version: string) =>
      (await api.send(path(version), { headers: TABLE })).json.rows[0].cells
    expect(await cellsOf('v1')).toEqual(await cellsOf('v2'))
    expect(await cellsOf('v1')).toContain('cpu: <unknown>/60%')
  })
})

describe('field selectors', () => {
  it.each([
    [CORE, 'involvedObject.name%3Dweb,reportingComponent%3D'],
    [GROUP, 'regarding.name%3Dweb,reportingController%3D,metadata.namespace%3Ddefault'],
  ])('at %s: %s', async (path, selector) => {
    const { items } = (await api.send(`${path}?fieldSelector=${selector}`)).json
    expect(items).toHaveLength(1)
  })

  it.each([
    [CORE, 'regarding.name'],
    [GROUP, 'involvedObject.name'],
  ])('at %s know nothing of %s', async (path, field) => {
    const { message } = (await api.send(`${path}?fieldSelector=${field}%3Dweb`)).json
    expect(message).toBe(`field label not supported: ${field}`)
  })
})
