/** Tests of which tolerations put up with which taints. */
import type { Taint, Toleration } from 'kubernetes-types/core/v1.d.ts'
import { expect, it } from 'vitest'
import { tolerates } from './toleration.ts'

const TAINT: Taint = { key: 'disk', value: 'slow', effect: 'NoExecute' }
const BARE: Taint = { key: 'disk', effect: 'NoExecute' }

it.each<[string, Toleration, Taint, boolean]>([
  ['everything', { operator: 'Exists' }, TAINT, true],
  ['the key, whatever its value', { key: 'disk', operator: 'Exists' }, TAINT, true],
  ['the value', { key: 'disk', operator: 'Equal', value: 'slow' }, TAINT, true],
  ['the value, without an operator', { key: 'disk', value: 'slow', effect: 'NoExecute' }, TAINT, true],
  ['a key without a value', { key: 'disk' }, BARE, true],
  ['another key', { key: 'cpu', operator: 'Exists' }, TAINT, false],
  ['another value', { key: 'disk', operator: 'Equal', value: 'fast' }, TAINT, false],
  ['no value where there is one', { key: 'disk' }, TAINT, false],
  ['another effect', { operator: 'Exists', effect: 'NoSchedule' }, TAINT, false],
  ['an operator that is none', { key: 'disk', operator: 'Like', value: 'slow' }, TAINT, false],
])('a toleration of %s', (_, toleration, taint, expected) => {
  expect(tolerates([toleration], taint)).toBe(expected)
})

it('one of several is enough, and none is not', () => {
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
