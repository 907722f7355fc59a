/** Tests of JSONPath in printer columns and selectable fields. */
import { describe, expect, it } from 'vitest'
import { parseJsonPath } from './json-path.ts'

const object = {
  metadata: { name: 'a', annotations: { 'example.com/team': 'blue', 'a.b': 'dotted' } },
  spec: { ports: [{ name: 'http', port: 80 }, { name: 'https', port: 443 }, { port: 9 }] },
  status: {
    conditions: [
      { type: 'Ready', status: 'False' },
      { type: 'Synced', status: 'True' },
    ],
  },
}

describe('parseJsonPath', () => {
  it.each([
    ['.metadata.name', ['a']],
    ['{.metadata.name}', ['a']],
    ['$.metadata.name', ['a']],
    [".metadata.annotations['example.com/team']", ['blue']],
    ['.metadata.annotations.a\\.b', ['dotted']],
    ['.spec.ports[0].port', [80]],
    ['.spec.ports[-1].port', [9]],
    ['.spec.ports[*].port', [80, 443, 9]],
    ['.spec.ports[1:].port', [443, 9]],
    ['.status.conditions[?(@.type=="Ready")].status', ['False']],
    [".status.conditions[?(@.type=='Synced')].status", ['True']],
    ['.spec.ports[?(@.port>100)].name', ['https']],
    ['.spec.ports[?(@.name)].port', [80, 443]],
    ['..port', [80, 443, 9]],
    ['.status.missing.deeper', []],
    ['.spec.ports.port', []],
  ])('finds the values at %s', (path, expected) => {
    expect(parseJsonPath(path)(object)).toEqual(expected)
  })

  it('rejects an invalid path', () => {
    expect(() => parseJsonPath('.a[')).toThrow('unterminated array')
    expect(() => parseJsonPath('.a[b c]')).toThrow('invalid array index b c')
  })
})
