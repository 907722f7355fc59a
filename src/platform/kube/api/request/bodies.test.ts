/** Tests of request bodies: formats, validation and the messages of rejections. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../testing/create-test-api.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'

let api: TestApi
beforeAll(async () => {
  api = await createTestApi()
})
afterAll(async () => {
  expect(api.unexpected).toEqual([])
  await api.close()
})

const post = async (body: unknown, type = 'application/json', path = MAPS) => {
  const { code, json, headers } = await api.send(path, {
    method: 'POST',
    body,
    headers: { 'Content-Type': type },
  })
  return { code, message: json.message as string, json, warning: headers.warning as unknown }
}

const unrecognized = (detail: string): string =>
  `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: ${detail}`

describe('the JSON parser', () => {
  it.each([
    ['', 'unexpected end of JSON input (<empty>)'],
    ['{', 'unexpected end of JSON input ({)'],
    ['{"a":}', `invalid character '}' looking for beginning of value ({"a":})`],
    ['{"a" 1}', `invalid character '1' after object key ({"a" 1})`],
    ['{"a":1 "b"}', `invalid character '"' after object key:value pair ({"a":1 "b"})`],
    ['{a}', `invalid character 'a' looking for beginning of object key string ({a})`],
    ['[1 2]', "invalid character '2' after array element (5b3120325d)"],
    ['{} x', "invalid character 'x' after top-level value ({} x)"],
    ['tru', 'unexpected end of JSON input (747275)'],
    ['nul!', "invalid character '!' in literal null (expecting 'l') (6e756c21)"],
    ['-', 'unexpected end of JSON input (2d)'],
    ['1.x', "invalid character 'x' after decimal point in numeric literal (312e78)"],
    ['"\u0001"', "invalid character '\\x01' in string literal (220122)"],
    ['"\\q"', "invalid character 'q' in string escape code (225c7122)"],
    ['[', 'unexpected end of JSON input (5b)'],
    [
      '[]',
      'json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (5b5d)',
    ],
    ['{"kind":5}', 'json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5})'],
  ])('rejects %j', async (body, message) => {
    expect(await post(body)).toMatchObject({ code: 400, message: unrecognized(message) })
  })

  it('rejects nesting that is too deep, even if the body is malformed', async () => {
    expect((await post('['.repeat(1_000_000))).message).toContain("invalid character '[' exceeded max depth")
    const nested = `${'{"data":'.repeat(20_000)}1${'}'.repeat(20_000)}`
    expect(await post(nested)).toMatchObject({
      code: 400,
      message: expect.stringContaining('exceeded max depth'),
    })
  })

  it('reads null as an empty object', async () => {
    expect(await post('null')).toMatchObject({ code: 422 })
  })

  it('accepts a charset parameter, and rejects a compressed body', async () => {
    const body = JSON.stringify({ metadata: { name: 'charset' } })
    expect((await post(body, 'application/json; charset=utf-8')).code).toBe(201)
    expect((await post(Buffer.from([0x1f, 0x8b, 8, 0]))).message).toContain(
      "invalid character '\\x1f' looking for",
    )
  })
})

describe('type checks', () => {
  it.each([
    [
      { kind: 'Pod', apiVersion: 'v1' },
      'Pod in version "v1" cannot be handled as a ConfigMap: converting (v1.Pod) to (core.ConfigMap): unknown conversion',
    ],
    [
      { kind: 'Foo', apiVersion: 'v1' },
      'Foo in version "v1" cannot be handled as a ConfigMap: no kind "Foo" is registered for version "v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
    [
      { kind: 'ConfigMap', apiVersion: 'v7' },
      'ConfigMap in version "v7" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v7" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
    [
      { data: { a: 1 } },
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
    [
      { data: [] },
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string',
    ],
  ])('rejects %j', async (body, message) => {
    expect(await post(body)).toMatchObject({ code: 400, message })
  })

  it('rejects another version of the same kind', async () => {
    const body = { kind: 'HorizontalPodAutoscaler', apiVersion: 'autoscaling/v1' }
    expect(
      (
        await post(
          body,
          'application/json',
          '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
        )
      ).message,
    ).toBe(
      'the API version in the data (autoscaling/v1) does not match the expected API version (autoscaling/v2)',
    )
  })

  it('rejects a huge exponent in a quantity without computing it', async () => {
    const limits = { cpu: '1e999999999' }
    const body = {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i', resources: { limits } }] },
    }
    expect((await post(body, 'application/json', '/api/v1/namespaces/default/pods')).message).toContain(
      "unable to parse quantity's suffix",
    )
  })

  it('rejects an unknown content type with 415', async () => {
    expect(await post('x', 'text/plain')).toMatchObject({
      code: 415,
      message:
        'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    })
  })

  it('rejects malformed protobuf', async () => {
    const type = 'application/vnd.kubernetes.protobuf'
    expect((await post('xx', type)).message).toContain('does not appear to be a protobuf message')
    expect((await post(Buffer.from([0x6b, 0x38, 0x73, 0, 0x0a, 0xff, 0xff]), type)).code).toBe(400)
  })
})

describe('YAML', () => {
  const postYaml = (body: string) => post(body, 'application/yaml')

  it('is parsed as Go parses YAML', async () => {
    const { json, code } = await postYaml(
      'metadata: {name: why}\ndata: {date: 2026-01-01, quoted: "yes"}\n---\nsecond: document\n',
    )
    expect([code, json.data]).toEqual([201, { date: '2026-01-01', quoted: 'yes' }])
    expect((await postYaml('metadata: {name: z}\ndata: {a: yes}\n')).message).toContain(
      'cannot unmarshal bool',
    )
  })

  it('is rejected if it is invalid', async () => {
    expect((await postYaml('a: b: c')).message).toMatch(
      /^the object provided is unrecognized \(must be of type ConfigMap\): yaml: line 1: .* \(613a20623a2063\)$/,
    )
    expect((await postYaml('a: .nan')).message).toContain('yaml: json: unsupported value: NaN')
  })

  it('can repeat a key unless validation is strict; the last value wins', async () => {
    const text = 'metadata:\n  name: twice\ndata:\n  a: one\n  a: two\n'
    const send = (validation: string, body = text) =>
      post(body, 'application/yaml', `${MAPS}?fieldValidation=${validation}`)
    expect((await send('Strict')).message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 5: key "a" already set in map',
    )
    const { code, json, warning } = await postYaml(text)
    expect([code, json.data, warning]).toEqual([
      201,
      { a: 'two' },
      '299 - "line 5: key \\"a\\" already set in map"',
    ])
    const ignored = await send('Ignore', text.replace('twice', 'silent'))
    expect([ignored.code, ignored.warning]).toEqual([201, undefined])
    expect(
      (await send('Strict', '{"metadata":{"name":"json"},\n"data":{"a":"x","a":"y"}}')).message,
    ).toContain('line 2: key "a" already set in map')
  })

  it('is rejected if it is an alias bomb, too deep or too complex', async () => {
    const bomb = `a: &a [x]\n${[...'bcdefgh'].map((name, index) => `${name}: &${name} [${`*${'abcdefgh'[index]},`.repeat(9)}]`).join('\n')}`
    expect((await postYaml(bomb)).message).toContain('yaml: document contains excessive aliasing')
    expect((await postYaml('- '.repeat(20_000))).message).toContain('yaml: exceeded max depth')
    expect((await postYaml(`a: [${'1,'.repeat(400_000)}]`)).message).toContain(
      'yaml: document is too complex',
    )
  })

  const toLink = (_: unknown, index: number): string => `- &a${index + 1} [*a${index}]\n- *a${index + 1}`
  const chain = Array.from({ length: 700 }, toLink).join('\n')
  const keys = Array.from({ length: 500 }, (_, index) => `k${index}: 1`).join()
  it.each([
    ['contains itself', `&a [*a,${'"",'.repeat(3000)}1]`, "anchor 'a' value contains itself"],
    ['contains itself by merging', 'a: &a {<<: *a}', "anchor 'a' value contains itself"],
    ['contains itself many times', `&a [${'*a,'.repeat(3000)}1]`, "anchor 'a' value contains itself"],
    ['has a chain of aliases', `- &a0 [x]\n${chain}`, 'document contains excessive aliasing'],
    [
      'has a chain of merges',
      chain.replaceAll(/\[(.*)\]/g, '{<<: [$1, $1]}').replace('*a0, *a0', '{a: 1}, {}'),
      'aliasing',
    ],
    ['repeats a long text', `- &a ${'x'.repeat(90_000)}\n${'- *a\n'.repeat(500)}`, 'excessive aliasing'],
    ['has maps as keys', `${'{'.repeat(60)}${keys}${'}'.repeat(60)}`, 'invalid map key'],
    ['refers to an unknown anchor', 'a: *b', "unknown anchor 'b' referenced"],
  ])('is rejected if it %s', async (_, body, expected) => {
    const { code, message } = await postYaml(body)
    expect([code, message]).toEqual([400, expect.stringContaining(expected)])
  })

  it('can refer to earlier anchors', async () => {
    const body =
      'metadata: {name: refers, labels: &l {x: z}, annotations: {<<: *l, w: &y one}}\ndata: {a: *y, b: &y two, c: *y}'
    const { json } = await postYaml(body)
    expect([json.data, json.metadata.annotations]).toEqual([
      { a: 'one', b: 'two', c: 'two' },
      { x: 'z', w: 'one' },
    ])
  })
})

describe('unknown and duplicate fields', () => {
  const body = '{"metadata":{"name":"f","name":"f"},"foo":1,"data":{"a":"b"}}'

  it('cause a warning by default', async () => {
    const { code, warning } = await post(body)
    expect(code).toBe(201)
    expect(warning).toBe('299 - "duplicate field \\"metadata.name\\"", 299 - "unknown field \\"foo\\""')
  })

  it('are rejected with Strict and ignored with Ignore', async () => {
    expect((await post(body, 'application/json', `${MAPS}?fieldValidation=Strict`)).message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "metadata.name", unknown field "foo"',
    )
    const ignored = await post(
      body.replaceAll('"f"', '"g"'),
      'application/json',
      `${MAPS}?fieldValidation=Ignore`,
    )
    expect([ignored.code, ignored.warning]).toEqual([201, undefined])
    expect((await post(body, 'application/json', `${MAPS}?fieldValidation=x`)).message).toBe(
      'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn"',
    )
  })
})

describe('names and namespaces', () => {
  const update = async (path: string, body: object) =>
    (await api.send(path, { method: 'PUT', body })).json.message

  it('must match the path', async () => {
    await post({ metadata: { name: 'n' } })
    expect((await post({ metadata: { name: 'm', namespace: 'other' } })).message).toBe(
      'the namespace of the provided object does not match the namespace sent on the request',
    )
    expect(await update(`${MAPS}/n`, { metadata: { name: 'm' } })).toBe(
      'the name of the object (m) does not match the name on the URL (n)',
    )
    expect(await update(`${MAPS}/n`, {})).toBe(
      'the name of the object (n based on URL) was undeterminable: name must be provided',
    )
    expect(await update(`${MAPS}/n`, { metadata: { name: 'n', namespace: 'other' } })).toBe(
      'the namespace of the object (other) does not match the namespace on the request (default)',
    )
  })

  it('of a missing object are accepted by PUT only if the kind allows creation', async () => {
    expect(await update(`${MAPS}/new`, { metadata: { name: 'new' } })).toBe('configmaps "new" not found')
    const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases/new'
    expect(
      (await api.send(path, { method: 'PUT', body: { metadata: { name: 'new' }, spec: {} } })).code,
    ).toBe(201)
  })
})

describe('delete options', () => {
  const remove = async (body: unknown, query = '') => {
    const { code, json } = await api.send(`${MAPS}/gone${query}`, { method: 'DELETE', body })
    return `${code} ${json.message ?? json.status}`
  }

  it.each([
    [
      { propagationPolicy: 'x' },
      '422 DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "x": supported values: "Foreground", "Background", "Orphan", "nil"',
    ],
    [
      { propagationPolicy: 'Orphan', orphanDependents: true },
      '422 DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    ],
    [
      { gracePeriodSeconds: 'x' },
      '400 DeleteOptions in version "v1" cannot be handled as a DeleteOptions: json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
    ],
    [
      { preconditions: 'x' },
      '400 DeleteOptions in version "v1" cannot be handled as a DeleteOptions: json: cannot unmarshal string into Go struct field DeleteOptions.preconditions of type v1.Preconditions',
    ],
    [
      { dryRun: ['x'] },
      '422 DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: []string{"x"}: supported values: "All"',
    ],
    [{ kind: 'Pod' }, '400 decoded object cannot be converted to DeleteOptions'],
  ])('%j are rejected', async (body, answer) => {
    expect(await remove(body)).toBe(answer)
  })

  it('are read from the query if there is no body', async () => {
    await post({ metadata: { name: 'gone' } })
    expect(await remove(undefined, '?gracePeriodSeconds=x')).toContain(
      'strconv.ParseInt: parsing "x": invalid syntax',
    )
    expect(await remove(undefined, '?dryRun=All')).toBe('200 Success')
    expect(await remove({ apiVersion: 'apps/v1', kind: 'DeleteOptions' }, '?propagationPolicy=x')).toBe(
      '200 Success',
    )
    expect(await remove(undefined)).toBe('404 configmaps "gone" not found')
  })
})
