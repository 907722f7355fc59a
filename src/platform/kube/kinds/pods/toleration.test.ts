/** Tests how tolerations are matched against taints. */
import type { Taint, Toleration } from 'kubernetes-types/core/v1.d.ts'
import { expect, it } from 'vitest'
import { tolerates } from './toleration.ts'

const TAINT: Taint = { key: 'disk', value: 'slow', effect: 'NoExecute' }
const TAINT_WITHOUT_VALUE: Taint = { key: 'disk', effect: 'NoExecute' }

it.each<[string, Toleration, Taint, boolean]>([
  ['everything', { operator: 'Exists' }, TAINT, true],
  ['the key with any value', { key: 'disk', operator: 'Exists' }, TAINT, true],
  ['the value', { key: 'disk', operator: 'Equal', value: 'slow' }, TAINT, true],
  ['the value, without an operator', { key: 'disk', value: 'slow', effect: 'NoExecute' }, TAINT, true],
  ['a key without a value', { key: 'disk' }, TAINT_WITHOUT_VALUE, true],
  ['another key', { key: 'cpu', operator: 'Exists' }, TAINT, false],
  ['another value', { key: 'disk', operator: 'Equal', value: 'fast' }, TAINT, false],
  ['an empty value', { key: 'disk' }, TAINT, false],
  ['another effect', { operator: 'Exists', effect: 'NoSchedule' }, TAINT, false],
  ['an unknown operator', { key: 'disk', operator: 'Like', value: 'slow' }, TAINT, false],
])('evaluates a toleration of %s', (_, toleration, taint, expected) => {
  expect(tolerates([toleration], taint)).toBe(expected)
})

it('requires one matching toleration', () => {
  expect(
    tolerates(
      [
        { key: 'cpu', operator: 'Exists' },
        { key: 'disk', value: 'slow' },
      ],
      TAINT,
    ),
  ).toBe(true)
  expect(tolerates([], TAINT)).toBe(false)
  expect(tolerates(undefined, TAINT)).toBe(false)
})
