/** Tests of schema validation with patterns and names that can hang or break a naive implementation. */
import { describe, expect, it } from 'vitest'
import { type JsonSchema, validateValue } from '#platform/kube/kinds'
import { applyDefaults } from './apply-defaults.ts'
import { validateRules } from './validate-rules.ts'

const validateText = (schema: JsonSchema, value: string): string[] =>
  validateValue(value, undefined, { type: 'string', ...schema }, 'spec').map(({ message }) => message)

describe('strings', () => {
  it('match any pattern in linear time', () => {
    const value = `${'a'.repeat(5000)}!`
    expect(validateText({ pattern: '^(a+)+$' }, value)).toHaveLength(1)
    expect(validateText({ pattern: '^(a|a)*$' }, 'aaaa')).toEqual([])
    expect(validateText({ pattern: '(a?){1000}b' }, 'a'.repeat(200_000))).toHaveLength(1)
  })

  it.each([
    ['hostname', `${'a.'.repeat(120)}!`, false],
    ['hostname', 'a.'.repeat(120), false],
    ['hostname', 'a-b.example.com', true],
    ['hostname', 'localhost', true],
    ['hostname', '-a.example.com', false],
    ['duration', `${'1'.repeat(100_000)}`, false],
    ['duration', '1h30m1.5s', true],
    ['__proto__', 'x', true],
    ['hasOwnProperty', 'x', true],
  ])('are validated against the format %s', (format, value, valid) => {
    expect(validateText({ format }, value).length === 0).toBe(valid)
  })
})

describe('properties with names of Object.prototype', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: { constructor: { type: 'string', default: 'a' } as never },
    'x-kubernetes-validations': [{ rule: 'true' }],
  }

  it('get their defaults', () => {
    const value = {}
    applyDefaults(value, schema)
    expect(value).toEqual({ constructor: 'a' })
  })

  it('have no schema unless the definition has one', () => {
    const value = JSON.parse('{"toString": {"a": 1}}')
    const schemaWithRules: JsonSchema = { ...schema, properties: {} }
    expect(validateRules(value, undefined, schemaWithRules, '')).toEqual([])
    expect(validateValue(value, {}, schemaWithRules, '')).toEqual([])
  })
})
