/** Tests of the validation of owner references and finalizers on create and update. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../testing/create-test-api.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'

const owner = { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'u-1' }

let api: TestApi
const create = (metadata: object) => api.send(MAPS, { method: 'POST', body: { metadata } })
const patchMetadata = (metadata: object) =>
  api.send(`${MAPS}/plain`, {
    method: 'PATCH',
    body: { metadata },
    headers: { 'Content-Type': 'application/merge-patch+json' },
  })

beforeAll(async () => {
  api = await createTestApi()
  await create({ name: 'plain' })
})
afterAll(async () => {
  expect(api.unexpected).toEqual([])
  await api.close()
})

describe('create and update reject', () => {
  it.each([
    [
      'an owner without uid',
      { ownerReferences: [{ ...owner, uid: '' }] },
      /is invalid: metadata\.ownerReferences\.uid: Invalid value: "": must not be empty$/,
    ],
    [
      'two controllers',
      {
        ownerReferences: [
          { ...owner, controller: true },
          { ...owner, name: 'db', uid: 'u-2', controller: true },
        ],
      },
      /is invalid: metadata\.ownerReferences: .*Only one reference can have Controller set to true\. Found "true" in references for Pod\/web and Pod\/db$/,
    ],
    [
      'an unqualified finalizer',
      { finalizers: ['foo'] },
      /is invalid: metadata\.finalizers\[0\]: Invalid value: "foo": name is neither a standard finalizer name nor is it fully qualified$/,
    ],
  ])('%s', async (_, metadata, message) => {
    for (const answer of [await create({ name: 'new', ...metadata }), await patchMetadata(metadata)]) {
      expect(answer.code).toBe(422)
      expect(answer.json.message).toMatch(message)
    }
  })
})
