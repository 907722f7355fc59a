/** Tests of requests for kinds that are registered and removed at run time. */
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { defineKind } from '#platform/kube/kinds'
import type { KubeObject } from '#platform/kube/meta'
import { createTestApi, type TestApi } from '../testing/create-test-api.ts'

const GATES = '/apis/example.com/v1/gates'

const gateKind = (hasStatus: boolean) =>
  defineKind<KubeObject>({
    group: 'example.com',
    version: 'v1',
    kind: 'Gate',
    plural: 'gates',
    singular: 'gate',
    namespaced: false,
    hasStatus,
    columns: [],
    row: () => [],
  })

let api: TestApi

beforeEach(async () => {
  api = await createTestApi()
  api.resources.directory.register('gates', [gateKind(false)])
})

afterEach(async () => {
  await api.close()
  expect(api.unexpected).toEqual([])
})

/** Sends a body in two halves and calls `between` after the server has admitted the request. */
const sendInHalves = async (between: () => void): Promise<{ code: number | undefined; json: any }> => {
  const body = JSON.stringify({
    apiVersion: 'example.com/v1',
    kind: 'Gate',
    metadata: { name: 'g' },
    status: { open: true },
  })
  const headers = { Authorization: 'Bearer admin', 'Content-Length': body.length }
  const outgoing = request(`${api.url}${GATES}`, { method: 'POST', headers })
  const answered = new Promise<{ code: number | undefined; json: any }>((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.on('response', async (response) =>
      resolve({ code: response.statusCode, json: JSON.parse(await text(response)) }),
    )
  })
  outgoing.write(body.slice(0, 10))
  // This request, on another connection, is answered after the first half has been read.
  await api.send('/version')
  between()
  outgoing.end(body.slice(10))
  return answered
}

it('rejects an object whose kind is removed while the body is read', async () => {
  const { code } = await sendInHalves(() => api.resources.directory.register('gates', []))
  expect(code).toBe(404)
  expect(api.resources.store.count('example.com/gates')).toBe(0)
})

it('uses the definition that the kind has when the body is complete', async () => {
  const { code, json } = await sendInHalves(() => api.resources.directory.register('gates', [gateKind(true)]))
  expect([code, json.status]).toEqual([201, {}])
})
