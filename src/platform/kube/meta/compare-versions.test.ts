/** Tests of the order of API versions. */
import { expect, it } from 'vitest'
import { compareVersions } from './compare-versions.ts'

it('prefers stable versions to beta and alpha, newer ones to older, and sorts other names last', () => {
  const versions = ['foo1', 'v1alpha2', 'v10', 'v1beta1', 'v2', 'bar', 'v11alpha1', 'v1', 'v2beta1', 'v0']
  const sorted = [...versions].sort((a, b) => compareVersions(b, a))
  expect(sorted).toEqual([
    'v10',
    'v2',
    'v1',
    'v2beta1',
    'v1beta1',
    'v11alpha1',
    'v1alpha2',
    'bar',
    'foo1',
    'v0',
  ])
  expect(compareVersions('v1', 'v1')).toBe(0)
})
