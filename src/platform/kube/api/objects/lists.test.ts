/** Tests of lists over HTTP: selectors, consistent pages, resource versions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../testing/create-test-api.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'

let api: TestApi
const create = (name: string, labels = {}, path = MAPS) =>
  api.send(path, { method: 'POST', body: { metadata: { name, labels } } })
const get = async (query: string, path = MAPS) => (await api.send(`${path}?${query}`)).json
const namesOf = (list: { items: { metadata: { name: string } }[] }): string[] =>
  list.items.map(({ metadata }) => metadata.name)

beforeAll(async () => {
  api = await createTestApi({ historyLimit: 20 })
  for (const name of ['a', 'b', 'c', 'd', 'e']) await create(name, { app: name < 'c' ? 'web' : 'db' })
  await create('other', {}, '/api/v1/namespaces/two/configmaps')
})
afterAll(async () => {
  expect(api.unexpected).toEqual([])
  await api.close()
})

describe('selectors', () => {
  it.each([
    ['labelSelector=app%3Dweb', ['a', 'b']],
    ['labelSelector=app%20in%20(web,db),app!%3Dweb', ['c', 'd', 'e']],
    ['labelSelector=!app', []],
    ['fieldSelector=metadata.name%3Dc', ['c']],
    ['fieldSelector=metadata.name!%3Dc,metadata.namespace%3Ddefault', ['a', 'b', 'd', 'e']],
    ['labelSelector=app%3Dweb&labelSelector=app%3Ddb', ['a', 'b']],
  ])('%s selects %j', async (query, names) => {
    expect(namesOf(await get(query))).toEqual(names)
  })

  it.each([
    ['labelSelector=%3D%3D', "found '==', expected: !, identifier, or 'end of string'"],
    ['fieldSelector=spec.foo%3D1', 'field label not supported: spec.foo'],
    ['fieldSelector=a', "invalid selector: 'a'; can't understand 'a'"],
    ['limit=x', 'strconv.ParseInt: parsing "x": invalid syntax'],
    [
      'resourceVersion=x',
      'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    ],
  ])('%s is rejected', async (query, message) => {
    const answer = await get(query)
    expect([answer.code, answer.reason]).toEqual([400, 'BadRequest'])
    expect(answer.message).toBe(message)
  })

  it.each([
    `${'a'.repeat(8000)}!`,
    `${'a-'.repeat(4000)}=`,
    `x in (${'y,'.repeat(4000)})`,
    '('.repeat(8000),
    `${'a.'.repeat(4000)}/b`,
  ])(
    'parses long selectors in linear time',
    async (selector) => {
      const { code } = await get(`labelSelector=${encodeURIComponent(selector)}`)
      expect(code === undefined || code === 400).toBe(true)
    },
    1000,
  )
})

describe('pages', () => {
  it('are consistent despite writes in between', async () => {
    const first = await get('limit=2')
    expect(namesOf(first)).toEqual(['a', 'b'])
    expect(first.metadata.remainingItemCount).toBe(3)
    await create('bb')
    await api.send(`${MAPS}/c`, { method: 'DELETE' })
    const second = await get(`limit=2&continue=${first.metadata.continue}`)
    expect(namesOf(second)).toEqual(['c', 'd'])
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion)
    const third = await get(`limit=2&continue=${second.metadata.continue}`)
    expect(namesOf(third)).toEqual(['e'])
    expect(third.metadata.continue).toBeUndefined()
    expect(namesOf(await get(''))).toEqual(['a', 'b', 'bb', 'd', 'e'])
  })

  it('are not used for resourceVersion=0, except for events', async () => {
    const all = await get('limit=2&resourceVersion=0')
    expect([namesOf(all).length, all.metadata.continue]).toEqual([5, undefined])
    const fields = { involvedObject: { namespace: 'default' } }
    const path = '/api/v1/namespaces/default/events'
    for (const name of ['e1', 'e2'])
      await api.send(path, { method: 'POST', body: { metadata: { name }, ...fields } })
    const page = await get('limit=1&resourceVersion=0', path)
    expect([namesOf(page), page.metadata.remainingItemCount]).toEqual([['e1'], 1])
  })

  it('omit remainingItemCount with a selector', async () => {
    const { metadata } = await get('limit=1&labelSelector=app')
    expect(metadata.continue).toBeDefined()
    expect(metadata.remainingItemCount).toBeUndefined()
  })

  it('expire with their version, and the error has a token to continue', async () => {
    const first = await get('limit=2')
    for (let index = 0; index < 60; index += 1) await create(`x${index}`)
    const expired = await get(`limit=2&continue=${first.metadata.continue}`)
    expect(expired).toMatchObject({
      code: 410,
      reason: 'Expired',
      message: expect.stringContaining('The provided continue parameter is too old'),
    })
    const rest = await get(`limit=2&continue=${expired.metadata.continue}`)
    expect(namesOf(rest)).toEqual(['bb', 'd'])
  })

  it.each([
    ['zzz!', 'illegal base64 data at input byte 3'],
    [Buffer.from('nonsense').toString('base64url'), 'invalid character'],
    [Buffer.from('{"v":"x"}').toString('base64url'), 'server does not recognize this encoded version "x"'],
    [
      Buffer.from('{"v":"meta.k8s.io/v1","rv":0,"start":"a"}').toString('base64url'),
      'incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    ],
    [
      Buffer.from('{"v":"meta.k8s.io/v1","rv":999999,"start":"a"}').toString('base64url'),
      'incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    ],
    [
      Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":""}').toString('base64url'),
      'encoded start key empty (version meta.k8s.io/v1)',
    ],
  ])('reject the invalid token %s', async (token, message) => {
    expect((await get(`continue=${token}`)).message).toBe(
      `invalid continue token: continue key is not valid: ${message}`,
    )
  })

  it('reject a resource version together with a token', async () => {
    const { metadata } = await get('limit=1')
    expect((await get(`continue=${metadata.continue}&resourceVersion=1`)).message).toBe(
      'specifying resource version is not allowed when using continue',
    )
  })
})

describe('resource versions', () => {
  it('in the future are answered with 504', async () => {
    const { store } = api.resources
    const answer = await api.send(`${MAPS}?resourceVersion=${store.version + 10}`)
    expect(answer.json).toMatchObject({
      code: 504,
      reason: 'Timeout',
      message: `Timeout: Too large resource version: ${store.version + 10}, current: ${store.version}`,
      details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
    })
    expect(answer.headers['retry-after']).toBe('1')
    expect((await api.send(`${MAPS}/a?resourceVersion=${store.version + 10}`)).code).toBe(504)
  })

  it('can be requested exactly while they are in the history', async () => {
    const before = api.resources.store.version
    const count = namesOf(await get('')).length
    await create('late')
    const exact = await get(`resourceVersion=${before}&resourceVersionMatch=Exact`)
    expect([namesOf(exact).length, exact.metadata.resourceVersion]).toEqual([count, String(before)])
    expect((await get('resourceVersion=1&resourceVersionMatch=Exact')).message).toBe(
      'The resourceVersion for the provided list is too old.',
    )
  })

  it.each([
    [
      'resourceVersionMatch=Exact',
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    ],
    [
      'resourceVersion=0&resourceVersionMatch=Exact',
      'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ],
    ['sendInitialEvents=true', 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list'],
  ])('reject %s', async (query, message) => {
    expect((await get(query)).message).toBe(`ListOptions.meta.k8s.io "" is invalid: ${message}`)
  })
})
