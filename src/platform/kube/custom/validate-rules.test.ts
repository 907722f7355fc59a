/** Tests of CEL validation rules on custom resources. */
import { describe, expect, it } from 'vitest'
import type { JsonSchema, ValidationRule } from '#platform/kube/kinds'
import { validateRules } from './validate-rules.ts'

const schema = (...rules: ValidationRule[]): JsonSchema => ({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      'x-kubernetes-validations': rules,
      properties: {
        min: { type: 'integer' },
        max: { type: 'integer' },
        ratio: { type: 'number' },
        memory: { type: 'string' },
        namespace: { type: 'string' },
        items: { type: 'array', items: { type: 'string' } },
        until: { type: 'string', format: 'date-time' },
      },
    },
  },
})

const findings = (rule: ValidationRule, spec: object, old?: object): string[] =>
  validateRules({ spec }, old === undefined ? undefined : { spec: old }, schema(rule), '').map(
    ({ field, message }) => `${field}: ${message}`,
  )

describe('x-kubernetes-validations', () => {
  it.each([
    ['self.min <= self.max', { min: 1, max: 2 }],
    ['!has(self.ratio) || self.ratio < 0.5', { ratio: 0.25 }],
    ['self.items.all(i, i.matches("^[a-z]+$"))', { items: ['a', 'b'] }],
    ['self.items.isSorted() && self.items.indexOf("b") == 1', { items: ['a', 'b'] }],
    ['quantity(self.memory).isLessThan(quantity("1Gi"))', { memory: '512Mi' }],
    ['self.__namespace__ == "a"', { namespace: 'a' }],
    ['self.until > timestamp("2025-01-01T00:00:00Z")', { until: '2026-01-01T00:00:00Z' }],
    ['self.memory.find("[0-9]+") == "512"', { memory: '512Mi' }],
    ['self.memory.findAll("[0-9]|$") == ["5", "1", "2", ""]', { memory: '512' }],
    ['!self.memory . matches ("^(a+)+$")', { memory: `${'a'.repeat(5000)}!` }],
    [`self.memory == ".matches(" && self.memory == r'.matches('`, { memory: '.matches(' }],
  ])('evaluate %s', (rule, spec) => {
    expect(findings({ rule }, spec)).toEqual([])
    expect(findings({ rule: `!(${rule})` }, spec)).toEqual([
      `spec: Invalid value: "object": failed rule: !(${rule})`,
    ])
  })

  it('use the message of the rule, or its message expression', () => {
    const rule = 'self.min <= self.max'
    const spec = { min: 3, max: 2 }
    expect(findings({ rule, message: 'min must not exceed max' }, spec)).toEqual([
      'spec: Invalid value: "object": min must not exceed max',
    ])
    const messageExpression = '"min " + string(self.min) + " exceeds max " + string(self.max)'
    expect(
      findings({ rule, messageExpression, fieldPath: '.min', reason: 'FieldValueForbidden' }, spec),
    ).toEqual(['spec.min: Forbidden: min 3 exceeds max 2'])
  })

  it('evaluate transition rules only if there is an old value', () => {
    const rule = { rule: 'self.max == oldSelf.max', message: 'max is immutable' }
    expect(findings(rule, { max: 2 })).toEqual([])
    expect(findings(rule, { max: 2 }, { max: 2 })).toEqual([])
    expect(findings(rule, { max: 3 }, { max: 2 })).toEqual([
      'spec: Invalid value: "object": max is immutable',
    ])
    const optional = { rule: 'oldSelf.hasValue() || self.max > 1', optionalOldSelf: true }
    expect(findings(optional, { max: 1 })).toHaveLength(1)
    expect(findings(optional, { max: 1 }, { max: 0 })).toEqual([])
  })

  it('report a rule that cannot be evaluated', () => {
    expect(findings({ rule: 'self.min > 1' }, {})).toEqual([
      'spec: Invalid value: "object": no such key: min evaluating rule: self.min > 1',
    ])
  })
})
