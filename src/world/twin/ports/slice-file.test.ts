/** Tests that the file of a service slice round-trips, and contains no readable text. */
import { expect, it } from 'vitest'
import type { Defect, ServiceSlice } from '#spec'
import { packReleases, unpackRelease } from './slice-file.ts'

const createSlice = (defects?: readonly Defect[]): ServiceSlice => ({
  system: 'shop',
  service: 'café',
  release: '1',
  protocols: {},
  behaviour: {
    protocol: 'http',
    endpoints: { 'GET /': { reply: '"äöü 漢字"' } },
    ...(defects === undefined ? {} : { defects }),
  },
})

const releases = [
  createSlice(),
  createSlice([{ kind: 'leak' }]),
  createSlice([{ kind: 'crash' }]),
  createSlice([{ kind: 'failing-endpoint', endpoint: 'GET /' }]),
]

it('restores one service or several from a file', () => {
  expect(packReleases(releases).map(unpackRelease)).toEqual(releases)
  expect(packReleases([releases, []]).map(unpackRelease)).toEqual([releases, []])
})

it('writes files of equal size whose bytes differ', () => {
  const files = packReleases(releases)
  expect(new Set(files.map(({ length }) => length)).size).toBe(1)
  const [first, ...others] = files
  for (const other of others) {
    const equalBytes = first!.filter((byte, index) => byte === other[index]).length
    expect(equalBytes).toBeLessThan(first!.length / 16)
  }
})

it('writes the same file for the same slice', () => {
  expect(packReleases(releases)).toEqual(packReleases(structuredClone(releases)))
})

it('writes files that contain no word of the slice', () => {
  const words = JSON.stringify(releases).match(/[\w-]{4,}/g)!
  expect(words).toEqual(expect.arrayContaining(['leak', 'failing-endpoint', 'shop']))
  for (const file of packReleases(releases))
    expect(words.filter((word) => Buffer.from(file).includes(word))).toEqual([])
})

it('writes different files of the same size with a different salt', () => {
  const [plain, salted] = [packReleases(releases), packReleases(releases, 'salt')]
  expect(salted.map(unpackRelease)).toEqual(releases)
  for (const [index, file] of salted.entries()) {
    expect(file.length).toBe(plain[index]!.length)
    expect(file).not.toEqual(plain[index])
  }
})

it('writes files whose size does not depend on which release has which tag', () => {
  const withTags = (tags: readonly string[]): ServiceSlice[] =>
    releases.map((slice, index) => ({ ...slice, release: tags[index]! }))
  const sizeOf = (tags: readonly string[]): number => packReleases(withTags(tags))[0]!.length
  expect(sizeOf(['8', '9', '10', '100000'])).toBe(sizeOf(['100000', '8', '9', '10']))
})
